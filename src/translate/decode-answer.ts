/** A vendor's answer as events, whether it is a stream or not. The bytes decide which, not what was requested. */

import { ByteAccumulator } from '../lib/byte-accumulator.ts';
import { textOfBytes } from '../lib/bytes.ts';
import { GatewayError } from '../lib/errors.ts';
import { beginsEvent, firstNonSpace } from '../streams/first-non-space.ts';
import type { Pieces } from '../streams/repeated-events.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import type { Sink, Step } from '../streams/step.ts';

/** Receives how many bytes are held of a non-streaming body so far; may throw. */
export type Holds = (bytes: number) => void;

/** The largest non-streaming answer that is translated, in bytes. */
export const MAX_WHOLE = 64 * 1024 * 1024;

/** The most bytes of a translated stream. At 250 bytes a token this is a million tokens. */
const MAX_STREAM = 256 * 1024 * 1024;

/** Makes the error for an answer that is longer than the gateway reads. */
export function tooLong(): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent an answer that is too long.');
}

/** Passes a stream's bytes on. */
export class BoundedStream implements Step<Uint8Array, Uint8Array> {
  readonly #max: number;
  #size = 0;

  /** @param max bytes. */
  constructor(max = MAX_STREAM) {
    this.#max = max;
  }

  /** @throws GatewayError `upstream-broken` if there are more bytes. */
  transform(chunk: Uint8Array, out: Sink<Uint8Array>): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.#max) throw tooLong();
    out.enqueue(chunk);
  }
}

/** Decodes a stream if the body begins as one, and a non-streaming body, as one event, otherwise. */
export function decodeByLooks(holds: Holds = () => {}, pieces?: Pieces): Step<Uint8Array, Sse> {
  let step: Step<Uint8Array, Sse> | undefined;
  return {
    transform(chunk, out) {
      step ??= stepFor(firstNonSpace(chunk), holds, pieces);
      step?.transform(chunk, out);
    },
    flush: (out) => (step ?? decodeWhole(holds)).flush?.(out),
  };
}

/**
 * Picks the decoder by the first byte of a body. Undefined means not yet known: some services send empty lines first,
 * as keep-alives.
 */
function stepFor(
  first: number | undefined,
  holds: Holds,
  pieces: Pieces | undefined,
): Step<Uint8Array, Sse> | undefined {
  if (first === undefined) return undefined;
  return beginsEvent(first) ? decodeSse(undefined, pieces) : decodeWhole(holds);
}

/**
 * The text of a complete body that is not a stream, by the same rule; undefined if it is one. A body of nothing but
 * white space counts as empty.
 */
export function textUnlessStream(body: Uint8Array): string | undefined {
  const first = firstNonSpace(body);
  if (first === undefined) return '';
  return beginsEvent(first) ? undefined : textOfBytes(body);
}

function decodeWhole(holds: Holds): Step<Uint8Array, Sse> {
  const whole = new ByteAccumulator(MAX_WHOLE);
  return {
    transform(chunk) {
      if (whole.size() + chunk.byteLength > MAX_WHOLE) throw tooLong();
      whole.add(chunk);
      holds(whole.held());
    },
    flush: (out) => out.enqueue({ data: textOfBytes(whole.whole()), isWhole: true }),
  };
}
