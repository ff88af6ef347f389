/** An exchange as the store keeps it. */

import type { ExchangeRow } from '../../store/tables.ts';
import { MAX_TOKENS } from './cost.ts';
import type { ExchangeRecord } from './exchange-record.ts';

/** An exchange that belongs to a key: only those are kept, for what nobody was admitted to cost nothing. */
export type KeyedRecord = ExchangeRecord & { readonly key: string };

/** The fields of a row, in the order in which `exchangeRow` gives them. */
export const EXCHANGE_COLUMNS = [
  'batch',
  'place',
  'id',
  'time',
  'day',
  'key',
  'group_name',
  'tag',
  'model',
  'vendor',
  'format',
  'spoken',
  'operation',
  'streamed',
  'status',
  'outcome',
  'fault',
  'duration',
  'first_byte',
  'input',
  'output',
  'reasoning',
  'cache_read',
  'cache_write',
  'cache_write_hour',
  'cost',
  'estimated_cost',
  'attempts',
] as const satisfies readonly (keyof ExchangeRow)[];

/** @param at the batch it is written in, its place in that, and the day of its time. */
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
  };
}

/** A vendor's count as one: whole, and of a size of which a sum of very many still fits into a column. */
function tokens(count: number | undefined): number | null {
  return count === undefined ? null : Math.round(Math.min(MAX_TOKENS, Math.max(0, count)));
}

/** As names and ids nearly always are. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Text that PostgreSQL takes: no U+0000, and no half of a surrogate pair. */
function storable(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.toWellFormed().replaceAll('\0', '');
}
