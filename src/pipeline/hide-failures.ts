/**
 * Passes a native event stream on byte for byte, except for secrets in what its failures say. Pieces that hold whole
 * events and no failure pass at once. An incomplete event is held until it is complete, unless it is a long one of an
 * answer.
 */

import { bytesOfText, concatBytes, LF, latin1OfBytes, textOfBytes } from '../lib/bytes.ts';
import type { Sink, Step } from '../streams/step.ts';
import { hiddenInJson } from '../upstream/redact.ts';
import { type FailureReader, findFailure, HEAD } from './find-failure.ts';

/**
 * How much of an event is held, in bytes. The second figure is for an event that may report a failure, which may repeat
 * a whole request.
 */
const MOST_HELD = 16 * 1_024;
const MOST_OF_FAILURE = 1_024 * 1_024;

/** Matches an event whose data begins with something other than white space, an object or a list. */
const NO_JSON = /^(?:(?:event|id|retry):[^\r\n]*[\r\n]+)*data:\s*[^\s{[]/;

const COLON = 0x3a;

/** How many of the bytes before a piece may belong to the line breaks that end an event. */
const SEAM = 3;

/**
 * Makes the step.
 * @param reader finds failures in the vendor's format.
 * @param key the vendor's key, which is hidden everywhere.
 */
export function hideInFailures(reader: FailureReader, key: string): Step<Uint8Array, Uint8Array> {
  const { failing } = reader.marks;
  /** What has come of an event that is not complete. */
  let held: Uint8Array[] = [];
  let size = 0;
  /** Whether the beginning of that event may report a failure, once that has been checked. */
  let mayFail: boolean | undefined;
  /** Whether the rest of an event passes because it is too long to be held. */
  let isPassing = false;
  /** The last bytes of all that has come, as latin1. */
  let tail = '';

  /** The first bytes of what is held, as latin1. */
  let head = '';

  const forget = (): void => {
    held = [];
    size = 0;
    head = '';
    mayFail = undefined;
  };
  const keep = (piece: Uint8Array): void => {
    held.push(piece);
    size += piece.length;
    if (head.length < HEAD) head += latin1OfBytes(piece, 0, Math.min(piece.length, HEAD - head.length));
  };
  const hold = (piece: Uint8Array, out: Sink<Uint8Array>): void => {
    keep(piece);
    sayComments(out);
    if (size === 0) return;
    // Every failure is reported as JSON. Data that begins otherwise need not wait for its end.
    if (!NO_JSON.test(head)) {
      if (size <= MOST_HELD) return;
      mayFail ??= failing.test(head);
      if (mayFail && size <= MOST_OF_FAILURE) return;
    }
    for (const each of held) out.enqueue(each);
    forget();
    isPassing = true;
  };
  /** A comment is a keep-alive, so it passes at once. */
  const sayComments = (out: Sink<Uint8Array>): void => {
    if (held[0]?.[0] !== COLON || !held.at(-1)?.includes(LF)) return;
    let rest = concatBytes(held);
    forget();
    while (rest[0] === COLON && rest.includes(LF)) {
      const end = rest.indexOf(LF) + 1;
      out.enqueue(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    if (rest.length > 0) keep(rest);
  };

  const transform = (bytes: Uint8Array, out: Sink<Uint8Array>): void => {
    const text = latin1OfBytes(bytes);
    const seam = tail + text;
    const end = (isPassing ? firstEnd(seam, tail.length) : lastEnd(seam)) - tail.length;
    tail = (end > 0 && end < bytes.length && isPassing ? seam.slice(0, tail.length + end) : seam).slice(
      -SEAM,
    );
    if (end <= 0) {
      if (isPassing) out.enqueue(bytes);
      else hold(bytes, out);
      return;
    }
    if (isPassing) {
      isPassing = false;
      out.enqueue(bytes.subarray(0, end));
      if (end < bytes.length) transform(bytes.subarray(end), out);
      return;
    }
    const isWhole = size === 0 && end === bytes.length;
    if (isWhole && !failing.test(text)) {
      out.enqueue(bytes);
      return;
    }
    const events = concatBytes([...held, bytes.subarray(0, end)]);
    forget();
    out.enqueue(shown(events, reader, key));
    if (end < bytes.length) hold(bytes.subarray(end), out);
  };

  return {
    transform,
    flush(out) {
      if (size > 0) out.enqueue(shown(concatBytes(held), reader, key));
      forget();
    },
  };
}

/** The end of the last complete event; 0 if there is none. */
function lastEnd(text: string): number {
  const ends = text.lastIndexOf('\n\n') + 2;
  if (ends === text.length || !text.includes('\r')) return ends === 1 ? 0 : ends;
  return Math.max(
    ends === 1 ? 0 : ends,
    after(text.lastIndexOf('\r\n\r\n'), 4),
    after(text.lastIndexOf('\r\r'), 2),
  );
}

/** The end of the first event that ends after `from`; 0 if none does. */
function firstEnd(text: string, from: number): number {
  const ends = [
    after(text.indexOf('\n\n', Math.max(0, from - 1)), 2),
    after(text.indexOf('\r\n\r\n', Math.max(0, from - SEAM)), 4),
    after(text.indexOf('\r\r', Math.max(0, from - 1)), 2),
  ].filter((end) => end > from);
  return ends.length === 0 ? 0 : Math.min(...ends);
}

function after(at: number, length: number): number {
  return at < 0 ? 0 : at + length;
}

/** Events unchanged, except for those that report a failure. */
function shown(events: Uint8Array, reader: FailureReader, key: string): Uint8Array {
  if (!reader.marks.failing.test(latin1OfBytes(events))) return events;
  const text = textOfBytes(events);
  const redacted = text
    .split(/(?<=\n\n|\r\n\r\n|\r\r)/)
    .map((event) => withoutHidden(event, reader, key))
    .join('');
  return redacted === text ? events : bytesOfText(redacted);
}

function withoutHidden(event: string, reader: FailureReader, key: string): string {
  if (!reader.marks.failing.test(event)) return event;
  if (findFailure(bytesOfText(event), reader) === undefined) return event;
  return event.replaceAll(/^data:[^\r\n]*/gm, (line) => hiddenInJson(line, key));
}
