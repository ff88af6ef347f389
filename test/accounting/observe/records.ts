/** Fabricated records of finished requests. */

import { exchangeLines } from '../../../src/accounting/log/exchange-line.ts';
import { type Log, type LogOptions, openLog } from '../../../src/accounting/log/log.ts';
import { openExchangeCounters } from '../../../src/accounting/metrics/counters.ts';
import { type Metrics, openMetrics } from '../../../src/accounting/metrics/metrics.ts';
import type { ExchangeRecord, Recorder } from '../../../src/accounting/usage/exchange-record.ts';

/** A streamed answer of Anthropic's to a caller of chat-completions. */
export const RECORD: ExchangeRecord = {
  id: 'req_1',
  time: 1_790_000_000_000,
  key: 'team',
  model: 'anthropic/claude-sonnet-4-5',
  vendor: 'anthropic',
  format: 'chat-completions',
  spoken: 'messages',
  operation: 'generate',
  streamed: true,
  status: 200,
  outcome: 'complete',
  duration: 4_200,
  firstByte: 310,
  usage: { input: 1_000, cacheRead: 600, cacheWrite: 100, output: 50, reasoning: 20 },
  cost: 0.0125,
  attempts: 1,
};

/** A request that was rejected before its model was looked up. */
export const REFUSED: ExchangeRecord = {
  id: 'req_2',
  time: 1_790_000_000_500,
  format: 'messages',
  operation: 'generate',
  streamed: false,
  status: 401,
  outcome: 'refused',
  fault: 'unauthenticated',
  duration: 2,
  usage: {},
  attempts: 0,
};

/** Metrics of the records given to it. */
export function countedMetrics(): Metrics & { readonly record: Recorder } {
  const tally = openExchangeCounters();
  return { ...openMetrics(tally.figures), record: tally.record };
}

/** A log with the lines of the records given to it. */
export async function exchangeLog(options: LogOptions): Promise<Log & { readonly record: Recorder }> {
  const log = openLog(options);
  const line = exchangeLines(log.style);
  return { ...log, record: (record) => log.write(Buffer.from(line(record))) };
}
