/** A vendor's answer as events, streamed or not. What arrives decides, not what was requested. */

import { byteAccumulator } from '../lib/byte-accumulator.ts';
import { textOfBytes } from '../lib/bytes.ts';
import { GatewayError } from '../lib/errors.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';
import { isEventStream } from '../upstream/headers.ts';
import { leftFor, type UpstreamAnswer } from '../upstream/send.ts';

type Holds = (bytes: number) => void;

/** The largest non-streaming answer that is translated, in bytes. */
export const MAX_WHOLE = 64 * 1024 * 1024;

/** Content types under which relays also send streams, so they do not say what the body is. */
const TELLS_NOTHING = /^(?:application\/(?:(?:[\w.-]+\+)?json|octet-stream)|text\/plain|$)/i;

/**
 * Makes the step from the vendor's bytes to events. A non-streaming body becomes one event.
 * @param holds receives how many bytes are held of a non-streaming body so far.
 * @throws GatewayError if the content type is neither one of events nor one of JSON.
 */
export function decodeBody(answer: UpstreamAnswer, holds: Holds): Step<Uint8Array, Sse> {
  if (isEventStream(answer.headers)) return decodeSse();
  const type = String(answer.headers['content-type'] ?? '');
  if (TELLS_NOTHING.test(type)) return decodeByLooks(holds);
  throw notJson(answer);
}

/** Makes the error for an answer of another content type, and cancels the answer. */
export function notJson(answer: UpstreamAnswer): GatewayError {
  return leftFor(
    answer,
    new GatewayError('upstream-broken', 'The upstream answered with something that is not JSON.'),
  );
}

/** Makes the error for an answer that is longer than the gateway reads. */
export function tooLong(): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent an answer that is too long.');
}

/** Decodes a stream if the body begins as one, and a non-streaming body otherwise. */
function decodeByLooks(holds: Holds): Step<Uint8Array, Sse> {
  let step: Step<Uint8Array, Sse> | undefined;
  return {
    transform(chunk, out) {
      step ??= stepFor(
        chunk.find((byte) => !isSpace(byte)),
        holds,
      );
      step?.transform(chunk, out);
    },
    flush: (out) => (step ?? decodeWhole(holds)).flush?.(out),
  };
}

/**
 * Picks the decoder by the first byte of a body. Undefined means not yet known: some services send empty lines first,
 * as keep-alives.
 */
function stepFor(first: number | undefined, holds: Holds): Step<Uint8Array, Sse> | undefined {
  if (first === undefined) return undefined;
  // A comment, or a field: data, event, id or retry (WHATWG HTML, 9.2.6).
  return ':deir'.includes(String.fromCharCode(first)) ? decodeSse() : decodeWhole(holds);
}

/** Whether a byte is white space (RFC 8259, 2) or part of a byte order mark. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

/** Collects a non-streaming body and gives it as one event. */
function decodeWhole(holds: Holds): Step<Uint8Array, Sse> {
  const whole = byteAccumulator(MAX_WHOLE);
  return {
    transform(chunk) {
      if (whole.size() + chunk.byteLength > MAX_WHOLE) throw tooLong();
      whole.add(chunk);
      holds(whole.held());
    },
    flush: (out) => out.enqueue({ data: textOfBytes(whole.whole()) }),
  };
}
