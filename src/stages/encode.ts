/** The answer as a Response. */

import type { Replied } from './exchange.ts';

export function encode(): (replied: Replied) => Response {
  return ({ id, format, status, headers, body }) => {
    headers.set('x-request-id', id);
    // Anthropic's SDKs read their request id from this name.
    if (format === 'messages' && !headers.has('request-id')) headers.set('request-id', id);
    return new Response(body, { status, headers });
  };
}
