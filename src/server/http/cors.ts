/** What browsers are told (WHATWG Fetch, 3.2): keys travel in headers, never in cookies, so no credentials. */

import type { IncomingMessage } from 'node:http';
import { ANTHROPIC_LIMIT_HEADERS, OPENAI_LIMIT_HEADERS } from '../../access/limits/limit-headers.ts';
import type { CorsOptions } from '../../pipeline/gateway.ts';

/** Answer headers that a page's script may read. */
const EXPOSED = [
  'x-request-id',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-gateway-model',
  ...OPENAI_LIMIT_HEADERS,
  ...ANTHROPIC_LIMIT_HEADERS,
].join(', ');

/** What the origin of a request must see of an answer to read it; undefined for callers who are no page. */
export function originHeaders(
  message: IncomingMessage,
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

/** The answer with what its origin must see to read it. */
export function allowOrigin(response: Response, message: IncomingMessage, cors: CorsOptions): Response {
  const headers = originHeaders(message, cors);
  for (const name in headers) response.headers.append(name, headers[name] ?? '');
  return response;
}

/** Whether a browser asks what a page's script may send (WHATWG Fetch, 3.2.2). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** The answer to a preflight: needs no key, since browsers send none with it. */
export function preflight(message: IncomingMessage, cors: CorsOptions): Response {
  const allowed = allowedOrigin(message, cors);
  const headers = new Headers({ vary: 'origin, access-control-request-headers' });
  if (allowed !== undefined) {
    headers.set('access-control-allow-origin', allowed);
    // What is not taken here is refused in words, which a page reads only where it may ask.
    headers.set('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS');
    headers.set('access-control-max-age', '86400');
    // SDKs send a dozen headers of their own and more with every release: what is asked for is allowed. It lets a
    // page send headers, nothing else.
    const asked = message.headers['access-control-request-headers'];
    if (asked !== undefined) headers.set('access-control-allow-headers', asked);
    if (message.headers['access-control-request-private-network'] === 'true') {
      headers.set('access-control-allow-private-network', 'true');
    }
  }
  return new Response(null, { status: 204, headers });
}

function allowedOrigin(message: IncomingMessage, { origins }: CorsOptions): string | undefined {
  const { origin } = message.headers;
  if (origin === undefined) return undefined;
  if (origins === '*') return '*';
  return origins.includes(origin) ? origin : undefined;
}
