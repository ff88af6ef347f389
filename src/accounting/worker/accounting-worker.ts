/**
 * The request path's side of the accounting: collects the records of exchanges for a moment, and posts them together to
 * a thread. The thread writes what has to be written. Charges and log lines come back from it and are passed on.
 */

import type { Consumption } from '../../access/limits/consumption.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { type ThreadPort, WorkerThread } from '../../store/threads/worker-thread.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import { type CounterFigures, NO_FIGURES } from '../metrics/counter-figures.ts';
import type { ClosedLedger } from '../usage/closed-ledger.ts';
import type {
  AccountingOptions,
  BatchResult,
  WorkerAnswer,
  WorkerRequest,
  WriteProgress,
} from './accounting.ts';
import { type PostedRecord, packRecord } from './records.ts';

/** Called with what the thread answers. The reports are about the store, and about the thread itself. */
export interface Readers extends Pick<Diagnostics, 'info' | 'problem'> {
  /** Receives what a key has used. */
  readonly charge: (consumption: Consumption) => void;
  /** Receives lines of the access log, in UTF-8. */
  readonly log?: (lines: Buffer) => void;
}

/** Someone who waits until a record has been charged. */
interface Awaited {
  /** The number of records up to that one. */
  readonly upTo: number;
  readonly charged: () => void;
}

/** Milliseconds for which records are collected. A crash may lose them, and those that the thread has not written yet. */
const DELAY = 20;

/** Bytes of bodies among the collected records above which they are posted at once. */
const FULL = 512 * 1024;

/** Milliseconds that the thread gets beyond its deadline at the end, to spool what it could not write. */
const SPOOL_TIME = 2_000;

/** Milliseconds that figures may take. */
const FIGURES_TIMEOUT = 2_000;

const NOTHING_YET: WriteProgress = { open: 0, dropped: 0 };

export class AccountingWorker {
  #options: AccountingOptions;
  readonly #readers: Readers;
  readonly #thread: WorkerThread;
  #port: ThreadPort<WorkerAnswer> | undefined;
  #collected: PostedRecord[] = [];
  #collectedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Records that were posted, and are not answered yet. */
  #outstanding = 0;
  /** Records that were taken so far, and that were answered; records are answered in the order in which they were taken. */
  #taken = 0;
  #answered = 0;
  readonly #awaited: Awaited[] = [];
  /** The progress of the present thread. */
  #written = NOTHING_YET;
  #lost = 0;
  /** The last known figures. */
  #figures = NO_FIGURES;
  /** Those who wait for figures; the thread answers in order. */
  #asking: ((figures: CounterFigures) => void)[] = [];
  #isClosing = false;

  /**
   * @param options `queue` also bounds how many records may wait for the thread.
   * @param thread may have the store's file open too.
   */
  constructor(options: AccountingOptions, readers: Readers, thread = new WorkerThread()) {
    this.#options = options;
    this.#readers = readers;
    this.#thread = thread;
    this.#port = this.#begin();
  }

  /**
   * Takes the record of an exchange that is over. Returns at once and does not throw.
   * @param charged called once its cost has been charged.
   */
  record(closed: ClosedLedger, charged?: () => void): void {
    if (this.#isClosing || this.#outstanding >= this.#options.queue) {
      this.#lost += 1;
      charged?.();
      return;
    }
    this.#taken += 1;
    if (charged !== undefined) this.#awaited.push({ upTo: this.#taken, charged });
    const record = packRecord(closed);
    this.#collected.push(record);
    const [remains] = record;
    this.#collectedBytes += remains.length;
    if (this.#collectedBytes >= FULL) this.#postRecords();
    else this.#timer ??= setTimeout(() => this.#postRecords(), DELAY).unref();
  }

  /** The figures of all exchanges so far, for metrics. If the thread does not answer: the last known ones. */
  async figures(): Promise<CounterFigures> {
    this.#postRecords();
    if (this.#isClosing) return this.#figures;
    const answered = new Promise<CounterFigures>((resolve) => this.#asking.push(resolve));
    this.#post('figures');
    return (await withTimeout(answered, FIGURES_TIMEOUT)) ?? this.#figures;
  }

  /** Makes later connections to the store with the user and the password of this address. */
  renewAddress(url: string): void {
    // Another thread may begin later.
    this.#options = { ...this.#options, store: { ...this.#options.store, url } };
    if (!this.#isClosing) this.#port?.post({ address: url } satisfies WorkerRequest);
  }

  /** The number of exchanges that could not be processed or written. */
  lost(): number {
    return this.#lost + this.#written.dropped;
  }

  /** Resolves when all records are processed and written, or after `milliseconds`. */
  async close(milliseconds: number): Promise<void> {
    this.#postRecords();
    const isFirst = !this.#isClosing;
    this.#isClosing = true;
    if (this.#port === undefined) return;
    const ended = isFirst ? this.#port.end({ close: milliseconds }) : this.#port.ended;
    await withTimeout(ended, milliseconds + SPOOL_TIME);
  }

  #begin(): ThreadPort<WorkerAnswer> {
    const port = this.#thread.serve(
      import.meta.url,
      'accounting-service',
      this.#options,
      (answer: WorkerAnswer) => this.#onAnswer(answer),
    );
    void port.ended.then((failure) => this.#onEnd(failure));
    return port;
  }

  /** What the thread had not answered or written is lost with it. The next record starts another thread. */
  #onEnd(failure: unknown): void {
    if (!this.#isClosing) this.#readers.problem('The thread that records usage has ended.', failure);
    this.#lost += this.#outstanding + this.#written.open + this.#written.dropped;
    this.#settle(this.#outstanding);
    this.#outstanding = 0;
    this.#written = NOTHING_YET;
    this.#port = undefined;
    for (const resolve of this.#asking) resolve(this.#figures);
    this.#asking = [];
  }

  #onAnswer(answer: WorkerAnswer): void {
    if ('written' in answer) this.#written = answer.written;
    if ('count' in answer) this.#passOn(answer);
    else if ('figures' in answer) {
      this.#figures = answer.figures;
      this.#asking.shift()?.(answer.figures);
    } else if ('trouble' in answer) this.#readers.problem(answer.trouble);
    else if ('recovered' in answer) this.#readers.info(answer.recovered);
  }

  #passOn({ count, lines, consumption, failures }: BatchResult): void {
    this.#outstanding -= count;
    this.#lost += failures.length;
    for (const error of failures)
      this.#readers.problem('The usage of an exchange could not be recorded.', error);
    consumption.forEach(this.#readers.charge);
    this.#settle(count);
    if (lines.length > 0) this.#readers.log?.(toBuffer(lines));
  }

  /** Tells those whose records are among the next `count`, after these were charged. */
  #settle(count: number): void {
    this.#answered += count;
    const awaited = this.#awaited;
    const later = awaited.findIndex(({ upTo }) => upTo > this.#answered);
    const settled = awaited.splice(0, later < 0 ? awaited.length : later);
    for (const { charged } of settled) charged();
  }

  #post(request: WorkerRequest): void {
    this.#port ??= this.#begin();
    this.#port.post(request);
  }

  #postRecords(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#collected.length === 0) return;
    this.#outstanding += this.#collected.length;
    const records = this.#collected;
    this.#collected = [];
    this.#collectedBytes = 0;
    this.#post({ records });
  }
}
