/**
 * What is made of an exchange once it is over: its tokens and cost, its line in the log, its place in the metrics, its
 * row in the store, and what its key has used. Done between two requests, all of it takes a quarter of the time of a
 * short answer (measured), so it runs in a thread of its own.
 */

import type { Consumption } from '../../access/limits/consumption.ts';
import { openCalendar } from '../../lib/calendar.ts';
import { count } from '../../lib/count.ts';
import { openSqliteFile } from '../../store/sqlite/sqlite-file.ts';
import { connectStore } from '../../store/store.ts';
import type { StorePlace } from '../../store/store-errors.ts';
import { exchangeLines } from '../log/exchange-line.ts';
import type { LineStyle } from '../log/pretty-line.ts';
import type { CounterFigures } from '../metrics/counter-figures.ts';
import { openExchangeCounters } from '../metrics/counters.ts';
import { type BatchOptions, batchRows } from '../usage/batches.ts';
import { computeConsumption } from '../usage/consumption.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';
import { makeRecord } from '../usage/make-record.ts';
import { UsageRecorder } from '../usage/recorder.ts';
import { Spool } from '../usage/spool.ts';
import { type PostedRecord, unpackRecord } from './records.ts';

export interface AccountingOptions extends BatchOptions {
  /** The store that exchanges are written to. It must have been opened before, so that its tables exist. */
  readonly store: StorePlace;
  /** Exchanges that may wait for the store in memory. Further ones wait in files beside it. */
  readonly queue: number;
  /** Bytes that those files may take. Further exchanges are dropped and counted. */
  readonly spool: number;
  /** The style of the access log's lines; absent: there is no access log. */
  readonly lines?: LineStyle;
}

/** How far the accounting is behind the request path, in exchanges. */
export interface WriteProgress {
  /** Exchanges that are not in the store yet. */
  readonly open: number;
  /** Exchanges that were given up so far. */
  readonly dropped: number;
}

/** What was made of one message of records. */
export interface BatchResult {
  /** How many records there were. */
  readonly count: number;
  /** Lines of the access log, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** What keys have used, summed up by key, group, tag, model and day. */
  readonly consumption: readonly Consumption[];
  /** An error for each record that could not be processed. */
  readonly failures: readonly unknown[];
  readonly written: WriteProgress;
}

/** What the thread sends to the request path. */
export type WorkerAnswer =
  | BatchResult
  /** Another batch was written to the store, or dropped. */
  | { readonly written: WriteProgress }
  /** A sentence about what goes wrong with the store. */
  | { readonly trouble: string }
  /** A sentence that says that the store works again. */
  | { readonly recovered: string }
  /** The answer to a request for figures. */
  | { readonly figures: CounterFigures };

/** What the request path sends to the thread. */
export type WorkerRequest =
  /** Their `BatchResult` is the answer. */
  | { readonly records: readonly PostedRecord[] }
  | 'figures'
  /** The address with another user or password for the store, which count for later connections. */
  | { readonly address: string }
  /** What is open is written, for at most so many milliseconds. */
  | { readonly close: number };

/** The spool's folder has the name of the store's file and this ending, also if the store is PostgreSQL. */
const SPOOL = '-waiting';

/**
 * Rows of a batch that are written in one go, in 0.2 to 0.5 ms. On a core that both threads share, as in a pod with one,
 * the request path would wait for all of a batch: 2 to 5 ms, several times a second under load.
 */
const ROWS_AT_ONCE = 50;

/**
 * @param answer called with what the request path is to know.
 * @returns takes a request; a promise only of the last one, which resolves when the store is closed.
 */
export function openAccounting(
  { lines: style, store: place, ...options }: AccountingOptions,
  answer: (message: WorkerAnswer) => void,
): (request: WorkerRequest) => undefined | Promise<void> {
  const counters = openExchangeCounters();
  const calendar = openCalendar(options.timeZone);
  const renderLine = style && exchangeLines(style);
  const utf8 = new TextEncoder();
  const onTrouble = (trouble: string): void => answer({ trouble });
  // Here the disk may be waited for: this thread is not the request path.
  const store = connectStore(place, {
    open: (file) => openSqliteFile({ ...file, rowsAtOnce: ROWS_AT_ONCE }),
  });
  const recorder = new UsageRecorder(store, {
    ...options,
    spool: new Spool({ folder: `${place.path}${SPOOL}`, bytes: options.spool, onTrouble }),
    onTrouble,
    onRecovered: (recovered) => answer({ recovered }),
    onDone: () => answer({ written: progress() }),
  });
  const batches = batchRows(options, (batch) => recorder.write(batch));

  function progress(): WriteProgress {
    return { open: batches.open() + recorder.waiting(), dropped: recorder.dropped() };
  }

  /**
   * Adds what an exchange used to the sum of all that are charged to the same limits on the same day: each sum is
   * charged once.
   */
  function addConsumption(sums: Map<string, Consumption>, record: ExchangeRecord): void {
    const consumption = computeConsumption(record);
    if (consumption === undefined) return;
    const { key, group = '', tag = '', modelLimits = [], time, tokens, cost } = consumption;
    const place = [calendar.day(time), key, group, tag, ...modelLimits].join('\0');
    const sum = sums.get(place);
    sums.set(
      place,
      sum === undefined ? consumption : { ...sum, tokens: sum.tokens + tokens, cost: sum.cost + cost },
    );
  }

  function record(records: readonly PostedRecord[]): void {
    let lines = '';
    const sums = new Map<string, Consumption>();
    const failures: unknown[] = [];
    for (const posted of records) {
      try {
        const made = makeRecord(unpackRecord(posted));
        addConsumption(sums, made);
        batches.record(made);
        counters.record(made);
        if (renderLine !== undefined) lines += renderLine(made);
      } catch (error) {
        failures.push(error);
      }
    }
    answer({
      count: records.length,
      lines: utf8.encode(lines),
      consumption: [...sums.values()],
      failures,
      written: progress(),
    });
  }

  async function close(milliseconds: number): Promise<void> {
    batches.flush();
    const lost = await recorder.close(milliseconds);
    if (lost > 0) onTrouble(`The usage of ${count(lost, 'exchange')} could not be written and is lost.`);
    answer({ written: { open: 0, dropped: recorder.dropped() + lost } });
    await store.close();
  }

  return (request) => {
    if (request === 'figures') answer({ figures: counters.figures() });
    else if ('records' in request) record(request.records);
    else if ('address' in request) store.renewAddress(request.address);
    else return close(request.close);
    return undefined;
  };
}
