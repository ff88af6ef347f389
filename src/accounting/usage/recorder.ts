/**
 * Writes batches of usage to the store, one after the other, without blocking whoever adds them. While the store does
 * not accept them they wait in memory, and above a bound in files. An exchange that the store never accepts is reported
 * in full.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Store } from '../../store/store.ts';
import { getReason, isRefusal } from '../../store/store-errors.ts';
import { type Batch, splitBatch } from './batches.ts';
import type { Spool } from './spool.ts';
import { writeUsage } from './write-usage.ts';

export interface RecorderOptions {
  /** Milliseconds. The first pause after a failure is twice as long. */
  readonly interval: number;
  /** The most records that may wait in memory; further batches go to the spool. */
  readonly queue: number;
  /**
   * Takes batches for which memory has no room, and at the end those that were not written. A batch for which it has no
   * room is dropped.
   */
  readonly spool?: Spool;
  /** Called once when records cannot be written, and when some are lost. */
  readonly onTrouble?: (message: string) => void;
  /** Called when records can be written again. */
  readonly onRecovered?: (message: string) => void;
  /** Called when a batch was written or dropped. */
  readonly onDone?: () => void;
}

export interface UsageRecorder {
  /** Takes a batch. Returns at once, and never throws. */
  readonly write: (batch: Batch) => void;
  /** The number of records that were dropped so far. */
  dropped(): number;
  /** The number of records that wait in memory. */
  waiting(): number;
  /** Writes what waits in memory, for at most `milliseconds`. @returns how many records are lost. */
  close(milliseconds: number): Promise<number>;
}

/** The longest pause after a failure, in milliseconds. */
const MAX_PAUSE = 5_000;

/** The pause after a failure while the process is ending, in milliseconds. */
const RETRY_AT_END = 100;

/** Opens the recorder. If the spool has batches of an earlier process, it writes them too. */
export function openUsageRecorder(store: Store, options: RecorderOptions): UsageRecorder {
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
  /** The batch that is being written. It stays first until it is written, so that nothing counts twice. */
  let current: Batch | undefined;
  let tries = 0;
  let dropped = 0;
  let isOverfull = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;
  /** Whether what is not written yet has been given to the spool, for the next process. */
  let isOver = false;

  if (spool?.isWaiting()) timer = setTimeout(writeNext, interval).unref();

  /** A batch in a file is not lost, whatever happens to the process. */
  function waiting(): number {
    return queued + (current === undefined || spool?.has(current) ? 0 : current.rows.length);
  }

  /** Writes one batch, and schedules the next one. */
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
    queued -= first?.rows.length ?? 0;
    // Files are safe while the process ends.
    return first ?? (closed ? undefined : spool?.take());
  }

  /** @returns how long to wait before the next batch, in milliseconds. */
  async function tryToWrite(batch: Batch): Promise<number> {
    try {
      await writeUsage(store, batch.rows);
    } catch (error) {
      // Any other failure may pass: a lock, a restart, a full disk, a missing right.
      if (!isRefusal(error)) {
        tries += 1;
        if (tries === 1) onTrouble(`Usage cannot be written to the store: ${getReason(error)}`);
        return Math.min(MAX_PAUSE, interval * 2 ** tries);
      }
      // Its halves would be lost with this process. The next one takes the batch from its file.
      if (isOver) return 0;
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

  /** Splits a batch that the store refuses, so that everything but the exchange at fault is written. */
  function refuse(batch: Batch, error: unknown): void {
    const halves = splitBatch(batch);
    if (halves !== undefined) {
      queue.unshift(...halves);
      queued += batch.rows.length;
      return;
    }
    dropped += batch.rows.length;
    onTrouble(
      `The store refuses the usage of an exchange: ${getReason(error)}. It is recorded only here: ${JSON.stringify(batch.rows)}`,
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

  /** @returns how many of the records in memory have no room in the spool. */
  function spoolRest(): number {
    let [kept, lost] = [0, 0];
    for (const batch of current === undefined ? queue : [current, ...queue]) {
      if (spool?.add(batch)) kept += batch.rows.length;
      else lost += batch.rows.length;
    }
    if (kept > 0)
      onTrouble(
        `The usage of ${kept} exchanges waits in ${spool?.folder}. The next start writes it to the store.`,
      );
    return lost;
  }

  return {
    write(batch) {
      if (!closed && queued < limit) {
        queue.push(batch);
        queued += batch.rows.length;
        if (tries === 0) writeNext();
        return;
      }
      if (spool?.add(batch)) return;
      dropped += batch.rows.length;
      if (!isOverfull)
        onTrouble('Too much usage waits for the store. Further usage is lost; the metrics count it.');
      isOverfull = true;
    },
    dropped: () => dropped,
    waiting,
    async close(milliseconds) {
      closed = true;
      clearTimeout(timer);
      // A single write may take longer than the time that is left.
      await withTimeout(writeUntil(performance.now() + milliseconds), milliseconds);
      isOver = true;
      return spoolRest();
    },
  };
}
