/** Closed ledgers for tests. */

import type { ClosedLedger } from '../../../src/accounting/usage/closed-ledger.ts';

/** The ledger of an ordinary exchange. @param otherwise fields that differ. */
export function closedLedger(otherwise: Partial<ClosedLedger> = {}): ClosedLedger {
  return {
    id: 'req_1',
    time: Date.parse('2026-11-20T12:00:00Z'),
    key: 'team',
    group: undefined,
    tag: undefined,
    model: { id: 'openai/gpt-4.1', prices: { input: 2, output: 8, cacheRead: 0.5 } },
    upstreamModel: 'gpt-4.1',
    vendor: 'openai',
    format: 'chat-completions',
    spoken: 'chat-completions',
    operation: 'generate',
    streamed: false,
    status: 200,
    fault: undefined,
    cause: undefined,
    duration: 1_000.5,
    firstByte: 200,
    attempts: 1,
    gaveWay: undefined,
    violations: undefined,
    isWhole: true,
    remains: [Buffer.from('{"usage":{"prompt_tokens":100,'), Buffer.from('"completion_tokens":20}}')],
    finished: true,
    passed: undefined,
    ...otherwise,
  };
}
