/** Exchanges put together to be written at once: every half second, or as soon as there are enough of them. */

import { randomUUID } from 'node:crypto';
import { openCalendar } from '../../lib/calendar.ts';
import type { ExchangeRow } from '../../store/tables.ts';
import type { ExchangeRecord, Recorder } from './exchange-record.ts';
import { exchangeRow, type KeyedRecord } from './exchange-row.ts';

/** What is written at once. */
export interface Batch {
  readonly name: string;
  /** A JSON list of ExchangeRows. */
  readonly rows: string;
  /** How many. */
  readonly count: number;
  /** Whether one of them has a tag, and whether one's key was of a group. */
  readonly tagged: boolean;
  readonly grouped: boolean;
}

export interface BatchOptions {
  /** Milliseconds that the first record of a batch waits for others. */
  readonly interval: number;
  /** Records of one batch. */
  readonly batch: number;
}

export interface Batches {
  /** What belongs to no key is not kept. */
  readonly record: Recorder;
  /** Records of the batch that is not given yet. */
  open(): number;
  /** Gives what there is, full or not. */
  flush(): void;
}

/** @param give takes a batch. */
export function batchRows({ interval, batch: size }: BatchOptions, give: (batch: Batch) => void): Batches {
  const calendar = openCalendar();
  let name = randomUUID();
  /** As JSON from the first: texts are the least that can wait, and nothing is left to be done with them. */
  let rows: string[] = [];
  let tagged = false;
  let grouped = false;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (rows.length === 0) return;
    const full = { name, rows: `[${rows.join(',')}]`, count: rows.length, tagged, grouped };
    name = randomUUID();
    rows = [];
    tagged = false;
    grouped = false;
    give(full);
  }

  return {
    record(exchange) {
      if (!hasKey(exchange)) return;
      const at = { batch: name, place: rows.length, day: calendar.day(exchange.time) };
      rows.push(JSON.stringify(exchangeRow(exchange, at)));
      if (exchange.tag !== undefined) tagged = true;
      if (exchange.group !== undefined) grouped = true;
      if (rows.length >= size) flush();
      else timer ??= setTimeout(flush, interval).unref();
    },
    open: () => rows.length,
    flush,
  };
}

/**
 * A batch as two, each of a name of its own that is always the same; undefined where it has but one record.
 * Of one that was never written: what was is there under the old name.
 */
export function halvesOf({ name, rows, count, ...has }: Batch): readonly [Batch, Batch] | undefined {
  if (count < 2) return undefined;
  const all: readonly Pick<ExchangeRow, 'batch'>[] = JSON.parse(rows);
  const half = (at: 0 | 1, from: number, end?: number): Batch => {
    const batch = `${name}.${at}`;
    const part = all.slice(from, end).map((row) => ({ ...row, batch }));
    return { name: batch, rows: JSON.stringify(part), count: part.length, ...has };
  };
  const middle = count >> 1;
  return [half(0, 0, middle), half(1, middle)];
}

function hasKey(record: ExchangeRecord): record is KeyedRecord {
  return record.key !== undefined;
}
