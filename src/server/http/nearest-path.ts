/** Which path a client means whose base URL has a part too few, or one twice, or a slash too many. */

const PATHS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/responses/compact',
  '/v1/responses/input_tokens',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/models',
  '/v1beta/models',
];

/** What Google's clients ask of a model, below whatever: another version, none, one twice, Vertex AI's projects. */
const CALL = /\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/;

/** Whether a path asks something of a model, as Google's clients do. */
export function isCall(path: string): boolean {
  return CALL.test(path);
}

/**
 * `/v1/messages` for `/messages`, `/v1//messages`, `/v1/v1/messages` and `/anthropic/v1/messages`; undefined where none is
 * like it.
 */
export function nearestPath(asked: string): string | undefined {
  const path = asked.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  const method = CALL.exec(path)?.[1];
  if (method !== undefined) return `/v1beta/models/{model}:${method}`;
  const lower = path.toLowerCase();
  // A base URL, opened as it stands.
  if (lower === '/v1' || lower === '/v1beta') return `${lower}/models`;
  // Azure's deployments, Google's /v1beta/openai, and the whole path as a base URL: nothing else ends so.
  if (lower.endsWith('/chat/completions')) return '/v1/chat/completions';
  return PATHS.find((known) => lower.endsWith(known) || known.replace(/^\/v1(?:beta)?/, '') === lower);
}
