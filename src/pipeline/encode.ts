/** The answer as it is written to the caller. */

import { noteFault } from '../accounting/usage/ledger.ts';
import { isEventStream } from '../upstream/headers.ts';
import { type Answer, NO_CONTENT, type RenderedReply } from './exchange.ts';

/** The header with the vendor's own id of the exchange. */
export const UPSTREAM_ID = 'x-upstream-request-id';

/**
 * Makes the stage that turns a reply into status, headers and body. It notes in the ledger what is known by now, and
 * adds the exchange's id to the headers.
 */
export function encode(): (replied: RenderedReply) => Answer {
  return ({ id, format, status, headers, body, limitHeaders, ledger, refusal }) => {
    ledger.streamed = isEventStream(headers);
    // The vendor's own error is passed on unchanged, and still counts as a failure.
    if (refusal !== undefined) noteFault(ledger, refusal);
    const named: Record<string, string> = { ...headers, ...limitHeaders, 'x-request-id': id };
    if (ledger.upstreamId !== undefined) named[UPSTREAM_ID] = ledger.upstreamId;
    // Anthropic's SDKs read their request id from this header.
    if (format === 'messages') named['request-id'] ??= id;
    if (body instanceof Uint8Array && status !== NO_CONTENT)
      named['content-length'] ??= String(body.byteLength);
    return { status, headers: named, body };
  };
}
