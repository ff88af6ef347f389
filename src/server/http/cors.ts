/** CORS for browsers (WHATWG Fetch, 3.2). Keys travel in headers, never in cookies, so credentials are not allowed. */

import type { CallerRequest } from '../../access/caller.ts';
import { ANTHROPIC_LIMIT_HEADERS, OPENAI_LIMIT_HEADERS } from '../../access/limits/limit-headers.ts';
import { CACHE_HEADER } from '../../pipeline/cache/cache-answers.ts';
import { UPSTREAM_ID } from '../../pipeline/encode.ts';
import type { CorsOptions } from '../../pipeline/gateway.ts';

/** Answer headers that a page's script may read. */
const EXPOSED = [
  'x-request-id',
  UPSTREAM_ID,
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-gateway-model',
  CACHE_HEADER,
  'age',
  ...OPENAI_LIMIT_HEADERS,
  ...ANTHROPIC_LIMIT_HEADERS,
].join(', ');

/** The headers that let a request's origin read the answer; undefined for callers that are not pages. */
export function originHeaders(
  message: CallerRequest,
  cors: CorsOptions,
): Readonly<Record<string, string>> | undefined {
  const allowed = allowedOrigin(message, cors);
  if (allowed === undefined) return undefined;
  return {
    'access-control-allow-origin': allowed,
    'access-control-expose-headers': EXPOSED,
    ...(allowed !== '*' && { vary: 'origin' }),
  };
}

/** The answer with the headers that let its origin read it. */
export function allowOrigin(response: Response, message: CallerRequest, cors: CorsOptions): Response {
  const headers = originHeaders(message, cors);
  for (const name in headers) response.headers.append(name, headers[name] ?? '');
  return response;
}

/** Whether the request is a browser's preflight (WHATWG Fetch, 3.2.2). */
export function isPreflight({ method, headers }: CallerRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** The answer to a preflight. It needs no key, since browsers send none with it. */
export function preflight(message: CallerRequest, cors: CorsOptions): Response {
  const allowed = allowedOrigin(message, cors);
  const headers = new Headers({ vary: 'origin, access-control-request-headers' });
  if (allowed !== undefined) {
    headers.set('access-control-allow-origin', allowed);
    // Methods that the path does not take are allowed too: a page reads the error only if it may send the request.
    headers.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS');
    headers.set('access-control-max-age', '86400');
    // SDKs send a dozen headers of their own, and more with every release, so every header is allowed. This only lets a
    // page send headers.
    const asked = message.headers['access-control-request-headers'];
    if (asked !== undefined) headers.set('access-control-allow-headers', asked);
    if (message.headers['access-control-request-private-network'] === 'true') {
      headers.set('access-control-allow-private-network', 'true');
    }
  }
  return new Response(null, { status: 204, headers });
}

function allowedOrigin(message: CallerRequest, { origins }: CorsOptions): string | undefined {
  const { origin } = message.headers;
  if (origin === undefined) return undefined;
  if (origins === '*') return '*';
  return origins.includes(origin) ? origin : undefined;
}
