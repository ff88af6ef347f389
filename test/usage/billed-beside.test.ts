/** What vendors bill that stands beside the figures every answer has: it is counted, and paid for, like any other. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeRecord } from '../../src/usage/exchange-record.ts';
import { recording } from '../../src/usage/ledger.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

const records: ExchangeRecord[] = [];
let type: string;
let answer: string;
let upstream: TestUpstream;
let gateway: TestGateway;
beforeEach(async () => {
  records.length = 0;
  upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': type }).end(answer);
  });
  gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url) }, 'fused', (made) => ({
    ...made,
    note: recording((record) => void records.push(record)),
  }));
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function recordOf(path: string, body: object): Promise<ExchangeRecord | undefined> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await response.text()).toBe(answer);
  await expect.poll(() => records.length).toBe(1);
  return records[0];
}

const turn = { role: 'user', content: 'Go on.' };

describe('Anthropic: iterations that its own sums leave out', () => {
  const iteration = (type: string, input: number, output: number, more = {}) => ({
    type,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...more,
  });
  // The figures of Anthropic's documentation of compaction.
  const compacted = {
    input_tokens: 23_000,
    output_tokens: 1_000,
    iterations: [iteration('compaction', 180_000, 3_500), iteration('message', 23_000, 1_000)],
  };
  const advised = {
    input_tokens: 1_000,
    output_tokens: 500,
    iterations: [
      iteration('message', 400, 200),
      iteration('advisor_message', 900, 1_600, { cache_read_input_tokens: 100 }),
      iteration('message', 600, 300),
    ],
  };
  const body = { model: 'anthropic/claude-opus-4-6', max_tokens: 9, messages: [turn] };

  test.each([
    ['a compaction', compacted, { input: 203_000, output: 4_500 }, (203_000 * 5 + 4_500 * 25) / 1e6],
    [
      'an advisor',
      advised,
      { input: 2_000, cacheRead: 100, output: 2_100 },
      (1_900 * 5 + 100 * 0.5 + 2_100 * 25) / 1e6,
    ],
  ])('%s', async (_, usage, tokens, dollars) => {
    const message = { id: 'm', type: 'message', role: 'assistant', content: [], usage };
    type = 'application/json';
    answer = JSON.stringify(message);
    const whole = await recordOf('/v1/messages', body);
    expect(whole?.usage).toMatchObject(tokens);
    expect(whole?.cost).toBeCloseTo(dollars, 10);

    records.length = 0;
    type = 'text/event-stream';
    answer = [
      { type: 'message_start', message: { ...message, usage: { input_tokens: 23, output_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
    const streamed = await recordOf('/v1/messages', { ...body, stream: true });
    expect(streamed?.usage).toMatchObject(tokens);
    expect(streamed?.cost).toBeCloseTo(dollars, 10);
  });
});

test('OpenAI: what is written to its cache for twelve hours costs more than what is for half of one', async () => {
  type = 'application/json';
  answer = JSON.stringify({
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [],
    usage: {
      input_tokens: 10_000,
      input_tokens_details: {
        cached_tokens: 0,
        cache_write_tokens: 9_000,
        cache_write_tokens_details: { ttl_30m_tokens: 1_000, ttl_12h_tokens: 8_000 },
      },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10_100,
    },
  });
  const record = await recordOf('/v1/responses', { model: 'openai/gpt-6.1-terra', input: 'Go on.' });
  expect(record?.usage).toMatchObject({ input: 10_000, cacheWrite: 9_000, cacheWriteHour: 8_000 });
  expect(record?.cost).toBeCloseTo((1_000 * 1 + 1_000 * 1.25 + 8_000 * 2.5 + 100 * 5) / 1e6, 10);
});
