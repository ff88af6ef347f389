/** Collects exchanges into batches for the store: a batch every half second, or sooner if it is full. */

import { randomUUID } from 'node:crypto';
import { openTagBound } from '../../access/limits/tag-bound.ts';
import { openCalendar } from '../../lib/calendar.ts';
import type { ExchangeRow } from '../../store/tables.ts';
import type { ExchangeRecord, Recorder } from './exchange-record.ts';
import { exchangeRow, type KeyedRecord } from './exchange-row.ts';

/** Exchanges that are written together. */
export interface Batch {
  readonly name: string;
  readonly rows: readonly ExchangeRow[];
}

export interface BatchOptions {
  /** Milliseconds that the first record of a batch waits for others. */
  readonly interval: number;
  /** The most records in a batch. */
  readonly batch: number;
  /** The time zone of days; absent means UTC. */
  readonly timeZone?: string;
}

export interface Batches {
  /** Adds a record. A record without a key is not kept. */
  readonly record: Recorder;
  /** The number of records in the batch that is being collected. */
  open(): number;
  /** Ends the batch, full or not. */
  flush(): void;
}

/** @param give receives each batch. */
export function batchRows(
  { interval, batch: size, timeZone }: BatchOptions,
  give: (batch: Batch) => void,
): Batches {
  const calendar = openCalendar(timeZone);
  const tags = openTagBound();
  let tagDay = '';

  /** The tag, if it is among the first ones of its key on this day: sums have a row for each. */
  function boundTag(key: string, tag: string, day: string): string {
    if (day > tagDay) {
      tags.clear();
      tagDay = day;
    }
    return tags.of(key, tag);
  }

  let name = randomUUID();
  let rows: ExchangeRow[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (rows.length === 0) return;
    const full = { name, rows };
    name = randomUUID();
    rows = [];
    give(full);
  }

  return {
    record(exchange) {
      if (!hasKey(exchange)) return;
      const at = { batch: name, place: rows.length, day: calendar.day(exchange.time) };
      const { key, tag } = exchange;
      const bound = tag === undefined ? exchange : { ...exchange, tag: boundTag(key, tag, at.day) };
      rows.push(exchangeRow(bound, at));
      if (rows.length >= size) flush();
      else timer ??= setTimeout(flush, interval).unref();
    },
    open: () => rows.length,
    flush,
  };
}

/**
 * Splits a batch in two, with names that depend only on its own; undefined if it has only one record. The batch must
 * never have been written, because its rows would then be in the store under the old name.
 */
export function splitBatch({ name, rows }: Batch): readonly [Batch, Batch] | undefined {
  if (rows.length < 2) return undefined;
  const half = (at: 0 | 1, from: number, end?: number): Batch => {
    const batch = `${name}.${at}`;
    return { name: batch, rows: rows.slice(from, end).map((row) => ({ ...row, batch })) };
  };
  const middle = rows.length >> 1;
  return [half(0, 0, middle), half(1, middle)];
}

function hasKey(record: ExchangeRecord): record is KeyedRecord {
  return record.key !== undefined;
}
