/**
 * The books: what is made of an exchange once it is over. Its tokens and cost, its line in the log, its place in the
 * metrics, its row in the store, and what its key has used. All of it takes a short answer a quarter of its time where
 * it is done between two requests (measured), so a thread of its own keeps them.
 */

import type { Consumption } from '../../access/limits/consumption.ts';
import { openCalendar } from '../../lib/calendar.ts';
import { connectStore, type StorePlace } from '../../store/store.ts';
import { exchangeLines } from '../log/exchange-line.ts';
import type { LineStyle } from '../log/pretty-line.ts';
import { type CounterFigures, openExchangeCounters } from '../metrics/counters.ts';
import { type BatchOptions, batchRows } from '../usage/batches.ts';
import { consumptionOf } from '../usage/consumption.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';
import { recordOf } from '../usage/ledger.ts';
import { recordUsage } from '../usage/recorder.ts';
import { openSpool } from '../usage/spool.ts';
import { decodeRecords, type EncodedRecords } from './records.ts';

export interface AccountingOptions extends BatchOptions {
  /** Where exchanges are written, in a store that was opened before. */
  readonly store: StorePlace;
  /** Exchanges that may wait for the store in memory: what comes then waits in files beside it. */
  readonly queue: number;
  /** Bytes that those files may take: what comes then is dropped, and counted. */
  readonly spool: number;
  /** How lines of the access log are written; absent: there is none. */
  readonly lines?: LineStyle;
}

/** How far the books are with the store. */
export interface Written {
  /** Exchanges that are not in it yet. */
  readonly open: number;
  /** Exchanges that never will be, so far. */
  readonly dropped: number;
}

/** Of the notes of one notebook. */
export interface Entered {
  /** How many there were. */
  readonly count: number;
  /** Of the access log, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly taken: readonly Consumption[];
  /** Why some of them could not be entered: an error each. */
  readonly failures: readonly unknown[];
  readonly written: Written;
  /** The notes' memory, given back. */
  readonly blank: ArrayBuffer;
}

/** What the books say. */
export type WorkerAnswer =
  | Entered
  /** Once more of it was written. */
  | { readonly written: Written }
  /** What goes wrong with the store, in a sentence. */
  | { readonly trouble: string }
  /** That it is well again. */
  | { readonly note: string }
  /** An answer to who has asked. */
  | { readonly figures: CounterFigures };

/** What is asked of them, or given. */
export type WorkerRequest = { readonly notes: EncodedRecords } | 'figures' | { readonly close: number };

export interface Accounting {
  enter(notes: EncodedRecords): void;
  figures(): void;
  /** Writes what is open, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

/** What follows the name of the store's file in that of the folder beside it; also where the store is PostgreSQL. */
const SPOOL = '-waiting';

/** @param tell is told at once, or for batches a moment later. */
export async function openAccounting(
  { lines: style, store: place, ...options }: AccountingOptions,
  tell: (told: WorkerAnswer) => void,
): Promise<Accounting> {
  const tally = openExchangeCounters();
  const calendar = openCalendar();
  const lineOf = style && exchangeLines(style);
  const utf8 = new TextEncoder();
  const onTrouble = (trouble: string): void => tell({ trouble });
  const store = connectStore(place, onTrouble);
  const recorder = recordUsage(store, {
    ...options,
    spool: openSpool({ folder: `${place.path}${SPOOL}`, bytes: options.spool, onTrouble }),
    onTrouble,
    onRecovered: (note) => tell({ note }),
    onDone: () => tell({ written: written() }),
  });
  const batches = batchRows(options, recorder.write);

  return {
    enter(notes) {
      let lines = '';
      const sums = new Map<string, Consumption>();
      const failures: unknown[] = [];
      let count = 0;
      for (const closed of decodeRecords(notes)) {
        count += 1;
        try {
          const record = recordOf(closed);
          add(sums, record);
          batches.record(record);
          tally.record(record);
          if (lineOf !== undefined) lines += lineOf(record);
        } catch (error) {
          failures.push(error);
        }
      }
      tell({
        count,
        lines: utf8.encode(lines),
        taken: [...sums.values()],
        failures,
        written: written(),
        blank: notes.bytes,
      });
    },
    figures: () => tell({ figures: tally.figures() }),
    async close(milliseconds) {
      batches.flush();
      const lost = await recorder.close(milliseconds);
      if (lost > 0) onTrouble(`The usage of ${lost} exchanges could not be written and is lost.`);
      tell({ written: { open: 0, dropped: recorder.dropped() + lost } });
      await store.close();
    },
  };

  function written(): Written {
    return { open: batches.open() + recorder.waiting(), dropped: recorder.dropped() };
  }

  /** What a key took on a day, of one group and of one model, is charged at once. */
  function add(sums: Map<string, Consumption>, record: ExchangeRecord): void {
    const taken = consumptionOf(record);
    if (taken === undefined) return;
    const { key, group = '', model = '', time } = taken;
    const place = `${calendar.day(time)} ${model} ${key.length} ${key}${group}`;
    const sum = sums.get(place);
    sums.set(
      place,
      sum === undefined ? taken : { ...sum, tokens: sum.tokens + taken.tokens, cost: sum.cost + taken.cost },
    );
  }
}
