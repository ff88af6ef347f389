/**
 * The request path's side of the accounting: collects the records of exchanges for a moment, and posts them together to
 * a thread. The thread writes what has to be written. Charges and log lines come back from it and are passed on.
 */

import type { Consumption } from '../../access/limits/consumption.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { type ThreadPort, WorkerThread } from '../../store/threads/worker-thread.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import { type CounterFigures, NO_FIGURES } from '../metrics/counter-figures.ts';
import type { RecordExchange } from '../usage/closed-ledger.ts';
import type {
  AccountingOptions,
  BatchResult,
  WorkerAnswer,
  WorkerRequest,
  WriteProgress,
} from './accounting.ts';
import { type PostedRecord, packRecord } from './records.ts';

/** Called with what the thread answers. */
export interface Readers {
  /** Receives what a key has used. */
  readonly charge: (consumption: Consumption) => void;
  /** Receives lines of the access log, in UTF-8. */
  readonly log?: (lines: Buffer) => void;
  /** Receives a sentence about what should not have happened. */
  readonly trouble: (message: string, error?: unknown) => void;
  /** Receives a sentence when that is over. */
  readonly note: (message: string) => void;
}

export interface AccountingWorker {
  /** Takes the record of an exchange that is over. Returns at once and does not throw. */
  readonly record: RecordExchange;
  /** The figures of all exchanges so far, for metrics. If the thread does not answer: the last known ones. */
  figures(): Promise<CounterFigures>;
  /** The number of exchanges that could not be processed or written. */
  lost(): number;
  /** Resolves when all records are processed and written, or after `milliseconds`. */
  close(milliseconds: number): Promise<void>;
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

/**
 * @param options `queue` also bounds how many records may wait for the thread.
 * @param thread may have the store's file open too.
 */
export function openAccountingWorker(
  options: AccountingOptions,
  readers: Readers,
  thread = new WorkerThread(),
): AccountingWorker {
  let collected: PostedRecord[] = [];
  let collectedBytes = 0;
  /** Records that were posted, and are not answered yet. */
  let outstanding = 0;
  /** Records that were taken so far, and that were answered; records are answered in the order in which they were taken. */
  let taken = 0;
  let answered = 0;
  /** Whom to tell that a record has been charged, each with the number of records up to that one. */
  let awaited: { readonly upTo: number; readonly charged: () => void }[] = [];
  /** The progress of the present thread. */
  let written = NOTHING_YET;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let known = NO_FIGURES;
  /** Those who wait for figures; the thread answers in order. */
  let asking: ((figures: CounterFigures) => void)[] = [];
  let closing = false;
  let port: ThreadPort<WorkerAnswer> | undefined = begin();

  function begin(): ThreadPort<WorkerAnswer> {
    const port = thread.serve(import.meta.url, 'accounting-service', options, onAnswer);
    void port.ended.then(onEnd);
    return port;
  }

  /** What the thread had not answered or written is lost with it. The next record starts another thread. */
  function onEnd(failure: unknown): void {
    if (!closing) readers.trouble('The thread that records usage has ended.', failure);
    lost += outstanding + written.open + written.dropped;
    settle(outstanding);
    outstanding = 0;
    written = NOTHING_YET;
    port = undefined;
    for (const resolve of asking) resolve(known);
    asking = [];
  }

  function onAnswer(answer: WorkerAnswer): void {
    if ('written' in answer) written = answer.written;
    if ('count' in answer) passOn(answer);
    else if ('figures' in answer) resolveFigures(answer.figures);
    else if ('trouble' in answer) readers.trouble(answer.trouble);
    else if ('recovered' in answer) readers.note(answer.recovered);
  }

  function passOn({ count, lines, consumption, failures }: BatchResult): void {
    outstanding -= count;
    lost += failures.length;
    for (const error of failures) readers.trouble('The usage of an exchange could not be recorded.', error);
    consumption.forEach(readers.charge);
    settle(count);
    if (lines.length > 0) readers.log?.(toBuffer(lines));
  }

  /** Tells those whose records are among the next `count`, after these were charged. */
  function settle(count: number): void {
    answered += count;
    const later = awaited.findIndex(({ upTo }) => upTo > answered);
    const settled = later < 0 ? awaited : awaited.slice(0, later);
    awaited = later < 0 ? [] : awaited.slice(later);
    for (const { charged } of settled) charged();
  }

  function resolveFigures(figures: CounterFigures): void {
    known = figures;
    asking.shift()?.(figures);
  }

  function post(request: WorkerRequest): void {
    port ??= begin();
    port.post(request);
  }

  function postRecords(): void {
    clearTimeout(timer);
    timer = undefined;
    if (collected.length === 0) return;
    outstanding += collected.length;
    const records = collected;
    collected = [];
    collectedBytes = 0;
    post({ records });
  }

  return {
    record(closed, charged) {
      if (closing || outstanding >= options.queue) {
        lost += 1;
        charged?.();
        return;
      }
      taken += 1;
      if (charged !== undefined) awaited.push({ upTo: taken, charged });
      const record = packRecord(closed);
      collected.push(record);
      const [remains] = record;
      collectedBytes += remains.length;
      if (collectedBytes >= FULL) postRecords();
      else timer ??= setTimeout(postRecords, DELAY).unref();
    },
    async figures() {
      postRecords();
      if (closing) return known;
      const answered = new Promise<CounterFigures>((resolve) => asking.push(resolve));
      post('figures');
      return (await withTimeout(answered, FIGURES_TIMEOUT)) ?? known;
    },
    lost: () => lost + written.dropped,
    async close(milliseconds) {
      postRecords();
      const isFirst = !closing;
      closing = true;
      if (port === undefined) return;
      const request: WorkerRequest = { close: milliseconds };
      const ended = isFirst ? port.end(request) : port.ended;
      await withTimeout(ended, milliseconds + SPOOL_TIME);
    },
  };
}
