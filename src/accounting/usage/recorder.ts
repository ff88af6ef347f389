/**
 * Writes batches of usage to the store, one after the other, without blocking whoever adds them. While the store does
 * not accept them they wait in memory, and above a bound in files. An exchange that the store never accepts is reported
 * in full.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { count } from '../../lib/count.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { reportTrouble, type TroubleReports } from '../../store/report-trouble.ts';
import type { Store } from '../../store/store.ts';
import { getReason, isRefusal } from '../../store/store-errors.ts';
import { type Batch, splitBatch } from './batches.ts';
import type { Spool } from './spool.ts';
import { writeUsage } from './write-usage.ts';

export interface RecorderOptions extends TroubleReports {
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
  /** Called when a batch was written or dropped. */
  readonly onDone?: () => void;
}

/** The longest pause after a failure, in milliseconds. */
const MAX_PAUSE = 5_000;

/** The pause after a failure while the process is ending, in milliseconds. */
const RETRY_AT_END = 100;

/** Writes usage to one store. If the spool has batches of an earlier process, it writes them too. */
export class UsageRecorder {
  readonly #store: Store;
  readonly #options: RecorderOptions;
  readonly #spool: Spool | undefined;
  readonly #writes: ReturnType<typeof reportTrouble>;
  /** The batches that wait in memory, and the number of their records. */
  readonly #queue: Batch[] = [];
  #queued = 0;
  /** The batch that is being written. It stays first until it is written, so that nothing counts twice. */
  #current: Batch | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How often writing has failed in a row. */
  #tries = 0;
  /** The number of records that were dropped. */
  #dropped = 0;
  /** Whether it has been reported that there is too much usage. */
  #isOverfull = false;
  #isClosed = false;
  /** Whether what is not written yet has been given to the spool, for the next process. */
  #isOver = false;

  constructor(store: Store, options: RecorderOptions) {
    this.#store = store;
    this.#options = options;
    this.#spool = options.spool;
    this.#writes = reportTrouble(options);
    if (this.#spool?.isWaiting()) this.#schedule(options.interval);
  }

  /** Takes a batch. Returns at once, and never throws. */
  write(batch: Batch): void {
    if (!this.#isClosed && this.#queued < this.#options.queue) {
      this.#queue.push(batch);
      this.#queued += batch.rows.length;
      if (this.#tries === 0) this.#writeNext();
      return;
    }
    if (this.#spool?.add(batch)) return;
    this.#dropped += batch.rows.length;
    if (!this.#isOverfull)
      this.#report('Too much usage waits for the store. Further usage is lost; the metrics count it.');
    this.#isOverfull = true;
  }

  /** The number of records that were dropped so far. */
  dropped(): number {
    return this.#dropped;
  }

  /** The number of records that wait in memory. A batch in a file is not lost, whatever happens to the process. */
  waiting(): number {
    const current = this.#current;
    return this.#queued + (current === undefined || this.#spool?.has(current) ? 0 : current.rows.length);
  }

  /** Writes what waits in memory, for at most `milliseconds`. @returns how many records are lost. */
  async close(milliseconds: number): Promise<number> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // A single write may take longer than the time that is left.
    await withTimeout(this.#writeUntil(performance.now() + milliseconds), milliseconds);
    this.#isOver = true;
    return this.#spoolRest();
  }

  #report(message: string): void {
    this.#options.onTrouble?.(message);
  }

  #schedule(wait: number): void {
    this.#timer ??= setTimeout(() => this.#writeNext(), wait).unref();
  }

  /** Writes one batch, and schedules the next one. */
  #writeNext(): void {
    if (this.#writing !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#current ??= this.#next();
    if (this.#current === undefined) return;
    this.#writing = this.#tryToWrite(this.#current).then((wait) => {
      this.#writing = undefined;
      const isMore = this.#current !== undefined || this.#queue.length > 0 || this.#spool?.isWaiting();
      if (isMore && !this.#isClosed) this.#schedule(wait);
    });
  }

  #next(): Batch | undefined {
    const first = this.#queue.shift();
    this.#queued -= first?.rows.length ?? 0;
    // Files are safe while the process ends.
    return first ?? (this.#isClosed ? undefined : this.#spool?.take());
  }

  /** @returns how long to wait before the next batch, in milliseconds. */
  async #tryToWrite(batch: Batch): Promise<number> {
    try {
      await writeUsage(this.#store, batch.rows);
    } catch (error) {
      // Any other failure may pass: a lock, a restart, a full disk, a missing right.
      if (!isRefusal(error)) {
        this.#tries += 1;
        this.#writes.failed('Usage cannot be written to the store', error);
        return Math.min(MAX_PAUSE, this.#options.interval * 2 ** this.#tries);
      }
      // Its halves would be lost with this process. The next one takes the batch from its file.
      if (this.#isOver) return 0;
      this.#refuse(batch, error);
    }
    this.#spool?.remove(batch);
    this.#writes.worked('Usage can be written to the store again.');
    this.#tries = 0;
    this.#isOverfull = false;
    this.#current = undefined;
    this.#options.onDone?.();
    return 0;
  }

  /** Splits a batch that the store refuses, so that everything but the exchange at fault is written. */
  #refuse(batch: Batch, error: unknown): void {
    const halves = splitBatch(batch);
    if (halves !== undefined) {
      this.#queue.unshift(...halves);
      this.#queued += batch.rows.length;
      return;
    }
    this.#dropped += batch.rows.length;
    this.#report(
      `The store refuses the usage of an exchange: ${getReason(error)}. It is recorded only here: ${JSON.stringify(batch.rows)}`,
    );
  }

  async #writeUntil(deadline: number): Promise<void> {
    for (;;) {
      await this.#writing;
      if (this.waiting() === 0 || performance.now() >= deadline) return;
      if (this.#tries > 0) await pause(RETRY_AT_END);
      this.#writeNext();
    }
  }

  /** @returns how many of the records in memory have no room in the spool. */
  #spoolRest(): number {
    let [kept, lost] = [0, 0];
    for (const batch of this.#current === undefined ? this.#queue : [this.#current, ...this.#queue]) {
      if (this.#spool?.add(batch)) kept += batch.rows.length;
      else lost += batch.rows.length;
    }
    if (kept > 0)
      this.#report(
        `The usage of ${count(kept, 'exchange')} waits in ${this.#spool?.folder}. The next start writes it to the store.`,
      );
    return lost;
  }
}
