/**
 * Watches a whole answer whose end only its connection or its HTTP/2 stream marks, so that a cut one looks complete:
 * HTTP/1.0 has no other end (RFC 9112, 6.3), and over HTTP/2 Node reports a stream that the server resets with NO_ERROR,
 * as Envoy does when it loses the server behind it, or with CANCEL, as one that has ended.
 */

import { endedEarly } from '../../lib/errors.ts';
import { jsonCursor, passAll } from '../../lib/json-cursor.ts';
import type { Sink, Step } from '../../streams/step.ts';
import type { AnswerHeaders } from '../../upstream/headers.ts';

/** Makes the step that holds such an answer to its brackets; undefined if the answer is framed, or no JSON. */
export function watchUnframed(headers: AnswerHeaders): Step<Uint8Array, Uint8Array> | undefined {
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  const isJson = String(headers['content-type']).toLowerCase().startsWith('application/json');
  return isFramed || !isJson ? undefined : new UnframedJson();
}

class UnframedJson implements Step<Uint8Array, Uint8Array> {
  readonly #cursor = jsonCursor();
  #isEmpty = true;

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.#isEmpty &&= bytes.byteLength === 0;
    passAll(this.#cursor, bytes);
    out.enqueue(bytes);
  }

  /** @throws GatewayError if an object, a list or a string is open, or if nothing has come. */
  flush(): void {
    if (this.#isEmpty || this.#cursor.isInString || this.#cursor.depth > 0) throw endedEarly();
  }
}
