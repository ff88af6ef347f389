/** The answer as it is written to the caller. */

import type { Answer, Replied } from './exchange.ts';

export function encode(): (replied: Replied) => Answer {
  return ({ id, format, status, headers, body, allowance, ledger }) => {
    if (ledger !== undefined) {
      ledger.streamed = headers['content-type']?.startsWith('text/event-stream') === true;
    }
    const named: Record<string, string> = { ...headers, ...allowance, 'x-request-id': id };
    // Anthropic's SDKs read their request id from this name.
    if (format === 'messages') named['request-id'] ??= id;
    if (body instanceof Uint8Array) named['content-length'] ??= String(body.byteLength);
    return { status, headers: named, body };
  };
}
