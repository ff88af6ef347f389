/**
 * The cost of answers that were served at a faster or slower tier or in one region, as the vendor reports it.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEY, startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

let type: string;
let answer: readonly string[];
let upstream: TestUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeEach(async () => {
  upstream = await startUpstream(async (_, response) => {
    response.writeHead(200, { 'content-type': type });
    for (const piece of answer) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  });
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** The cost of an answer that consists of `events`, whole or as a stream in pieces of that many bytes. */
async function costOf(path: string, body: object, events: readonly object[], size?: number): Promise<number> {
  gateway.records.length = 0;
  type = size === undefined ? 'application/json' : 'text/event-stream';
  const text =
    size === undefined
      ? JSON.stringify(events[0])
      : events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  answer = text.match(new RegExp(`[^]{1,${size ?? text.length}}`, 'g')) ?? [];
  const response = await postJson(`${gateway.url}${path}`, body);
  expect(response.status).toBe(200);
  await response.text();
  await expect.poll(() => gateway.records.length).toBe(1);
  return gateway.records[0]?.cost ?? Number.NaN;
}

const LONG = 'x'.repeat(20_000);

describe('OpenAI reports it next to the usage', () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  const spent = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
  /** Dollars at the standard tier. */
  const STANDARD = (1_000 * 1.25 + 100 * 10) / 1e6;
  const chat = { model: 'openai/gpt-5', messages: [{ role: 'user', content: 'Go on.' }] };
  const choice = { index: 0, message: { role: 'assistant', content: LONG }, finish_reason: 'stop' };
  const chunk = (tier: string, more: object) => ({
    object: 'chat.completion.chunk',
    service_tier: tier,
    ...more,
  });
  const said = { choices: [{ index: 0, delta: { content: LONG }, finish_reason: null }] };

  test.each([
    ['flex', 'flex', 0.5],
    ['priority', 'priority', 2],
    ['priority', 'fast', 2],
    // Above a project's limit, the request is served and billed at the standard tier.
    ['priority', 'default', 1],
    ['auto', 'default', 1],
    ['scale', 'scale', 1],
  ])('asked for %s, served by %s: %d times as much', async (asked, served, times) => {
    const tiered = { ...chat, service_tier: asked };
    const path = '/v1/chat/completions';
    const whole = { object: 'chat.completion', choices: [choice], usage, service_tier: served };
    expect(await costOf(path, tiered, [whole])).toBeCloseTo(times * STANDARD, 12);

    const chunks = [chunk(served, said), chunk(served, said), chunk(served, { choices: [], usage })];
    for (const size of [1_000_000, 9_000, 500]) {
      const streamed = await costOf(path, { ...tiered, stream: true }, chunks, size);
      expect(streamed).toBeCloseTo(times * STANDARD, 12);
    }

    // The tools are between the tier and the usage, and there are many.
    const response = {
      object: 'response',
      status: 'completed',
      output: [],
      service_tier: served,
      tools: [LONG],
    };
    const events = [
      { type: 'response.created', response: { ...response, service_tier: asked, status: 'in_progress' } },
      { type: 'response.output_text.delta', delta: LONG },
      { type: 'response.completed', response: { ...response, usage: spent } },
    ];
    const body = { model: 'openai/gpt-5', input: 'Go on.', service_tier: asked };
    expect(await costOf('/v1/responses', body, [{ ...response, usage: spent }])).toBeCloseTo(
      times * STANDARD,
      12,
    );
    for (const size of [1_000_000, 9_000, 700]) {
      const streamed = await costOf('/v1/responses', { ...body, stream: true }, events, size);
      expect(streamed).toBeCloseTo(times * STANDARD, 12);
    }
  });

  /**
   * The vendor repeats in each response what the request said: what the caller calls a tier or a usage there
   * does not count.
   */
  test.each([
    ['metadata', { service_tier: 'flex', usage: '{}' }],
    [
      'tools',
      [
        {
          type: 'function',
          name: 'f',
          parameters: { service_tier: 'flex', usage: { ...spent, input_tokens: 0 } },
        },
      ],
    ],
  ])('nothing that the caller of a limited key writes in %s makes an answer cheaper', async (field, said) => {
    await gateway.close();
    const keys = [{ name: 'limited', key: KEY, limits: { budgetDay: 1_000 } }];
    gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url), keys });
    const body = { model: 'openai/gpt-5', input: 'Go on.', [field]: said };
    const repeated = { [field]: said };
    for (const [served, times] of [
      ['priority', 2],
      ['default', 1],
      ['flex', 0.5],
    ] as const) {
      const response = { object: 'response', status: 'completed', output: [LONG], service_tier: served };
      // OpenAI reports the usage after the tools, OpenRouter before them.
      for (const told of [
        { ...response, ...repeated, usage: spent },
        { ...response, usage: spent, ...repeated },
      ]) {
        const asked = { ...body, service_tier: served };
        const cost = times * STANDARD;
        expect(await costOf('/v1/responses', asked, [told])).toBeCloseTo(cost, 12);
        const events = [
          { type: 'response.created', response: { ...response, ...repeated, usage: null } },
          { type: 'response.completed', response: told },
        ];
        for (const size of [1_000_000, 9_000, 700]) {
          expect(await costOf('/v1/responses', { ...asked, stream: true }, events, size)).toBeCloseTo(
            cost,
            12,
          );
        }
        if (served === 'default') expect(await costOf('/v1/responses', body, [told])).toBeCloseTo(cost, 12);
      }
    }
  });

  test('a stream of a caller of generate-content, who asks for it in the words of Google', async () => {
    await gateway.close();
    gateway = await startRecorded({
      vendors: vendorsAtUrl(upstream.url),
      generateContent: { models: 'all' },
    });
    const item = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: LONG }],
    };
    const response = { id: 'resp_1', object: 'response', model: 'gpt-5', output: [], tools: [LONG] };
    const events = [
      {
        type: 'response.created',
        response: { ...response, status: 'in_progress', service_tier: 'priority' },
      },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: LONG,
      },
      { type: 'response.output_item.done', output_index: 0, item },
      {
        type: 'response.completed',
        response: {
          service_tier: 'priority',
          ...response,
          status: 'completed',
          output: [item],
          usage: spent,
        },
      },
    ];
    const body = { contents: [{ role: 'user', parts: [{ text: 'Go on.' }] }], serviceTier: 'priority' };
    const path = '/v1beta/models/openai/gpt-5:streamGenerateContent?alt=sse';
    expect(await costOf(path, body, events, 700)).toBeCloseTo(2 * STANDARD, 12);
  });

  test('a model without a price for its fast tier is billed at the standard price', async () => {
    const body = { ...chat, model: 'openai/gpt-5-nano', service_tier: 'priority' };
    const whole = { object: 'chat.completion', choices: [choice], usage, service_tier: 'priority' };
    expect(await costOf('/v1/chat/completions', body, [whole])).toBeCloseTo(
      (1_000 * 0.05 + 100 * 0.4) / 1e6,
      12,
    );
  });

  test('a text that mentions a tier does not set it', async () => {
    const content = JSON.stringify({ service_tier: 'flex' });
    const spoken = { ...choice, message: { role: 'assistant', content } };
    const whole = { object: 'chat.completion', service_tier: 'default', usage, choices: [spoken] };
    expect(await costOf('/v1/chat/completions', chat, [whole])).toBeCloseTo(STANDARD, 12);
  });
});

