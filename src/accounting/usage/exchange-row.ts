/** An exchange as a row of the store. */

import { asNumber, asText, type JsonObject } from '../../lib/json.ts';
import type { ExchangeRow } from '../../store/tables.ts';
import { MAX_TOKENS } from './cost.ts';
import type { ExchangeRecord } from './exchange-record.ts';

/** An exchange with a key. Only these are kept: a caller who was not authenticated costs nothing. */
export type KeyedRecord = ExchangeRecord & { readonly key: string };

/** @param at the batch that the row is written in, its place there, and the day of its time. */
export function exchangeRow(
  record: KeyedRecord,
  { batch, place, day }: Pick<ExchangeRow, 'batch' | 'place' | 'day'>,
): ExchangeRow {
  const { usage } = record;
  return {
    batch,
    place,
    id: storable(record.id),
    time: record.time,
    day,
    key: storable(record.key),
    group_name: record.group === undefined ? null : storable(record.group),
    tag: record.tag ?? null,
    model: storable(record.model ?? ''),
    vendor: storable(record.vendor ?? ''),
    format: record.format,
    spoken: record.spoken ?? null,
    operation: record.operation,
    streamed: record.streamed ? 1 : 0,
    status: record.status,
    outcome: record.outcome,
    fault: record.fault ?? null,
    duration: record.duration,
    first_byte: record.firstByte ?? null,
    input: tokens(usage.input),
    output: tokens(usage.output),
    reasoning: tokens(usage.reasoning),
    cache_read: tokens(usage.cacheRead),
    cache_write: tokens(usage.cacheWrite),
    cache_write_hour: tokens(usage.cacheWriteHour),
    cost: record.cost ?? null,
    estimated_cost: record.estimated?.cost ?? null,
    attempts: record.attempts,
    upstream_id: record.upstreamId ?? null,
    repairs: record.repairs?.join(',') || null,
  };
}

/**
 * Reads a row that was written as JSON. @throws TypeError if a text is missing. A number that JSON cannot say is not a
 * number here either, and the store refuses it.
 */
export function parseExchangeRow(row: JsonObject): ExchangeRow {
  const text = (column: keyof ExchangeRow): string => {
    const value = asText(row[column]);
    if (value === undefined) throw new TypeError(`A row has no ${column}.`);
    return value;
  };
  const textOrNull = (column: keyof ExchangeRow): string | null => asText(row[column]) ?? null;
  const number = (column: keyof ExchangeRow): number => asNumber(row[column]) ?? Number.NaN;
  const numberOrNull = (column: keyof ExchangeRow): number | null => asNumber(row[column]) ?? null;
  return {
    batch: text('batch'),
    place: number('place'),
    id: text('id'),
    time: number('time'),
    day: text('day'),
    key: text('key'),
    group_name: textOrNull('group_name'),
    tag: textOrNull('tag'),
    model: text('model'),
    vendor: text('vendor'),
    format: text('format'),
    spoken: textOrNull('spoken'),
    operation: text('operation'),
    streamed: number('streamed'),
    status: number('status'),
    outcome: text('outcome'),
    fault: textOrNull('fault'),
    duration: number('duration'),
    first_byte: numberOrNull('first_byte'),
    input: numberOrNull('input'),
    output: numberOrNull('output'),
    reasoning: numberOrNull('reasoning'),
    cache_read: numberOrNull('cache_read'),
    cache_write: numberOrNull('cache_write'),
    cache_write_hour: numberOrNull('cache_write_hour'),
    cost: numberOrNull('cost'),
    estimated_cost: numberOrNull('estimated_cost'),
    attempts: number('attempts'),
    upstream_id: textOrNull('upstream_id'),
    repairs: textOrNull('repairs'),
  };
}

/** A vendor's count as a whole number, bounded so that sums over very many rows still fit into a column. */
function tokens(count: number | undefined): number | null {
  return count === undefined ? null : Math.round(Math.min(MAX_TOKENS, Math.max(0, count)));
}

/** The form of nearly all names and ids. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Removes what PostgreSQL does not accept in text: U+0000 and lone surrogates. */
function storable(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.toWellFormed().replaceAll('\0', '');
}
