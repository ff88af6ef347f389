/**
 * Writes batches of what exchanges took, one after the other, and never in the way of what comes next. What the store
 * does not take now waits in memory, and beyond a bound in files. What the store takes never is told whole.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Store } from '../../store/store.ts';
import { isRefusal, reasonOf } from '../../store/store-errors.ts';
import { type Batch, halvesOf } from './batches.ts';
import type { Spool } from './spool.ts';
import { writeUsage } from './write-usage.ts';

export interface RecorderOptions {
  /** Milliseconds: the first pause after a failure is twice as long. */
  readonly interval: number;
  /** Records that may wait in memory: where there are as many, a batch that comes goes to the spool. */
  readonly queue: number;
  /** Takes what memory does not hold, and at the end what is not written; where it has no room, a batch is dropped. */
  readonly spool?: Spool;
  /** Told when records cannot be written, once, and when some are lost. */
  readonly onTrouble?: (message: string) => void;
  /** Told when they can be written again. */
  readonly onRecovered?: (message: string) => void;
  /** Called when a batch was written, or was dropped. */
  readonly onDone?: () => void;
}

export interface UsageRecorder {
  /** Returns at once, and never throws. */
  readonly write: (batch: Batch) => void;
  /** Records that were dropped so far. */
  dropped(): number;
  /** Records that wait in memory to be written. */
  waiting(): number;
  /** Writes what waits in memory, for at most `milliseconds`. @returns how many records are lost. */
  close(milliseconds: number): Promise<number>;
}

/** The longest pause after a failure, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/** The pause after a failure while the process waits for its end, in milliseconds. */
const RETRY_AT_END = 100;

export function recordUsage(store: Store, options: RecorderOptions): UsageRecorder {
  const {
    interval,
    queue: limit,
    spool,
    onTrouble = () => {},
    onRecovered = () => {},
    onDone = () => {},
  } = options;
  const queue: Batch[] = [];
  let queued = 0;
  /** What is being written: the first of all until it is, so that nothing is counted twice. */
  let current: Batch | undefined;
  let tries = 0;
  let dropped = 0;
  let isOverfull = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  if (spool?.isWaiting()) timer = setTimeout(writeNext, interval).unref();

  /** What is in a file is no loss, whatever becomes of the process. */
  function waiting(): number {
    return queued + (current === undefined || spool?.has(current) ? 0 : current.count);
  }

  /** Writes one batch; the end of it says when the next one goes. */
  function writeNext(): void {
    if (writing !== undefined) return;
    clearTimeout(timer);
    timer = undefined;
    current ??= next();
    if (current === undefined) return;
    writing = tryToWrite(current).then((wait) => {
      writing = undefined;
      const isMore = current !== undefined || queue.length > 0 || spool?.isWaiting();
      if (isMore && !closed) timer ??= setTimeout(writeNext, wait).unref();
    });
  }

  function next(): Batch | undefined {
    const first = queue.shift();
    queued -= first?.count ?? 0;
    // What is in a file is safe there while the process ends.
    return first ?? (closed ? undefined : spool?.take());
  }

  /** @returns how long to wait before the next one, in milliseconds. */
  async function tryToWrite(batch: Batch): Promise<number> {
    try {
      await writeUsage(store, batch.name, batch.rows, batch);
    } catch (error) {
      // Whatever it is, it may pass: a lock, a restart, a full disk, a right that was taken away.
      if (!isRefusal(error)) {
        tries += 1;
        if (tries === 1) onTrouble(`Usage cannot be written to the store: ${reasonOf(error)}`);
        return Math.min(LONGEST_PAUSE, interval * 2 ** tries);
      }
      refuse(batch, error);
    }
    spool?.remove(batch);
    if (tries > 0) onRecovered('Usage can be written to the store again.');
    tries = 0;
    isOverfull = false;
    current = undefined;
    onDone();
    return 0;
  }

  /** Of a batch that the store refuses, all but the exchange at fault is written: each half goes for itself. */
  function refuse(batch: Batch, error: unknown): void {
    const halves = halvesOf(batch);
    if (halves !== undefined) {
      queue.unshift(...halves);
      queued += batch.count;
      return;
    }
    dropped += batch.count;
    onTrouble(
      `The store refuses the usage of an exchange: ${reasonOf(error)}. It is lost but here: ${batch.rows}`,
    );
  }

  async function writeUntil(deadline: number): Promise<void> {
    for (;;) {
      await writing;
      if (waiting() === 0 || performance.now() >= deadline) return;
      if (tries > 0) await pause(RETRY_AT_END);
      writeNext();
    }
  }

  /** @returns how many records of what waits in memory have no room in the spool. */
  function spoolRest(): number {
    let [kept, lost] = [0, 0];
    for (const batch of current === undefined ? queue : [current, ...queue]) {
      if (spool?.add(batch)) kept += batch.count;
      else lost += batch.count;
    }
    if (kept > 0)
      onTrouble(
        `The usage of ${kept} exchanges waits in ${spool?.folder}: the next start writes it to the store.`,
      );
    return lost;
  }

  return {
    write(batch) {
      if (!closed && queued < limit) {
        queue.push(batch);
        queued += batch.count;
        if (tries === 0) writeNext();
        return;
      }
      if (spool?.add(batch)) return;
      dropped += batch.count;
      if (!isOverfull)
        onTrouble('More usage waits for the store than may: what comes now is lost, and counted.');
      isOverfull = true;
    },
    dropped: () => dropped,
    waiting,
    async close(milliseconds) {
      closed = true;
      clearTimeout(timer);
      // A write may itself take longer than there is time.
      await withTimeout(writeUntil(performance.now() + milliseconds), milliseconds);
      return spoolRest();
    },
  };
}