test.each([
  [{ speed: 'fast', inference_geo: 'global' }, 2],
  [{ speed: 'standard', inference_geo: 'us' }, 1.1],
  [{ speed: 'fast', inference_geo: 'us' }, 2.2],
  // Paid for in advance: no token costs more.
  [{ service_tier: 'priority' }, 1],
])('Anthropic reports it in the usage: %j costs %d times as much', async (told, times) => {
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 500, output_tokens: 100, ...told };
  const body = {
    model: 'anthropic/claude-opus-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Go on.' }],
  };
  const message = { id: 'm', type: 'message', role: 'assistant', content: [] };
  const dollars = (times * (1_000 * 5 + 500 * 0.5 + 100 * 25)) / 1e6;
  expect(await costOf('/v1/messages', body, [{ ...message, usage }])).toBeCloseTo(dollars, 12);
  const events = [
    { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100 } },
    { type: 'message_stop' },
  ];
  expect(await costOf('/v1/messages', { ...body, stream: true }, events, 100)).toBeCloseTo(dollars, 12);
});

/**
 * In a whole answer a tool's input is an object, and the caller can make the model write anything into it.
 */
test.each([1e12, 3])(
  'Anthropic: a usage in the input of a tool does not count, whatever it contains',
  async (searches) => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const said = { server_tool_use: { web_search_requests: searches }, speed: 'fast', input_tokens: 1 };
    const content = [
      { type: 'text', text: LONG },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { usage: said } },
    ];
    const body = {
      model: 'anthropic/claude-opus-5',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Go on.' }],
    };
    const dollars = (1_000 * 5 + 100 * 25) / 1e6;
    for (const blocks of [content, content.slice(1)]) {
      const message = { id: 'm', type: 'message', role: 'assistant', content: blocks, usage };
      expect(await costOf('/v1/messages', body, [message])).toBeCloseTo(dollars, 12);
    }
  },
);

test.each([
  [{ serviceTier: 'flex' }, 0.5],
  [{ serviceTier: 'priority' }, 1.8],
  [{ serviceTier: 'standard' }, 1],
  // As Vertex AI has it.
  [{ trafficType: 'ON_DEMAND_FLEX' }, 0.5],
  [{ trafficType: 'ON_DEMAND_PRIORITY' }, 1.8],
  [{ trafficType: 'ON_DEMAND' }, 1],
  [{ trafficType: 'PROVISIONED_THROUGHPUT' }, 1],
])('Google reports it in the usage: %j costs %d times as much', async (told, times) => {
  const usageMetadata = {
    promptTokenCount: 1_000,
    candidatesTokenCount: 100,
    totalTokenCount: 1_100,
    ...told,
  };
  const chunk = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }],
  };
  const dollars = (times * (1_000 * 1.5 + 100 * 9)) / 1e6;
  const path = '/v1beta/models/gemini-3.5-flash';
  const body = { contents: [{ parts: [{ text: 'Go on.' }] }], serviceTier: 'flex' };
  expect(await costOf(`${path}:generateContent`, body, [{ ...chunk, usageMetadata }])).toBeCloseTo(
    dollars,
    12,
  );
  const streamed = await costOf(
    `${path}:streamGenerateContent?alt=sse`,
    body,
    [chunk, { ...chunk, usageMetadata }],
    100,
  );
  expect(streamed).toBeCloseTo(dollars, 12);
  // Translated, it costs what Google reports too.
  const asked = { model: 'google/gemini-3.5-flash', messages: [{ role: 'user', content: 'Go on.' }] };
  const translated = await costOf('/v1/chat/completions', asked, [{ ...chunk, usageMetadata }]);
  expect(translated).toBeCloseTo(dollars, 12);
});
