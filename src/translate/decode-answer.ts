/** A vendor's answer as events, whether it is a stream or not. The bytes decide which, not what was requested. */

import { ByteAccumulator } from '../lib/byte-accumulator.ts';
import { latin1OfBytes, textOfBytes } from '../lib/bytes.ts';
import { GatewayError } from '../lib/errors.ts';
import { firstNonSpace, isStream } from '../streams/first-non-space.ts';
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

/**
 * Decodes a stream if the body begins as one, and a non-streaming body, as one event, otherwise.
 * @param isCalledStream whether the answer's head says that it is a stream. Some services say so of a whole answer.
 */
export function decodeByLooks(
  holds: Holds = () => {},
  pieces?: Pieces,
  isCalledStream = false,
): Step<Uint8Array, Sse> {
  let step: Step<Uint8Array, Sse> | undefined;
  const makeStep = (first: number): Step<Uint8Array, Sse> => {
    const events = decodeSse(undefined, pieces);
    if (isStream(first, isCalledStream)) return events;
    return decodeWhole(holds, isCalledStream ? events : undefined);
  };
  return {
    transform(chunk, out) {
      // Until the first byte has come nothing is known: some services send empty lines first, as keep-alives.
      if (step === undefined) {
        const first = firstNonSpace(chunk);
        if (first === undefined) return;
        step = makeStep(first);
      }
      step.transform(chunk, out);
    },
    flush(out) {
      // A stream without a byte has no event.
      if (step === undefined && isCalledStream) return;
      (step ?? decodeWhole(holds)).flush?.(out);
    },
  };
}

/**
 * The text of a complete body that is not a stream, by the same rule; undefined if it is one. A body of nothing but
 * white space counts as empty, or as a stream if it is called one.
 */
export function textUnlessStream(body: Uint8Array, isCalledStream = false): string | undefined {
  const first = firstNonSpace(body);
  if (first === undefined) return isCalledStream ? undefined : '';
  if (isStream(first, isCalledStream) || (isCalledStream && FIELD.test(latin1OfBytes(body))))
    return undefined;
  return jsonText(body);
}

/**
 * Matches the beginning of an event on a line of its own. JSON has none: a string has its line breaks escaped, and outside
 * of strings there are no such words.
 */
const FIELD = /[\r\n](?:data|event|id|retry):/;
const FIELD_LENGTH = '\nretry:'.length;

/**
 * Decodes a whole body.
 * @param events decodes it instead, from its beginning on, when a field of an event comes in it: by the standard, the lines
 *   before that mean nothing.
 */
function decodeWhole(holds: Holds, events?: Step<Uint8Array, Sse>): Step<Uint8Array, Sse> {
  const whole = new ByteAccumulator(MAX_WHOLE);
  let end = '';
  let hasField = false;
  return {
    transform(chunk, out) {
      if (hasField) return events?.transform(chunk, out);
      if (whole.size() + chunk.byteLength > MAX_WHOLE) throw tooLong();
      whole.add(chunk);
      holds(whole.held());
      if (events === undefined) return;
      const text = end + latin1OfBytes(chunk);
      end = text.slice(-FIELD_LENGTH);
      hasField = FIELD.test(text);
      if (hasField) events.transform(whole.whole(), out);
    },
    flush(out) {
      if (hasField) events?.flush?.(out);
      else out.enqueue({ data: jsonText(whole.whole()), isWhole: true });
    },
  };
}

/** The text of a whole body, without a byte order mark: a parser of JSON may ignore it (RFC 8259, 8.1). */
function jsonText(body: Uint8Array): string {
  const text = textOfBytes(body);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
