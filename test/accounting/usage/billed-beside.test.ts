/** What vendors bill outside the usual usage figures: it is counted and paid for like any other usage. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { computeConsumption } from '../../../src/accounting/usage/consumption.ts';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

let type: string;
let answer: string;
let upstream: TestUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeEach(async () => {
  upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': type }).end(answer);
  });
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function recordOf(path: string, body: object): Promise<ExchangeRecord | undefined> {
  const response = await postJson(`${gateway.url}${path}`, body);
  expect(await response.text()).toBe(answer);
  await expect.poll(() => gateway.records.length).toBe(1);
  return gateway.records[0];
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

    gateway.records.length = 0;
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

test('OpenAI: writing to the cache for twelve hours costs more than for half an hour', async () => {
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

test('Anthropic: web searches are billed one by one', async () => {
  type = 'application/json';
  const usage = {
    input_tokens: 1_000,
    output_tokens: 100,
    server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
    speed: 'fast',
  };
  answer = JSON.stringify({ id: 'm', type: 'message', role: 'assistant', content: [], usage });
  const body = { model: 'anthropic/claude-opus-5', max_tokens: 9, messages: [turn] };
  const record = await recordOf('/v1/messages', body);
  // Searches have one price at every speed.
  expect(record?.cost).toBeCloseTo((2 * (1_000 * 5 + 100 * 25)) / 1e6 + 3 * 0.01, 10);
});

describe('if a service reports the cost of an answer itself, that is the cost', () => {
  const tokens = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  const BY_CATALOG = (20 * 2 + 5 * 8) / 1e6;

  test.each([
    [
      'Perplexity, whose searches cost a hundred times its tokens',
      { input_tokens_cost: 0.00002, output_tokens_cost: 0.00001, request_cost: 0.005, total_cost: 0.00503 },
      {},
      0.00503,
    ],
    ['xAI, in ticks', undefined, { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ['OpenRouter', 0.00014, { cost_details: { upstream_inference_cost: null }, is_byok: false }, 0.00014],
    [
      'OpenRouter, by an account of your own at the vendor',
      0.000005,
      { cost_details: { upstream_inference_cost: 0.0001 }, is_byok: true },
      0.000105,
    ],
    ['nothing', 0, { cost_in_usd_ticks: 0 }, BY_CATALOG],
    ['nothing that can be', -1, {}, BY_CATALOG],
    ['more than there is', 1e9, {}, BY_CATALOG],
    ['something else', 'much', {}, BY_CATALOG],
  ])('%s', async (_, cost, more, dollars) => {
    const usage = { ...tokens, ...(cost !== undefined && { cost }), ...more };
    const choice = { index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' };
    type = 'application/json';
    answer = JSON.stringify({ id: 'c', object: 'chat.completion', choices: [choice], usage });
    const body = { model: 'openai/gpt-4.1', messages: [turn] };
    const whole = await recordOf('/v1/chat/completions', body);
    expect(whole?.cost).toBeCloseTo(dollars, 12);

    gateway.records.length = 0;
    type = 'text/event-stream';
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [], usage };
    answer = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    const streamed = await recordOf('/v1/chat/completions', { ...body, stream: true });
    expect(streamed?.cost).toBeCloseTo(dollars, 12);
  });

  test.each([
    ['no tokens', { completion_tokens: null }],
    ['the input alone', { prompt_tokens: 20 }],
  ])('a cost beside %s is not charged again by an estimate', async (_, counts) => {
    type = 'application/json';
    const choice = { index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' };
    const usage = { ...counts, cost: 0.02 };
    answer = JSON.stringify({ id: 'c', object: 'chat.completion', choices: [choice], usage });
    const record = await recordOf('/v1/chat/completions', { model: 'openai/gpt-4.1', messages: [turn] });
    expect(record?.cost).toBe(0.02);
    expect(record?.estimated?.tokens).toBeGreaterThan(0);
    expect(record?.estimated?.cost).toBe(0);
    expect(record && computeConsumption({ ...record, key: 'team' })?.cost).toBe(0.02);
  });

  test('OpenRouter by messages', async () => {
    const usage = { input_tokens: 20, output_tokens: 5, cost: 0.00014, is_byok: false };
    const message = { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' };
    type = 'application/json';
    answer = JSON.stringify({ ...message, usage });
    const body = { model: 'anthropic/claude-opus-4-7', max_tokens: 100, messages: [turn] };
    expect((await recordOf('/v1/messages', body))?.cost).toBeCloseTo(0.00014, 12);

    gateway.records.length = 0;
    type = 'text/event-stream';
    const events = [
      { type: 'message_start', message: { ...message, usage: { input_tokens: 20, output_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    answer = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    expect((await recordOf('/v1/messages', { ...body, stream: true }))?.cost).toBeCloseTo(0.00014, 12);
  });

  test('xAI by responses', async () => {
    type = 'application/json';
    const usage = { input_tokens: 671, output_tokens: 97, total_tokens: 768, cost_in_usd_ticks: 8_796_500 };
    answer = JSON.stringify({ id: 'r', object: 'response', status: 'completed', output: [], usage });
    const record = await recordOf('/v1/responses', { model: 'openai/gpt-4.1', input: 'Go on.' });
    expect(record?.cost).toBeCloseTo(0.00087965, 12);
  });
});

test('OpenAI: compacting a conversation is counted like an answer', async () => {
  type = 'application/json';
  answer = JSON.stringify({
    id: 'resp_1',
    object: 'response.compaction',
    created_at: 1,
    output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAA' }],
    usage: { input_tokens: 2_000, output_tokens: 100, total_tokens: 2_100 },
  });
  const record = await recordOf('/v1/responses/compact', { model: 'openai/gpt-4.1', input: [turn] });
  expect(record).toMatchObject({ operation: 'compact', usage: { input: 2_000, output: 100 } });
  expect(record?.cost).toBeCloseTo((2_000 * 2 + 100 * 8) / 1e6, 9);
});
