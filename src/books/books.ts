/**
 * The books: what is made of an exchange once it is over. Its tokens and cost, its line in the log, its place in the
 * metrics and in the store, and what its key has used. All of it takes a short answer a quarter of its time where it is
 * done between two requests (measured), so a thread of its own keeps them.
 */

import { openCalendar } from '../calendar.ts';
import { exchangeLines } from '../observe/exchange-line.ts';
import type { LineStyle } from '../observe/pretty-line.ts';
import { openTally, type TallyFigures } from '../observe/tally.ts';
import { type Batch, type BatchOptions, batchRows } from '../usage/batches.ts';
import type { ExchangeRecord } from '../usage/exchange-record.ts';
import { recordOf } from '../usage/ledger.ts';
import { type Taken, takenBy } from '../usage/taken.ts';
import { readNotes } from './notes.ts';

export interface BooksOptions extends BatchOptions {
  /** How lines of the access log are written; absent: there is none. */
  readonly lines?: LineStyle;
}

/** Of the notes of one notebook. */
export interface Entered {
  /** How many there were. */
  readonly count: number;
  readonly lines: readonly string[];
  readonly taken: readonly Taken[];
  /** Why some of them could not be entered: an error each. */
  readonly failures: readonly unknown[];
  /** Exchanges that are to be written, and were not given yet. */
  readonly open: number;
}

/** What the books say. */
export type Told =
  | Entered
  /** Exchanges to be written. */
  | { readonly batch: Batch }
  /** An answer to who has asked. */
  | { readonly figures: TallyFigures };

/** What is asked of them, or given: `ArrayBuffer` is a notebook's. */
export type Asked = ArrayBuffer | 'figures' | 'close';

export interface Books {
  /** Takes a notebook. */
  enter(notes: ArrayBuffer): void;
  figures(): void;
  /** Gives what is to be written, full or not. */
  flush(): void;
}

/** @param tell is told at once, or for batches a moment later. */
export async function openBooks(
  { lines: style, ...batching }: BooksOptions,
  tell: (told: Told) => void,
): Promise<Books> {
  const tally = openTally();
  const calendar = openCalendar();
  const lineOf = style && (await exchangeLines(style));
  const batches = batchRows(batching, (batch) => tell({ batch }));

  return {
    enter(notes) {
      const lines: string[] = [];
      const sums = new Map<string, Taken>();
      const failures: unknown[] = [];
      let count = 0;
      for (const closed of readNotes(notes)) {
        count += 1;
        try {
          const record = recordOf(closed);
          add(sums, record);
          batches.record(record);
          tally.record(record);
          if (lineOf !== undefined) lines.push(lineOf(record));
        } catch (error) {
          failures.push(error);
        }
      }
      tell({ count, lines, taken: [...sums.values()], failures, open: batches.open() });
    },
    figures: () => tell({ figures: tally.figures() }),
    flush: batches.flush,
  };

  /** What a key took on a day is charged at once. */
  function add(sums: Map<string, Taken>, record: ExchangeRecord): void {
    const taken = takenBy(record);
    if (taken === undefined) return;
    const place = `${calendar.day(taken.time)} ${taken.key}`;
    const sum = sums.get(place);
    sums.set(
      place,
      sum === undefined ? taken : { ...sum, tokens: sum.tokens + taken.tokens, cost: sum.cost + taken.cost },
    );
  }
}
