/** Records of requests for tests. */

import { exchangeRow, type KeyedRecord } from '../../../src/accounting/usage/exchange-row.ts';
import { formatDay } from '../../../src/lib/calendar.ts';
import type { ExchangeRow } from '../../../src/store/tables.ts';

/** Midday of a day in UTC. */
export function noon(day: string): number {
  return Date.parse(`${day}T12:00:00Z`);
}

/** An ordinary request. Its fields can be overridden. */
export function exchange(otherwise: Partial<KeyedRecord> = {}): KeyedRecord {
  return {
    id: 'req_1',
    time: noon('2026-11-20'),
    key: 'team',
    model: 'openai/gpt-4o',
    vendor: 'openai',
    format: 'chat-completions',
    spoken: 'chat-completions',
    operation: 'generate',
    streamed: true,
    status: 200,
    outcome: 'complete',
    duration: 1_000,
    firstByte: 200,
    usage: { input: 100, cacheRead: 40, output: 20, reasoning: 5 },
    cost: 0.001,
    attempts: 1,
    ...otherwise,
  };
}

/** A request as a row of the batch `one`. */
export function rowOf(record: KeyedRecord, place = 0): ExchangeRow {
  return exchangeRow(record, { batch: 'one', place, day: formatDay(record.time) });
}
