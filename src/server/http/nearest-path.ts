/** Guesses which path a client means if its base URL lacks a part, repeats one, or has a slash too many. */

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

/** An operation on a model in Google's style, below any prefix: another version, none, a repeated one, a Vertex AI project. */
const CALL = /\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/;

/** A request about a stored response, below any prefix. */
const STORED = /\/responses\/[^/]+(\/cancel|\/input_items)?$/;

/** Whether a path names an operation on a model in Google's style. */
export function isCall(path: string): boolean {
  return CALL.test(path);
}

/**
 * The closest existing path, such as `/v1/messages` for `/messages`, `/v1//messages`, `/v1/v1/messages` and
 * `/anthropic/v1/messages`; undefined if none is close.
 */
export function nearestPath(asked: string): string | undefined {
  const path = asked.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  const method = CALL.exec(path)?.[1];
  if (method !== undefined) return `/v1beta/models/{model}:${method}`;
  const lower = path.toLowerCase();
  // A base URL that is opened in a browser.
  if (lower === '/v1' || lower === '/v1beta') return `${lower}/models`;
  // Azure's deployments, Google's /v1beta/openai, and a base URL that is already the whole path.
  if (lower.endsWith('/chat/completions')) return '/v1/chat/completions';
  const known = PATHS.find((each) => lower.endsWith(each) || each.replace(/^\/v1(?:beta)?/, '') === lower);
  if (known !== undefined) return known;
  const stored = STORED.exec(path);
  return stored === null ? undefined : `/v1/responses/{id}${stored[1] ?? ''}`;
}
