/**
 * A native stream of events byte for byte, but for what its failures say that no caller should read. Pieces of whole
 * events that speak of no failure pass at once. An event that is cut is held until all of it is there, unless it is a
 * long one of an answer.
 */

import type { Outbound } from '../formats/format.ts';
import { bytesOfText, concatBytes, latin1OfBytes, textOfBytes } from '../lib/bytes.ts';
import { decodeSse } from '../streams/sse.ts';
import { run, type Sink, type Step } from '../streams/step.ts';
import { hiddenInJson } from '../upstream/redact.ts';

type Reader = Pick<Outbound, 'parseFailure' | 'marks'>;

/** Bytes in which an event says of which kind it is. */
const HEAD = 1_024;

/** How much of an event is held, in bytes; and of one that may tell a failure, which may have a whole request in it. */
const MOST_HELD = 16 * 1_024;
const MOST_OF_FAILURE = 1_024 * 1_024;

/** An event whose data begins with something else than white space, an object or a list. */
const NO_JSON = /^(?:(?:event|id|retry):[^\r\n]*[\r\n]+)*data:\s*[^\s{[]/;

const COLON = 0x3a;
const LF = 0x0a;

/** As many bytes of what came before may belong to the line breaks that end an event. */
const SEAM = 3;

/** @param key the vendor's, which is hidden wherever it stands. */
export function hideInFailures(reader: Reader, key: string): Step<Uint8Array, Uint8Array> {
  const { failing } = reader.marks;
  /** What has come of an event that is not all there. */
  let held: Uint8Array[] = [];
  let size = 0;
  /** Whether its beginning speaks of a failure, once that has been asked. */
  let mayFail: boolean | undefined;
  /** Whether the rest of an event passes that is too long to be held. */
  let isPassing = false;
  /** The last bytes of all, as latin1. */
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
    // Every failure is told by JSON: data that begins otherwise need not wait for its end.
    if (!NO_JSON.test(head)) {
      if (size <= MOST_HELD) return;
      mayFail ??= failing.test(head);
      if (mayFail && size <= MOST_OF_FAILURE) return;
    }
    for (const each of held) out.enqueue(each);
    forget();
    isPassing = true;
  };
  /** A comment says that somebody is there, and has to say it at once. */
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

/** Where the last event ends that does; 0 where none does. */
function lastEnd(text: string): number {
  const ends = text.lastIndexOf('\n\n') + 2;
  if (ends === text.length || !text.includes('\r')) return ends === 1 ? 0 : ends;
  return Math.max(
    ends === 1 ? 0 : ends,
    after(text.lastIndexOf('\r\n\r\n'), 4),
    after(text.lastIndexOf('\r\r'), 2),
  );
}

/** Where the first event ends that does so behind `from`; 0 where none does. */
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

/** Events as they are, but for those that tell a failure. */
function shown(events: Uint8Array, reader: Reader, key: string): Uint8Array {
  if (!reader.marks.failing.test(latin1OfBytes(events))) return events;
  const text = textOfBytes(events);
  const told = text
    .split(/(?<=\n\n|\r\n\r\n|\r\r)/)
    .map((event) => withoutHidden(event, reader, key))
    .join('');
  return told === text ? events : bytesOfText(told);
}

function withoutHidden(event: string, { parseFailure, marks }: Reader, key: string): string {
  if (!marks.failing.test(event)) return event;
  const isFailure = run(decodeSse(), [bytesOfText(event)]).some((said) => parseFailure(said) !== undefined);
  if (!isFailure) return event;
  return event.replaceAll(/^data:[^\r\n]*/gm, (line) => hiddenInJson(line, key));
}
