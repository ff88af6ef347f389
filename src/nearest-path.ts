/** Which path a client means whose base URL has a part too few, or one twice. */

const PATHS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/models',
  '/v1beta/models',
];

/** `/v1/messages` for `/messages`, `/v1/v1/messages` and `/anthropic/v1/messages`; undefined where none is like it. */
export function nearestPath(path: string): string | undefined {
  return PATHS.find((known) => path.endsWith(known) || known.replace(/^\/v1(?:beta)?/, '') === path);
}
