/**
 * Passes a native event stream on byte for byte, except for secrets in what its failures say. Pieces that hold whole
 * events and no failure pass at once. An incomplete event is held until it is complete, unless it is a long one of an
 * answer.
 */

import { bytesOfText, LF, latin1OfBytes, textOfBytes } from '../../lib/bytes.ts';
import { EventEnds, eventEndSearch } from '../../streams/event-ends.ts';
import type { Sink, Step } from '../../streams/step.ts';
import { type FailureReader, findFailure, HEAD } from '../../translate/find-failure.ts';
import { joined } from '../../upstream/net/to-buffer.ts';
import { hiddenInJson } from '../../upstream/redact.ts';

/**
 * How much of an event is held, in bytes. The second figure is for an event that may report a failure, which may repeat
 * a whole request.
 */
const MAX_HELD = 16 * 1_024;
const MAX_FAILURE_LENGTH = 1_024 * 1_024;

/** Matches an event whose data begins with something other than white space, an object or a list. */
const NO_JSON = /^(?:(?:event|id|retry):[^\r\n]*[\r\n]+)*data:\s*[^\s{[]/;

/**
 * Matches the data of an event that reports a failure, and what `OUTSIDE` matches. To `^`, U+2028 and U+2029 end lines too;
 * JSON may hold them.
 */
const OF_FAILURE = /(?<![^\r\n])(?!event:|id:|retry:|:)[^\r\n]+/g;
/** Matches what stands outside of any event: Gemini breaks off with an error as JSON over several lines. */
const OUTSIDE = /(?<![^\r\n])(?!event:|data:|id:|retry:|:)[^\r\n]+/g;

const COLON = 0x3a;

/** The step. */
export class FailureHider implements Step<Uint8Array, Uint8Array> {
  readonly #reader: FailureReader;
  readonly #key: string;
  /** What has come of an event that is not complete. */
  #held: Uint8Array[] = [];
  #size = 0;
  /** The first bytes of that, as latin1. */
  #head = '';
  /** Whether the beginning of that event may report a failure, once that has been checked. */
  #mayFail: boolean | undefined;
  /** Whether the rest of an event passes because it is too long to be held. */
  #isPassing = false;
  readonly #ends = new EventEnds();

  /**
   * @param reader finds failures in the vendor's format.
   * @param key the vendor's key, which is hidden everywhere.
   */
  constructor(reader: FailureReader, key: string) {
    this.#reader = reader;
    this.#key = key;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    const ends = this.#ends;
    const end = this.#isPassing ? ends.first(bytes) : ends.last(bytes);
    if (this.#isPassing) {
      this.#isPassing = end < 0;
      const passed = end < 0 ? bytes : bytes.subarray(0, end);
      ends.pass(passed);
      out.enqueue(passed);
      if (passed.length < bytes.length) this.transform(bytes.subarray(end), out);
      return;
    }
    ends.pass(bytes);
    if (end < 0) {
      this.#hold(bytes, out);
      return;
    }
    const isWhole = this.#size === 0 && end === bytes.length;
    if (isWhole && !mayFail(latin1OfBytes(bytes), this.#reader)) {
      out.enqueue(bytes);
      return;
    }
    const events = joined([...this.#held, bytes.subarray(0, end)]);
    this.#forget();
    out.enqueue(shown(events, this.#reader, this.#key));
    if (end < bytes.length) this.#hold(bytes.subarray(end), out);
  }

  flush(out: Sink<Uint8Array>): void {
    if (this.#size > 0) out.enqueue(shown(joined(this.#held), this.#reader, this.#key));
    this.#forget();
  }

  #hold(piece: Uint8Array, out: Sink<Uint8Array>): void {
    this.#keep(piece);
    this.#passComments(out);
    if (this.#size === 0) return;
    // Every failure is reported as JSON. Data that begins otherwise need not wait for its end.
    if (!NO_JSON.test(this.#head)) {
      if (this.#size <= MAX_HELD) return;
      this.#mayFail ??= mayFail(this.#head, this.#reader);
      if (this.#mayFail && this.#size <= MAX_FAILURE_LENGTH) return;
    }
    for (const each of this.#held) out.enqueue(each);
    this.#forget();
    this.#isPassing = true;
  }

  /** A comment is a keep-alive, so it passes at once. */
  #passComments(out: Sink<Uint8Array>): void {
    const held = this.#held;
    if (held[0]?.[0] !== COLON || !held.at(-1)?.includes(LF)) return;
    let rest = joined(held);
    this.#forget();
    while (rest[0] === COLON && rest.includes(LF)) {
      const end = rest.indexOf(LF) + 1;
      out.enqueue(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    if (rest.length > 0) this.#keep(rest);
  }

  #keep(piece: Uint8Array): void {
    this.#held.push(piece);
    this.#size += piece.length;
    const missing = HEAD - this.#head.length;
    if (missing > 0) this.#head += latin1OfBytes(piece, 0, Math.min(piece.length, missing));
  }

  #forget(): void {
    this.#held = [];
    this.#size = 0;
    this.#head = '';
    this.#mayFail = undefined;
  }
}

/** Whether events may report a failure, or an object stands outside of them, which may be one in any words. */
function mayFail(text: string, { marks }: FailureReader): boolean {
  return marks.failing.test(text) || text.startsWith('{') || text.includes('\n{');
}

/** Events unchanged, except for those that report a failure. */
function shown(events: Uint8Array, reader: FailureReader, key: string): Uint8Array {
  if (!mayFail(latin1OfBytes(events), reader)) return events;
  const search = eventEndSearch(events);
  const made: Uint8Array[] = [];
  for (let start = 0; start < events.length; ) {
    const found = search(start);
    const end = found < 0 ? events.length : found;
    made.push(withoutHidden(events.subarray(start, end), reader, key));
    start = end;
  }
  return joined(made);
}

function withoutHidden(event: Uint8Array, reader: FailureReader, key: string): Uint8Array {
  if (!mayFail(latin1OfBytes(event), reader)) return event;
  const text = textOfBytes(event);
  const lines = findFailure(event, reader) === undefined ? OUTSIDE : OF_FAILURE;
  const shown = text.replaceAll(lines, (line) => hiddenInJson(line, key));
  return shown === text ? event : bytesOfText(shown);
}
