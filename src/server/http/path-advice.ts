/** What to say about a path that does not exist: which one is meant, by a client, a probe or an administrator. */

import { POST_ROUTES } from '../../conversation/route.ts';

const PATHS = [...Object.keys(POST_ROUTES), '/v1/models', '/v1beta/models'];

/** An operation on a model in Google's style, below any prefix: another version, none, a repeated one, a Vertex AI project. */
const CALL = /\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/;

/** A request about a stored response, below any prefix. */
const STORED = /\/responses\/[^/]+(\/cancel|\/input_items)?$/;

const LIVE = '/health/live';
const READY = '/health/ready';

/** Where other services have their health checks. A probe shows its error to whoever sets it up. */
const PROBES: ReadonlyMap<string, string> = new Map([
  ['/health', LIVE],
  ['/healthz', LIVE],
  ['/livez', LIVE],
  ['/ping', LIVE],
  ['/health/liveness', LIVE],
  ['/health/liveliness', LIVE],
  ['/readyz', READY],
  ['/ready', READY],
  ['/health/readiness', READY],
]);

const ADMIN =
  'Administration and metrics need GATEWAY_ADMIN_KEY, and administration is at a port of its own, by default 8788.';

const ALL_ENDPOINTS =
  'Available endpoints: /v1/chat/completions, /v1/responses, /v1/messages and /v1beta/models/{model}:generateContent.';

/** Says what exists in place of a path that does not. */
export function pathAdvice(asked: string): string {
  if (asked === '/metrics' || asked === '/admin' || asked.startsWith('/admin/')) return ADMIN;
  const probe = PROBES.get(asked);
  if (probe !== undefined) return `Did you mean ${probe}?`;
  const nearest = nearestPath(asked);
  return nearest === undefined ? ALL_ENDPOINTS : `Did you mean ${nearest}? Check your client's base URL.`;
}

/** Whether a path names an operation on a model in Google's style. */
export function isCall(path: string): boolean {
  return CALL.test(path);
}

/**
 * The path that a client means if its base URL lacks a part, repeats one, or has a slash too many: `/v1/messages` for
 * `/messages`, `/v1//messages`, `/v1/v1/messages` and `/anthropic/v1/messages`; undefined if none is close.
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
