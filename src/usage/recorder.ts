/**
 * Writes batches of what exchanges took, one after the other, and never in the way of what comes next. What the store
 * does not take waits in memory, up to a bound.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isReachable, isShort, reasonOf, type Store } from '../store/store.ts';
import { within } from '../streams/within.ts';
import type { Batch } from './batches.ts';
import { writeUsage } from './write-usage.ts';

export interface RecorderOptions {
  /** Milliseconds: the first pause after a failure is twice as long. */
  readonly interval: number;
  /** Records that may wait: where there are as many, a batch that comes is dropped, and counted. */
  readonly queue: number;
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
  /** Records that wait to be written. */
  waiting(): number;
  /** Writes what waits, for at most `milliseconds`. @returns how many records are lost. */
  close(milliseconds: number): Promise<number>;
}

/** A batch that has failed so often, while the store answers and is short of nothing, is at fault itself. */
const MAX_TRIES = 3;

/** The longest pause after a failure, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/** The pause after a failure while the process waits for its end, in milliseconds. */
const RETRY_AT_END = 100;

export function recordUsage(store: Store, options: RecorderOptions): UsageRecorder {
  const { interval, queue: limit, onTrouble = () => {}, onRecovered = () => {}, onDone = () => {} } = options;
  const queue: Batch[] = [];
  let queued = 0;
  /** What is being written: the first of all until it is, so that nothing is counted twice. */
  let current: Batch | undefined;
  let tries = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  const waiting = (): number => queued + (current?.count ?? 0);

  /** Writes one batch; the end of it says when the next one goes. */
  function writeNext(): void {
    if (writing !== undefined) return;
    clearTimeout(timer);
    timer = undefined;
    current ??= next();
    if (current === undefined) return;
    writing = tryToWrite(current).then((wait) => {
      writing = undefined;
      if (waiting() > 0) timer ??= setTimeout(writeNext, wait).unref();
    });
  }

  function next(): Batch | undefined {
    const first = queue.shift();
    queued -= first?.count ?? 0;
    return first;
  }

  /** @returns how long to wait before the next one, in milliseconds. */
  async function tryToWrite(batch: Batch): Promise<number> {
    const { name, rows, count } = batch;
    try {
      await writeUsage(store, name, rows, batch);
      if (tries > 0) onRecovered('Usage can be written to the store again.');
    } catch (error) {
      tries += 1;
      if (tries === 1) onTrouble(`Usage cannot be written to the store: ${reasonOf(error)}`);
      if (tries < MAX_TRIES || isShort(error) || !(await isReachable(store)))
        return Math.min(LONGEST_PAUSE, interval * 2 ** tries);
      dropped += count;
      onTrouble(`The usage of ${count} exchanges is lost, because the store refuses it: ${reasonOf(error)}`);
    }
    tries = 0;
    current = undefined;
    onDone();
    return 0;
  }

  async function writeUntil(deadline: number): Promise<void> {
    for (;;) {
      await writing;
      if (waiting() === 0 || performance.now() >= deadline) return;
      if (tries > 0) await pause(RETRY_AT_END);
      writeNext();
    }
  }

  return {
    write(batch) {
      if (closed || queued >= limit) {
        dropped += batch.count;
        return;
      }
      queue.push(batch);
      queued += batch.count;
      if (tries === 0) writeNext();
    },
    dropped: () => dropped,
    waiting,
    async close(milliseconds) {
      closed = true;
      // A write may itself take longer than there is time.
      await within(writeUntil(performance.now() + milliseconds), milliseconds);
      clearTimeout(timer);
      return waiting();
    },
  };
}
