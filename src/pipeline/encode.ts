/** The answer as it is written to the caller. */

import { noteFault } from '../accounting/usage/ledger.ts';
import type { Answer, Replied } from './exchange.ts';

/** Notes what is known of the answer by now, and names the exchange in it. */
export function encode(): (replied: Replied) => Answer {
  return ({ id, format, status, headers, body, allowance, ledger, refusal }) => {
    ledger.streamed = headers['content-type']?.startsWith('text/event-stream') === true;
    // What the vendor said itself is passed on as it is, and is a failure all the same.
    if (refusal !== undefined) noteFault(ledger, refusal);
    const named: Record<string, string> = { ...headers, ...allowance, 'x-request-id': id };
    // Anthropic's SDKs read their request id from this name.
    if (format === 'messages') named['request-id'] ??= id;
    if (body instanceof Uint8Array) named['content-length'] ??= String(body.byteLength);
    return { status, headers: named, body };
  };
}
