/**
 * A native answer of status 200 that is a failure: a stream that begins with an error, or a body that is one. Vendors
 * start a stream before they know whether the model has capacity, and then report the failure as an event. Until it is
 * known whether the answer has begun, none of it goes to the caller, so that another upstream can still be asked. If
 * none can answer, the caller gets the failure as it came.
 */

import { concatBytes, latin1OfBytes, textOfBytes } from '../../lib/bytes.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { eventEndSearch } from '../../streams/event-ends.ts';
import { decodeSse } from '../../streams/sse.ts';
import { run } from '../../streams/step.ts';
import { UnreadBytes } from '../../streams/unread-bytes.ts';
import { type FailureReader, findFailure, HEAD } from '../../translate/find-failure.ts';

/** How many bytes of a stream are examined. OpenAI repeats the whole request before it answers. */
export const WATCHED_MARK = 256 * 1024;

/** The longest event that can report a failure, in bytes. */
const MAX_EVENT_LENGTH = 16 * 1024;

/** How long to wait for the end of a failed stream that sends nothing more, in milliseconds. */
const REST = 1_000;

/** All bytes of a stream that failed, and why it failed. */
export interface EarlyFailure {
  readonly bytes: Uint8Array;
  readonly error: GatewayError;
}

/** The answer has begun, or the error why there will be none. */
type Verdict = 'begun' | GatewayError;

/** Watches the beginning of a native stream. */
export class Beginning {
  readonly #reader: FailureReader;
  /** All that has come while nothing is known, or of a failure. Absent once the answer has begun. */
  #pieces: Uint8Array[] | undefined = [];
  /** The bytes of an event that is not complete. Absent once the answer has begun. */
  #open: UnreadBytes | undefined = new UnreadBytes();
  #size = 0;
  #verdict: Verdict | undefined;
  #isOver = false;
  /** Called after every change. */
  #onChange: (() => void) | undefined;

  /** @param reader finds failures in the vendor's format. */
  constructor(reader: FailureReader) {
    this.#reader = reader;
  }

  /** Sees the next bytes, which somebody else passes on. */
  watch(piece: Uint8Array): void {
    if (this.#verdict === 'begun') return;
    this.#pieces?.push(piece);
    if (this.#open !== undefined) this.#verdict ??= this.#read(piece, this.#open);
    if (this.#verdict === 'begun') this.#forget();
    this.#onChange?.();
  }

  end(): void {
    // A last event may have no empty line, and an error outside of any event has none.
    if (this.#open !== undefined) this.#verdict ??= verdictOn(this.#open.bytes(), this.#reader);
    this.#isOver = true;
    this.#onChange?.();
  }

  /** Whether it is not known yet if the answer has begun. */
  isOpen(): boolean {
    return this.#verdict === undefined && !this.#isOver;
  }

  /**
   * Waits until it is known whether the answer has begun. The result is usually undefined at once: it has begun.
   * @param hold the most milliseconds to wait. If nothing is known by then, the answer counts as begun.
   * @returns why there will be no answer, or undefined if it has begun.
   */
  failure(hold: number): undefined | Promise<EarlyFailure | undefined> {
    return this.#verdict === 'begun' ? undefined : this.#waitForFailure(hold);
  }

  async #waitForFailure(hold: number): Promise<EarlyFailure | undefined> {
    await this.#until(() => !this.isOpen(), hold);
    const error = this.#verdict;
    // From here on the stream is the caller's, whatever it contains.
    if (error === undefined || error === 'begun') {
      this.#verdict = 'begun';
      this.#forget();
      return undefined;
    }
    await this.#until(() => this.#isOver, REST);
    const bytes = concatBytes(this.#pieces ?? []);
    return { bytes, error: error.isUnexplained ? (findFailure(bytes, this.#reader) ?? error) : error };
  }

  /** Resolves as soon as the condition holds, or after `milliseconds`. */
  async #until(isSo: () => boolean, milliseconds: number): Promise<void> {
    if (isSo()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onChange = () => {
      if (isSo()) resolve();
    };
    await withTimeout(promise, milliseconds);
    this.#onChange = undefined;
  }

  /**
   * Reads on until an event shows how the answer begins. Bytes that were searched for the end of an event are not
   * searched again.
   */
  #read(piece: Uint8Array, held: UnreadBytes): Verdict | undefined {
    const reader = this.#reader;
    const looked = held.size();
    const bytes = held.add(piece);
    const search = eventEndSearch(bytes);
    let start = 0;
    for (let end = search(looked); end >= 0; end = search(end)) {
      const verdict = verdictOn(bytes.subarray(start, end), reader);
      if (verdict !== undefined) return verdict;
      start = end;
    }
    const open = bytes.subarray(start);
    this.#size += piece.byteLength;
    const isTooLong = open.length > MAX_EVENT_LENGTH && !isPreamble(decodeHead(open), reader);
    if (isTooLong || this.#size >= WATCHED_MARK) return 'begun';
    held.take(start);
    return undefined;
  }

  #forget(): void {
    this.#pieces = undefined;
    this.#open = undefined;
  }
}

function verdictOn(event: Uint8Array, reader: FailureReader): Verdict | undefined {
  const { parseFailure, marks } = reader;
  const head = decodeHead(event);
  if (marks.failing.test(head)) {
    const [said] = run(decodeSse(), [event]);
    const error = said && parseFailure(said);
    if (error !== undefined) return error;
  }
  return isPreamble(head, reader) ? undefined : 'begun';
}

const decodeHead = (event: Uint8Array): string => latin1OfBytes(event, 0, Math.min(HEAD, event.byteLength));

/** Whether an event is not part of the answer: a comment, or an event that vendors send before the answer. */
function isPreamble(head: string, { marks }: FailureReader): boolean {
  return marks.preamble?.test(head) === true || !head.includes('data:');
}

/** Finds the failure in a non-streaming answer of status 200; undefined if the answer is not a failure. */
export function failureInBody(
  body: Uint8Array,
  { parseFailure, marks }: FailureReader,
): GatewayError | undefined {
  return marks.failing.test(decodeHead(body)) ? parseFailure({ data: textOfBytes(body) }) : undefined;
}
