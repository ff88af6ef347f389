/** A vendor's answer as events, streamed or whole: what it is decides, not what was asked for. */

import { byteAccumulator } from '../lib/byte-accumulator.ts';
import { textOfBytes } from '../lib/bytes.ts';
import { GatewayError } from '../lib/errors.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';
import { leftFor, type UpstreamAnswer } from '../upstream/send.ts';

type Holds = (bytes: number) => void;

/** Largest whole answer that is translated, in bytes. */
export const MAX_WHOLE = 64 * 1024 * 1024;

/** Types under which relays send streams, too: these say nothing of what is in them. */
const TELLS_NOTHING = /^(?:application\/(?:(?:[\w.-]+\+)?json|octet-stream)|text\/plain|$)/i;

/**
 * The vendor's bytes as events.
 * @param holds told how many bytes are held for a whole body so far.
 * @throws GatewayError where its type promises neither events nor JSON.
 */
export function decodeBody(answer: UpstreamAnswer, holds: Holds): Step<Uint8Array, Sse> {
  const type = String(answer.headers['content-type'] ?? '');
  if (type.startsWith('text/event-stream')) return decodeSse();
  if (TELLS_NOTHING.test(type)) return decodeByLooks(holds);
  throw notJson(answer);
}

/** The error for an answer of another type, of which no more is read. */
export function notJson(answer: UpstreamAnswer): GatewayError {
  return leftFor(
    answer,
    new GatewayError('upstream-broken', 'The upstream answered with something that is not JSON.'),
  );
}

/** The error for an answer that is longer than what is read of one. */
export function tooLong(): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent an answer that is too long.');
}

/** A stream where it begins as one, and a whole body where it does not. */
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

/** By what a body begins with; nothing as yet where that is undefined: some say by empty lines that they are alive. */
function stepFor(first: number | undefined, holds: Holds): Step<Uint8Array, Sse> | undefined {
  if (first === undefined) return undefined;
  // A comment, or a field: data, event, id or retry (WHATWG HTML, 9.2.6).
  return ':deir'.includes(String.fromCharCode(first)) ? decodeSse() : decodeWhole(holds);
}

/** White space (RFC 8259, 2), or a byte order mark's. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

/** A whole body as the one event it stands for. */
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
