/**
 * Has a thread keep the books: takes notes on the request path, and sends them a moment later, all of that moment at
 * once. It writes what there is to write; what else it makes of them comes back and is passed on.
 */

import type { Worker } from 'node:worker_threads';
import type { Consumption } from '../../access/limits/consumption.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { startWorkerThread } from '../../store/worker-thread.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import { type CounterFigures, NO_FIGURES } from '../metrics/counters.ts';
import type { RecordExchange } from '../usage/ledger.ts';
import type { AccountingOptions, Entered, WorkerAnswer, WorkerRequest, Written } from './accounting.ts';
import { openRecordWriter } from './records.ts';

/** Who is told what. */
export interface Readers {
  /** Of what a key has used. */
  readonly charge: (taken: Consumption) => void;
  /** Of lines for the access log, in UTF-8. */
  readonly log?: (lines: Buffer) => void;
  /** Of what should not have happened. */
  readonly trouble: (message: string, error?: unknown) => void;
  /** Of its end. */
  readonly note: (message: string) => void;
}

export interface AccountingWorker {
  readonly note: RecordExchange;
  /** Everything noted so far as metrics have it; what was last known, where the thread does not answer. */
  figures(): Promise<CounterFigures>;
  /** Exchanges of which nothing was made, or that could not be written. */
  lost(): number;
  /** Resolves when all that is noted has been told and written, or after `milliseconds`. */
  close(milliseconds: number): Promise<void>;
}

/** Milliseconds in which notes are put together: what a crash may lose beside what is lost behind it. */
const DELAY = 20;

/** Bytes that are not put together any longer. */
const FULL = 512 * 1024;

/** How much longer than it may the end of the thread takes to be heard of, in milliseconds: it puts into files what is left. */
const LAST_WORD = 2_000;

/** How long figures may take, in milliseconds. */
const PATIENCE = 2_000;

const NOTHING_YET: Written = { open: 0, dropped: 0 };

/** @param options `queue` is also how many notes may wait for the thread. */
export function openAccountingWorker(options: AccountingOptions, readers: Readers): AccountingWorker {
  const notebook = openRecordWriter();
  /** Notes that were sent, and not answered yet. */
  let outstanding = 0;
  /** Of the thread that there is now. */
  let written = NOTHING_YET;
  let lost = 0;
  /** Memory of notes that were read: what is new is not in any cache, and has to be filled with zeros. */
  let blank: ArrayBuffer | undefined;
  let timer: NodeJS.Timeout | undefined;
  let known = NO_FIGURES;
  /** Who has asked for figures: the thread answers in turn. */
  let asking: ((figures: CounterFigures) => void)[] = [];
  let closing = false;
  let thread: Worker | undefined = startThread();

  function startThread(): Worker {
    const worker = startWorkerThread(import.meta.url, 'thread', options);
    let failure: unknown;
    worker.on('message', onTold);
    worker.once('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => onExit(failure));
    // It keeps no process alive.
    worker.unref();
    return worker;
  }

  /** What it had not answered or given is lost with it: another thread goes on with what comes. */
  function onExit(failure: unknown): void {
    if (!closing) readers.trouble('The thread that records usage has ended.', failure);
    lost += outstanding + written.open + written.dropped;
    outstanding = 0;
    written = NOTHING_YET;
    thread = undefined;
    for (const resolve of asking) resolve(known);
    asking = [];
  }

  function onTold(told: WorkerAnswer): void {
    if ('written' in told) written = told.written;
    if ('count' in told) pass(told);
    else if ('figures' in told) answer(told.figures);
    else if ('trouble' in told) readers.trouble(told.trouble);
    else if ('note' in told) readers.note(told.note);
  }

  function pass({ count, lines, taken, failures, blank: memory }: Entered): void {
    if (memory.byteLength <= FULL) blank = memory;
    outstanding -= count;
    lost += failures.length;
    for (const error of failures) readers.trouble('The usage of an exchange could not be recorded.', error);
    taken.forEach(readers.charge);
    if (lines.length > 0) readers.log?.(toBuffer(lines));
  }

  function answer(figures: CounterFigures): void {
    known = figures;
    asking.shift()?.(figures);
  }

  /** @param given memory that is the thread's from then on. */
  function ask(asked: WorkerRequest, given: ArrayBuffer[] = []): void {
    thread ??= startThread();
    thread.postMessage(asked, given);
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    const count = notebook.count();
    if (count === 0) return;
    outstanding += count;
    const notes = notebook.take(blank);
    blank = undefined;
    ask({ notes }, [notes.bytes]);
  }

  return {
    note(closed) {
      if (closing || outstanding >= options.queue) {
        lost += 1;
        return;
      }
      notebook.add(closed);
      if (notebook.size() >= FULL) send();
      else timer ??= setTimeout(send, DELAY).unref();
    },
    async figures() {
      send();
      if (closing) return known;
      const told = new Promise<CounterFigures>((resolve) => asking.push(resolve));
      ask('figures');
      return (await withTimeout(told, PATIENCE)) ?? known;
    },
    lost: () => lost + written.dropped,
    async close(milliseconds) {
      send();
      const isFirst = !closing;
      closing = true;
      const last = thread;
      if (last === undefined) return;
      last.ref();
      const ended = new Promise((resolve) => last.once('exit', resolve));
      if (isFirst) ask({ close: milliseconds });
      await withTimeout(ended, milliseconds + LAST_WORD);
    },
  };
}
