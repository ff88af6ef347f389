/** The answer as a Response. */

import { FastResponse } from 'srvx';
import type { Replied } from './exchange.ts';

export function encode(): (replied: Replied) => Response {
  return ({ id, format, status, headers, body, ledger }) => {
    if (ledger !== undefined) {
      ledger.streamed = headers['content-type']?.startsWith('text/event-stream') === true;
    }
    const named: Record<string, string> = { ...headers, 'x-request-id': id };
    // Anthropic's SDKs read their request id from this name.
    if (format === 'messages' && headers['request-id'] === undefined) named['request-id'] = id;
    // One that is written to Node's socket as it is; the web's own would make a stream of every body.
    return new FastResponse(body, { status, headers: named });
  };
}
