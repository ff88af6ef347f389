/**
 * A native answer of status 200 that is none: a stream whose first word is that there will be no answer, or a body that
 * is an error. Vendors begin a stream before they know whether the model has room for it, and then say so by an event:
 * until it is known, nothing of it goes to the caller, so that somebody else can still be asked. Where nobody can, the
 * caller has the answer as it came.
 */

import type { Outbound } from '../formats/format.ts';
import { concatBytes, latin1OfBytes, textOfBytes } from '../lib/bytes.ts';
import type { GatewayError } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { decodeSse } from '../streams/sse.ts';
import { run, type Step } from '../streams/step.ts';
import { type Unread, unread } from '../streams/unread-bytes.ts';

/** How many bytes of a stream are looked at: OpenAI says all that it was asked before it answers. */
export const WATCHED_MARK = 256 * 1024;

/** Bytes in which an event or a body says of which kind it is. */
const HEAD = 1_024;

/** No event that says so is longer, in bytes. */
const LONGEST = 16 * 1024;

/** For how long a stream is waited for that has nothing more to say, in milliseconds. */
const REST = 1_000;

const LF = 0x0a;
const CR = 0x0d;

/** The longest line breaks that end an event, in bytes: LF, CR and LF. */
const LONGEST_END = 3;

/** All of a stream that came to nothing, and why. */
export interface EarlyFailure {
  readonly bytes: Uint8Array;
  readonly error: GatewayError;
}

/** That the answer has begun, or why there will be none. */
type Verdict = 'begun' | GatewayError;

type Reader = Pick<Outbound, 'parseFailure' | 'marks'>;

/** The beginning of a native stream: a step that watches it and passes it on as it is. */
export interface Beginning extends Step<Uint8Array, Uint8Array> {
  /** Whether nothing is known of the answer as yet. */
  isOpen(): boolean;
  /**
   * Why there will be no answer; undefined where it has begun, at once as a rule.
   * @param hold milliseconds to wait for at most; what is not known by then is taken for an answer.
   */
  failure(hold: number): undefined | Promise<EarlyFailure | undefined>;
}

/** What the events of a stream say of it so far. */
interface Watched {
  /** All that has come while nothing is known, or of a failure. */
  readonly pieces: Uint8Array[];
  /** Bytes of an event that is not all there. */
  readonly open: Unread;
  size: number;
  verdict: Verdict | undefined;
  isOver: boolean;
  /** Called with every change. */
  onChange: (() => void) | undefined;
}

/** Watches what a stream begins with. */
export function watchBeginning(reader: Reader): Beginning {
  const watched: Watched = {
    pieces: [],
    open: unread(),
    size: 0,
    verdict: undefined,
    isOver: false,
    onChange: undefined,
  };
  return {
    transform(piece, out) {
      out.enqueue(piece);
      if (watched.verdict === 'begun') return;
      watched.pieces.push(piece);
      if (watched.verdict === undefined) watched.verdict = read(piece, watched, reader);
      if (watched.verdict === 'begun') watched.pieces.length = 0;
      watched.onChange?.();
    },
    flush() {
      watched.isOver = true;
      watched.onChange?.();
    },
    isOpen: () => watched.verdict === undefined && !watched.isOver,
    failure: (hold) => (watched.verdict === 'begun' ? undefined : waitFor(watched, hold)),
  };
}

async function waitFor(watched: Watched, hold: number): Promise<EarlyFailure | undefined> {
  await until(watched, ({ verdict, isOver }) => isOver || verdict !== undefined, hold);
  const { verdict } = watched;
  // From here on the stream is the caller's, whatever it says.
  if (verdict === undefined || verdict === 'begun') {
    watched.verdict = 'begun';
    return undefined;
  }
  await until(watched, ({ isOver }) => isOver, REST);
  return { bytes: concatBytes(watched.pieces), error: verdict };
}

/** Resolves once it is so, or after `milliseconds`. */
async function until(
  watched: Watched,
  isSo: (watched: Watched) => boolean,
  milliseconds: number,
): Promise<void> {
  if (isSo(watched)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  watched.onChange = () => {
    if (isSo(watched)) resolve();
  };
  await withTimeout(promise, milliseconds);
}

/** Reads on until an event says how the answer begins. What was looked through for an event's end is not again. */
function read(piece: Uint8Array, watched: Watched, reader: Reader): Verdict | undefined {
  const looked = Math.max(0, watched.open.size() + 1 - LONGEST_END);
  const bytes = watched.open.add(piece);
  let start = 0;
  // A piece without the end of a line ends no event.
  for (let end = piece.includes(LF) ? eventEnd(bytes, looked) : undefined; end !== undefined; ) {
    const verdict = verdictOn(bytes.subarray(start, end), reader);
    if (verdict !== undefined) return verdict;
    start = end;
    end = eventEnd(bytes, start);
  }
  const open = bytes.subarray(start);
  watched.size += piece.byteLength;
  const isTooLong = open.length > LONGEST && !isPreamble(headOf(open), reader);
  if (isTooLong || watched.size >= WATCHED_MARK) return 'begun';
  watched.open.take(start);
  return undefined;
}

/** Where an event ends at or after `from`, behind its empty line; undefined where that has not come. */
function eventEnd(bytes: Uint8Array, from: number): number | undefined {
  for (let line = bytes.indexOf(LF, from); line >= 0; line = bytes.indexOf(LF, line + 1)) {
    if (bytes[line + 1] === LF) return line + 2;
    if (bytes[line + 1] === CR && bytes[line + 2] === LF) return line + 3;
  }
  return undefined;
}

function verdictOn(event: Uint8Array, reader: Reader): Verdict | undefined {
  const { parseFailure, marks } = reader;
  const head = headOf(event);
  if (marks.failing.test(head)) {
    const [said] = run(decodeSse(), [event]);
    const error = said && parseFailure(said);
    if (error !== undefined) return error;
  }
  return isPreamble(head, reader) ? undefined : 'begun';
}

const headOf = (event: Uint8Array): string => latin1OfBytes(event, 0, Math.min(HEAD, event.byteLength));

/** Whether an event is none of the answer: one that vendors say before it, or a comment. */
function isPreamble(head: string, { marks }: Reader): boolean {
  return marks.preamble?.test(head) === true || !head.includes('data:');
}

/** Why a whole answer of status 200 is none, where it says so. */
export function failureInBody(body: Uint8Array, { parseFailure, marks }: Reader): GatewayError | undefined {
  return marks.failing.test(headOf(body)) ? parseFailure({ data: textOfBytes(body) }) : undefined;
}
