/**
 * A native answer of status 200 that is none: a stream whose first word is that there will be no answer, or a body that
 * is an error. Vendors begin a stream before they know whether the model has room for it, and then say so by an event:
 * until it is known, nothing of it goes to the caller, so that somebody else can still be asked. Where nobody can, the
 * caller has the answer as it came.
 */

import type { Outbound } from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { decodeSse } from '../streams/sse.ts';
import { run } from '../streams/step.ts';
import { type Unread, unread } from '../streams/unread-bytes.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { type HeldBody, WATCHED_MARK } from '../upstream/relay.ts';

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
  readonly bytes: Buffer;
  readonly error: GatewayError;
}

/** What the events of a stream say of it so far. */
interface Beginning {
  /** Of an event that is not all there. */
  readonly open: Unread;
  /** Bytes so far. */
  size: number;
  verdict: Verdict | undefined;
  isOver: boolean;
  /** Called with every change. */
  onChange: (() => void) | undefined;
}

/** That the answer has begun, or why there will be none. */
type Verdict = 'begun' | GatewayError;

type Reader = Pick<Outbound, 'parseFailure' | 'marks'>;

/**
 * Looks at what a body begins with; undefined where its answer has begun, at once as a rule: then it is still to be taken.
 * @param hold milliseconds that it is waited for at most.
 */
export function failureInStream(
  body: HeldBody,
  reader: Reader,
  hold: number,
): undefined | Promise<EarlyFailure | undefined> {
  const beginning: Beginning = {
    open: unread(),
    size: 0,
    verdict: undefined,
    isOver: false,
    onChange: undefined,
  };
  body.watch((piece) => {
    if (piece === undefined) beginning.isOver = true;
    else if (beginning.verdict === undefined) read(piece, beginning, reader);
    beginning.onChange?.();
  });
  return beginning.verdict === 'begun' ? undefined : waitedFor(beginning, body, hold);
}

async function waitedFor(
  beginning: Beginning,
  body: HeldBody,
  hold: number,
): Promise<EarlyFailure | undefined> {
  await until(beginning, ({ verdict, isOver }) => isOver || verdict !== undefined, hold);
  const { verdict } = beginning;
  if (verdict === undefined || verdict === 'begun') return undefined;
  await until(beginning, ({ isOver }) => isOver, REST);
  // What is cancelled holds nothing any more.
  const bytes = body.held();
  if (!beginning.isOver) body.cancel();
  return { bytes, error: verdict };
}

/** Resolves once it is so, or after `milliseconds`. */
async function until(
  beginning: Beginning,
  isSo: (beginning: Beginning) => boolean,
  milliseconds: number,
): Promise<void> {
  if (isSo(beginning)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  beginning.onChange = () => {
    if (isSo(beginning)) resolve();
  };
  await withTimeout(promise, milliseconds);
}

/** Reads on until an event says how the answer begins. What was looked through for an event's end is not again. */
function read(piece: Uint8Array, beginning: Beginning, reader: Reader): void {
  const looked = Math.max(0, beginning.open.size() + 1 - LONGEST_END);
  const bytes = beginning.open.add(piece);
  let start = 0;
  // A piece without the end of a line ends no event.
  for (let end = piece.includes(LF) ? eventEnd(bytes, looked) : undefined; end !== undefined; ) {
    beginning.verdict = verdictOn(bytes.subarray(start, end), reader);
    if (beginning.verdict !== undefined) return;
    start = end;
    end = eventEnd(bytes, start);
  }
  const open = bytes.subarray(start);
  beginning.size += piece.byteLength;
  const isTooLong = open.length > LONGEST && !isPreamble(headOf(open), reader);
  if (isTooLong || beginning.size >= WATCHED_MARK) beginning.verdict = 'begun';
  beginning.open.take(start);
}

/** Where an event ends at or after `from`, behind its empty line; undefined where that has not come. */
function eventEnd(bytes: Buffer, from: number): number | undefined {
  for (let line = bytes.indexOf(LF, from); line >= 0; line = bytes.indexOf(LF, line + 1)) {
    if (bytes[line + 1] === LF) return line + 2;
    if (bytes[line + 1] === CR && bytes[line + 2] === LF) return line + 3;
  }
  return undefined;
}

function verdictOn(event: Buffer, reader: Reader): Verdict | undefined {
  const { parseFailure, marks } = reader;
  const head = headOf(event);
  if (marks.failing.test(head)) {
    const [said] = run(decodeSse(), [event]);
    const error = said && parseFailure(said);
    if (error !== undefined) return error;
  }
  return isPreamble(head, reader) ? undefined : 'begun';
}

const headOf = (event: Buffer): string => event.toString('latin1', 0, HEAD);

/** Whether an event is none of the answer: one that vendors say before it, or a comment. */
function isPreamble(head: string, { marks }: Reader): boolean {
  return marks.preamble?.test(head) === true || !head.includes('data:');
}

/** Why a whole answer of status 200 is none, where it says so. */
export function failureInBody(body: Uint8Array, { parseFailure, marks }: Reader): GatewayError | undefined {
  const bytes = toBuffer(body);
  return marks.failing.test(bytes.toString('latin1', 0, HEAD))
    ? parseFailure({ data: bytes.toString('utf8') })
    : undefined;
}
