/**
 * Passes a native event stream on byte for byte, except for secrets in what its failures say. Pieces that hold whole
 * events and no failure pass at once. An incomplete event is held until it is complete, unless it is a long one of an
 * answer.
 */

import { bytesOfText, concatBytes, LF, latin1OfBytes, textOfBytes } from '../lib/bytes.ts';
import { eventEndSearch, eventEnds } from '../streams/event-ends.ts';
import type { Sink, Step } from '../streams/step.ts';
import { type FailureReader, findFailure, HEAD } from '../translate/find-failure.ts';
import { hiddenInJson } from '../upstream/redact.ts';

/**
 * How much of an event is held, in bytes. The second figure is for an event that may report a failure, which may repeat
 * a whole request.
 */
const MOST_HELD = 16 * 1_024;
const MOST_OF_FAILURE = 1_024 * 1_024;

/** Matches an event whose data begins with something other than white space, an object or a list. */
const NO_JSON = /^(?:(?:event|id|retry):[^\r\n]*[\r\n]+)*data:\s*[^\s{[]/;

const COLON = 0x3a;

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
  const ends = eventEnds();
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
    const end = isPassing ? ends.first(bytes) : ends.last(bytes);
    if (isPassing) {
      isPassing = end < 0;
      const passed = end < 0 ? bytes : bytes.subarray(0, end);
      ends.pass(passed);
      out.enqueue(passed);
      if (passed.length < bytes.length) transform(bytes.subarray(end), out);
      return;
    }
    ends.pass(bytes);
    if (end < 0) {
      hold(bytes, out);
      return;
    }
    const isWhole = size === 0 && end === bytes.length;
    if (isWhole && !failing.test(latin1OfBytes(bytes))) {
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

/** Events unchanged, except for those that report a failure. */
function shown(events: Uint8Array, reader: FailureReader, key: string): Uint8Array {
  if (!reader.marks.failing.test(latin1OfBytes(events))) return events;
  const search = eventEndSearch(events);
  const made: Uint8Array[] = [];
  for (let start = 0; start < events.length; ) {
    const found = search(start);
    const end = found < 0 ? events.length : found;
    made.push(withoutHidden(events.subarray(start, end), reader, key));
    start = end;
  }
  return concatBytes(made);
}

function withoutHidden(event: Uint8Array, reader: FailureReader, key: string): Uint8Array {
  if (!reader.marks.failing.test(latin1OfBytes(event))) return event;
  if (findFailure(event, reader) === undefined) return event;
  const text = textOfBytes(event);
  const shown = text.replaceAll(/^data:[^\r\n]*/gm, (line) => hiddenInJson(line, key));
  return shown === text ? event : bytesOfText(shown);
}
