/** What is asked again, where, and when not: retries, fallbacks, several upstreams, and their limits. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { KEY, startGateway, startRecorded, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import {
  ask,
  eventsIn,
  eventTexts,
  isErrorEvent,
  native,
  streamedAnswer,
  translated,
  wholeAnswer,
} from './upstream-ways.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function upstreams(count: number): Promise<FaultUpstream[]> {
  const made = await Promise.all(Array.from({ length: count }, () => startFaultUpstream()));
  open.push(...made);
  return made;
}

async function gatewayOf(input: ConfigInput): Promise<TestGateway> {
  const gateway = await startGateway({ ...input, retries: { wait: 1, perSecond: 1_000, ...input.retries } });
  open.push(gateway);
  return gateway;
}

/** OpenAI at several addresses, each with a key of its own. */
function openaiAt(places: readonly FaultUpstream[]): NonNullable<ConfigInput['vendors']> {
  return {
    openai: {
      upstreams: places.map(({ url }, at) => ({ baseUrl: `${url}/v1`, apiKey: `vendor-key-${at}` })),
    },
  };
}

const [chat] = native;
/** Of messages, to the same vendor. */
const [toOpenAI] = translated;

const good: Script = (wire) => wire.answer(200, wholeAnswer('chat-completions'));
const dead: Script = (wire) => {
  wire.socket.destroy();
};
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (wire) =>
    wire.answer(code, JSON.stringify({ error: { message: `said ${code}` } }), headers);

/** A page, all of which takes a while. */
const slowPage =
  (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (wire) => {
    wire.head(code, { 'content-type': 'text/html', ...headers });
    wire.chunk('<html>');
    setTimeout(() => wire.lastChunk(), 1_000).unref();
  };

/** A vendor that waits until it is told to begin. */
function waiting(script: Script): { readonly script: Script; readonly begin: () => void } {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  return {
    begin,
    async script(wire, request) {
      await begun;
      await script(wire, request);
    },
  };
}

/** Asks `count` times, one after the other; resolves with the statuses. */
async function statuses(gateway: TestGateway, count: number, model = 'openai/gpt-4o'): Promise<number[]> {
  const got: number[] = [];
  const body = chat.body(false).replace('openai/gpt-4o', model);
  for (let at = 0; at < count; at += 1) {
    const response = await ask(gateway.url, chat, false, { body });
    got.push(response.status);
    await response.text();
  }
  return got;
}

describe('retries', () => {
  test('none, where the limit is 0; two, and never more, where it is 2', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    for (const [limit, asked] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      vendor.requests.length = 0;
      vendor.script(status(503));
      const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url), retries: { limit } });
      expect(await statuses(gateway, 1)).toEqual([503]);
      expect(vendor.requests).toHaveLength(asked);
    }
  });

  test('no more, once one of them is refused for what it asks', async () => {
    const [vendor] = await upstreams(1);
    vendor?.script(status(503), status(400), good);
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(`${vendor?.url}`), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([400]);
    expect(vendor?.requests).toHaveLength(2);
  });

  test('none, where the vendor asks for a longer wait than there is time: it is told at once', async () => {
    const [vendor] = await upstreams(1);
    vendor?.script(status(429, { 'retry-after-ms': '20000' }));
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(`${vendor?.url}`),
      retries: { retryAfter: 60_000 },
      timeouts: { total: 10_000 },
    });
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after-ms')).toBe('20000');
    await response.text();
    expect(vendor?.requests).toHaveLength(1);
  });

  test('a retry has the same body and headers', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503), good);
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url) });
    expect(await statuses(gateway, 1)).toEqual([200]);
    const [first, second] = vendor.requests;
    expect(second?.head).toBe(first?.head);
    expect(second?.body).toEqual(first?.body);
    expect(second?.head).not.toMatch(/^range:/im);
  });

  test('nothing is asked again of which the caller has had a byte, nor after a body has begun', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(vendor.url),
      retries: { after: 'failed', limit: 2 },
    });
    const events = streamedAnswer('chat-completions').slice(0, 600);
    vendor.script((wire) => {
      wire.stream([events]);
      setTimeout(() => wire.reset(), 20);
    });
    const response = await ask(gateway.url, chat, true);
    expect(response.status).toBe(200);
    await response.text();
    expect(vendor.requests).toHaveLength(1);
  });

  test('a caller who leaves during the wait costs no second request (C-04)', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503, { 'retry-after-ms': '1500' }));
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url) });
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, false, { signal: caller.signal });
    await eventually(() => vendor.requests.length === 1, 'the vendor is asked');
    await sleep(100);
    caller.abort();
    await expect(asked).rejects.toThrow();
    await sleep(2_000);
    expect(vendor.requests).toHaveLength(1);
  });

  test('a caller who leaves while a vendor thinks costs no other vendor a thought', async () => {
    const [vendor, other] = await upstreams(2);
    if (!vendor || !other) throw new Error('There are no vendors.');
    vendor.script(() => undefined);
    const gateway = await gatewayOf({
      vendors: {
        openai: { baseUrl: `${vendor.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: other.url, apiKey: 'y' },
      },
      retries: { after: 'failed', limit: 2 },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    });
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, false, { signal: caller.signal });
    asked.catch(() => undefined);
    await eventually(() => vendor.requests.length === 1, 'the vendor is asked');
    caller.abort();
    await eventually(() => vendor.open() === 0, 'the vendor is aborted');
    await sleep(200);
    expect([vendor.requests.length, other.requests.length, other.connections()]).toEqual([1, 0, 0]);
  });

  test('an outage is not made worse by as many requests again: the budget', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503));
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(vendor.url),
      retries: { share: 0.1, perSecond: 0 },
    });
    await statuses(gateway, 200);
    // Ten were saved up, and each ten requests add one.
    expect(vendor.requests.length - 200).toBeGreaterThanOrEqual(25);
    expect(vendor.requests.length - 200).toBeLessThanOrEqual(31);
  });

  test('nor by asking each of them at another place', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(503));
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      retries: { share: 0.1, perSecond: 0 },
      ejection: { failures: 0 },
    });
    await statuses(gateway, 100);
    const asked = places.reduce((sum, { requests }) => sum + requests.length, 0);
    // Ten were saved up for each of the two, and each ten requests add one.
    expect(asked - 100).toBeGreaterThanOrEqual(20);
    expect(asked - 100).toBeLessThanOrEqual(31);
  });
});

describe('fallbacks', () => {
  const fallbacks = {
    'openai/gpt-4o': ['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'],
    'google/gemini-2.5-flash': ['openai/gpt-4o', 'google/gemini-2.5-pro'],
  };
  /** Each vendor at a place of its own. */
  async function threeVendors() {
    const [openai, anthropic, google] = await upstreams(3);
    if (!openai || !anthropic || !google) throw new Error('There are no vendors.');
    anthropic.script((wire) => wire.answer(200, wholeAnswer('messages')));
    google.script((wire) => wire.answer(200, wholeAnswer('generate-content')));
    const vendors = {
      openai: { baseUrl: `${openai.url}/v1`, apiKey: 'vendor-key-openai' },
      anthropic: { baseUrl: anthropic.url, apiKey: 'vendor-key-anthropic' },
      google: { baseUrl: google.url, apiKey: 'vendor-key-google' },
    };
    return { vendors, openai, anthropic, google };
  }

  async function three(input: ConfigInput = {}) {
    const { vendors, ...places } = await threeVendors();
    return { gateway: await gatewayOf({ vendors, fallbacks, ...input }), ...places };
  }

  test.each<[string, Script]>([
    ['a failure', status(500)],
    ['an overload', status(503)],
    ['a limit', status(429)],
    ['a key that is refused', status(401)],
    [
      'a model that is no more',
      (wire) => wire.answer(404, '{"error":{"message":"The model is retired.","code":"model_not_found"}}'),
    ],
    ['a reset', dead],
    ['an answer that breaks before it says anything', (wire) => wire.fin()],
  ])('the next model is asked after %s, translated as it needs', async (_, script) => {
    const { gateway, openai, anthropic } = await three();
    openai.script(script);
    const response = await ask(gateway.url, chat, false);
    const body = JSON.parse(await response.text());
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gateway-model')).toBe('anthropic/claude-sonnet-4-5');
    // As the caller's format has it, from a vendor that speaks another.
    expect(body.object).toBe('chat.completion');
    expect(body.choices[0].message.content).not.toBe('');
    expect(openai.requests).toHaveLength(1);
    const [sent] = anthropic.requests;
    expect(sent?.path).toBe('/v1/messages');
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({ model: 'claude-sonnet-4-5' });
    expect(sent?.head).toContain('vendor-key-anthropic');
    expect(sent?.head).not.toContain('vendor-key-openai');
  });

  test('an answer of the model that was asked for does not say whose it is', async () => {
    const { gateway, openai } = await three();
    openai.script(status(503), good);
    for (const retried of [true, false]) {
      const response = await ask(gateway.url, chat, false);
      await response.text();
      expect(response.headers.get('x-gateway-model')).toBe(retried ? 'anthropic/claude-sonnet-4-5' : null);
    }
  });

  test('what was asked for, and what it failed by, is recorded beside the model that answered', async () => {
    const { vendors, openai, anthropic, google } = await threeVendors();
    const gateway = await startRecorded({
      vendors,
      fallbacks,
      retries: { after: 'failed', limit: 2, wait: 1, perSecond: 1_000 },
    });
    open.push(gateway);
    openai.script(status(500));
    await (await ask(gateway.url, chat, false)).text();
    const gaveWay = { model: 'openai/gpt-4o', vendor: 'openai', fault: 'upstream-broken' };
    await expect
      .poll(() => gateway.records)
      .toMatchObject([{ model: 'anthropic/claude-sonnet-4-5', vendor: 'anthropic', attempts: 2, gaveWay }]);
    // The first of several, which is the one that was asked for.
    anthropic.script(status(503));
    await (await ask(gateway.url, chat, false)).text();
    await expect
      .poll(() => gateway.records[1])
      .toMatchObject({ model: 'google/gemini-2.5-flash', vendor: 'google', attempts: 3, gaveWay });
    expect(google.requests).toHaveLength(1);
    openai.script(good);
    await (await ask(gateway.url, chat, false)).text();
    await expect.poll(() => gateway.records).toHaveLength(3);
    expect(gateway.records[2]?.gaveWay).toBeUndefined();
  });

  test('streamed', async () => {
    const { gateway, openai, anthropic } = await three();
    openai.script(dead);
    anthropic.script((wire) => wire.wholeStream([streamedAnswer('messages')]));
    const response = await ask(gateway.url, chat, true);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await response.text()).toContain('data: [DONE]');
  });

  test.each([
    ['/v1/responses/input_tokens', { input: 'Hi' }],
    ['/v1/messages/count_tokens', { messages: [{ role: 'user', content: 'Hi' }] }],
  ])('none for a count of tokens: another model has other ones (%s)', async (path, prompt) => {
    const { gateway, openai, anthropic, google } = await three();
    openai.script(status(500));
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4o', ...prompt }),
    });
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(openai.requests[0]?.path).toBe('/v1/responses/input_tokens');
    expect([...anthropic.requests, ...google.requests]).toEqual([]);
  });

  test('a model of the same format has the caller’s body, but for its own name', async () => {
    const { gateway, openai } = await three({ fallbacks: { 'openai/gpt-4o': ['openai/gpt-4.1'] } });
    openai.script(status(503), good);
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(200);
    await response.text();
    const [first, second] = openai.requests.map(({ body }) => body.toString());
    expect(JSON.parse(first ?? '')).toMatchObject({ model: 'gpt-4o' });
    expect(second).toBe(first?.replace('"gpt-4o"', '"gpt-4.1"'));
  });

  test.each([
    [
      '/v1/chat/completions',
      { model: 'openai/gpt-4.1', max_completion_tokens: 30_000, messages: [] },
      { model: 'gpt-4o', max_completion_tokens: 16_384, messages: [] },
    ],
    [
      '/v1/responses',
      { max_output_tokens: 30_000, model: 'openai/gpt-4.1', input: 'Hi.' },
      { max_output_tokens: 16_384, model: 'gpt-4o', input: 'Hi.' },
    ],
    [
      '/v1/messages',
      { model: 'anthropic/claude-opus-4-8', max_tokens: 100_000, messages: [] },
      { model: 'claude-haiku-4-5', max_tokens: 64_000, messages: [] },
    ],
    [
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [], generationConfig: { temperature: 1, maxOutputTokens: 60_000 } },
      { contents: [], generationConfig: { temperature: 1, maxOutputTokens: 8_192 } },
    ],
    [
      '/v1/chat/completions',
      { model: 'openai/gpt-4.1', max_tokens: 16_384, n: 1e3, messages: [] },
      { model: 'gpt-4o', max_tokens: 16_384, n: 1e3, messages: [] },
    ],
  ])('%s: asks for no longer an answer than its model can give', async (path, asked, sent) => {
    const { gateway, openai, anthropic, google } = await three({
      fallbacks: {
        'openai/gpt-4.1': ['openai/gpt-4o'],
        'anthropic/claude-opus-4-8': ['anthropic/claude-haiku-4-5'],
        'google/gemini-2.5-flash': ['google/gemini-2.0-flash'],
      },
    });
    for (const place of [openai, anthropic, google]) place.script(status(503));
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'x-goog-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    await response.text();
    const [, second] = [openai, anthropic, google].flatMap(({ requests }) => requests);
    expect(second?.body.toString()).toBe(JSON.stringify(sent));
  });

  test.each<[string, string, object, object]>([
    [
      'thinking of its own accord, for one that is told how much',
      '/v1/messages',
      {
        model: 'anthropic/claude-opus-4-8',
        max_tokens: 100_000,
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      },
      {
        model: 'claude-haiku-4-5',
        max_tokens: 64_000,
        thinking: { type: 'enabled', budget_tokens: 24_576, display: 'omitted' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      },
    ],
    [
      'more thoughts than an answer of the other may be long',
      '/v1/messages',
      {
        model: 'anthropic/claude-opus-4-6',
        max_tokens: 100_000,
        thinking: { type: 'enabled', budget_tokens: 99_999 },
      },
      {
        model: 'claude-haiku-4-5',
        max_tokens: 64_000,
        thinking: { type: 'enabled', budget_tokens: 63_999 },
      },
    ],
    [
      'a level, for one that is told a budget',
      '/v1beta/models/gemini-3.8-flash:generateContent',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
    ],
    [
      'an effort, for one that does not think',
      '/v1/chat/completions',
      { model: 'openai/gpt-5.4', reasoning_effort: 'low', max_completion_tokens: 9 },
      { model: 'gpt-4.1', max_completion_tokens: 9 },
    ],
  ])('what was written for another model is asked as this one takes it: %s', async (_, path, more, sent) => {
    const { gateway, openai, anthropic, google } = await three({
      fallbacks: {
        'openai/gpt-5.4': ['openai/gpt-4.1'],
        'anthropic/claude-opus-4-8': ['anthropic/claude-haiku-4-5'],
        'anthropic/claude-opus-4-6': ['anthropic/claude-haiku-4-5'],
        'google/gemini-3.8-flash': ['google/gemini-2.5-flash'],
      },
    });
    const answers = [
      [openai, 'chat-completions'],
      [anthropic, 'messages'],
      [google, 'generate-content'],
    ] as const;
    for (const [place, format] of answers) {
      place.script(status(503), status(400), (wire) => wire.answer(200, wholeAnswer(format)));
    }
    const words = path.startsWith('/v1beta')
      ? { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
      : {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello.' },
            { role: 'user', content: 'Go on.' },
            { role: 'system', content: 'Be brief.' },
          ],
        };
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'x-goog-api-key': KEY,
        'content-type': 'application/json',
        'anthropic-beta': 'context-management-2025-06-27',
        'idempotency-key': 'as-it-was-written',
      },
      body: JSON.stringify({ ...words, ...more }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    const requests = answers.flatMap(([place]) => place.requests);
    expect(requests).toHaveLength(3);
    const last = requests.at(-1);
    const { messages, contents, ...settings } = JSON.parse(last?.body.toString() ?? '');
    expect(settings).toEqual(sent);
    expect(JSON.stringify(messages ?? contents)).toContain('"Hi"');
    // Nor does one that is told how much take a system message in the midst, as Claude Code sends them.
    if (path === '/v1/messages') {
      const said = ['Go on.', '<system>', 'Be brief.', '</system>'];
      expect(messages.at(-1)).toEqual({
        role: 'user',
        content: said.map((text) => ({ type: 'text', text })),
      });
    }
    expect(last?.head.includes('context-management-2025-06-27')).toBe(path === '/v1/messages');
    expect(last?.head).not.toContain('as-it-was-written');
  });

  test('thoughts, for one that does not think, whichever of them it refuses first', async () => {
    const thoughts = {
      error: {
        message:
          'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: null,
      },
    };
    const effort = {
      error: { message: "Unsupported parameter: 'reasoning.effort' is not supported with this model." },
    };
    for (const refusals of [
      [effort, thoughts],
      [thoughts, effort],
    ]) {
      const { gateway, openai } = await three({ fallbacks: { 'openai/gpt-5.4': ['openai/gpt-4.1'] } });
      const said = refusals.map(
        (told): Script =>
          (wire) =>
            wire.answer(400, JSON.stringify(told)),
      );
      openai.script(status(503), ...said, (wire) => wire.answer(200, wholeAnswer('responses')));
      const response = await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'gpt-5.4',
          store: false,
          reasoning: { effort: 'high' },
          include: ['reasoning.encrypted_content'],
          input: [
            { role: 'user', content: 'Hi' },
            { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              content: [{ type: 'output_text', text: 'Hello.' }],
            },
            { role: 'user', content: 'Go on.' },
          ],
        }),
      });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      const { reasoning, input } = JSON.parse(openai.requests.at(-1)?.body.toString() ?? '');
      expect(reasoning).toBeUndefined();
      expect(JSON.stringify(input)).not.toContain('gAAAA');
      expect(input).toHaveLength(3);
    }
  });

  /** What is asked of a Claude in the place of another one, which takes nothing as it was written. */
  async function askedInstead(
    from: string,
    to: string,
    body: object,
    refusals = [status(400)],
  ): Promise<Record<string, unknown>> {
    const { gateway, anthropic } = await three({ fallbacks: { [`anthropic/${from}`]: [`anthropic/${to}`] } });
    anthropic.script(status(503), ...refusals, (wire) => wire.answer(200, wholeAnswer('messages')));
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: from, max_tokens: 9_000, ...body }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    expect(anthropic.requests).toHaveLength(2 + refusals.length);
    const { model, max_tokens, ...said } = JSON.parse(anthropic.requests.at(-1)?.body.toString() ?? '');
    expect([model, max_tokens]).toEqual([to, 9_000]);
    return said;
  }

  const saying = (role: string, ...content: object[]): object => ({ role, content });
  const words = (text: string): object => ({ type: 'text', text });
  const HI = saying('user', words('Hi'));

  test('a Claude before 4.8 takes no system message in the midst, though it is told an effort', async () => {
    const said = await askedInstead('claude-opus-5', 'claude-sonnet-4-6', {
      messages: [
        HI,
        saying('system', words('Be brief.')),
        saying('assistant', words('Yes?')),
        saying('user', words('Why?')),
        saying('system', words('Be kind.')),
      ],
    });
    expect(said).toEqual({
      system: 'Be brief.',
      messages: [
        HI,
        saying('assistant', words('Yes?')),
        saying('user', words('Why?'), words('<system>'), words('Be kind.'), words('</system>')),
      ],
    });
  });

  test('nor one that brings it a tool, which it has from the beginning then', async () => {
    const tool = { name: 'f', input_schema: { type: 'object', properties: {} } };
    const brings = { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool } };
    const dialogue = [saying('assistant', words('Yes?')), saying('user', words('Why?'))];
    const said = await askedInstead('claude-opus-5', 'claude-sonnet-4-6', {
      messages: [HI, saying('system', brings), ...dialogue, saying('system', brings)],
    });
    expect(said).toEqual({ messages: [HI, ...dialogue], tools: [tool] });
  });

  test('in the midst of calls that came without a thought, one that is told how much does not think', async () => {
    const messages = [
      HI,
      saying('assistant', { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      saying('user', { type: 'tool_result', tool_use_id: 'toolu_1', content: [words('1')] }),
    ];
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];
    const said = await askedInstead('claude-opus-4-8', 'claude-haiku-4-5', {
      thinking: { type: 'adaptive' },
      messages,
      tools,
    });
    expect(said).toEqual({ messages, tools });
  });

  test('what models of other vendors have left in the dialogue is taken out as well', async () => {
    const id = 'srvtoolu_1';
    const found = { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: '' };
    const said = await askedInstead(
      'claude-opus-4-8',
      'claude-haiku-4-5',
      {
        thinking: { type: 'adaptive' },
        messages: [
          HI,
          saying(
            'assistant',
            { type: 'thinking', thinking: 'Hm', signature: '' },
            words('Yes?'),
            { type: 'server_tool_use', id, name: 'web_search', input: { query: '' } },
            { type: 'web_search_tool_result', tool_use_id: id, content: [found] },
          ),
          saying('user', words('Why?')),
        ],
      },
      [status(400), status(400)],
    );
    expect(said).toEqual({
      messages: [HI, saying('assistant', words('Yes?')), saying('user', words('Why?'))],
      thinking: { type: 'enabled', budget_tokens: expect.any(Number) },
    });
  });

  test('and in the end what was thought, where that is what it does not take', async () => {
    const said = await askedInstead(
      'claude-opus-4-8',
      'claude-haiku-4-5',
      {
        messages: [
          HI,
          saying(
            'assistant',
            { type: 'thinking', thinking: 'Others', signature: '' },
            { type: 'thinking', thinking: 'Hm', signature: 'c2lnbmVk' },
            words('Yes?'),
          ),
          saying('user', words('Why?')),
        ],
      },
      [
        status(400),
        status(400),
        (wire) =>
          wire.answer(
            400,
            JSON.stringify({
              type: 'error',
              error: {
                type: 'invalid_request_error',
                message:
                  'Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
              },
            }),
          ),
      ],
    );
    expect(said).toEqual({
      messages: [HI, saying('assistant', words('Yes?')), saying('user', words('Why?'))],
    });
  });

  test.each(['between_tools', 'disabled'])(
    'nor is one that knows no effort told of any: %s',
    async (type) => {
      const said = await askedInstead('claude-sonnet-5-5', 'claude-haiku-4-5', {
        thinking: { type },
        output_config: { effort: 'high' },
        messages: [HI],
      });
      expect(said).toEqual({ messages: [HI], thinking: { type: 'disabled' } });
    },
  );

  test.each([
    ['claude-sonnet-5-5', 'between_tools'],
    ['claude-opus-5', 'disabled'],
  ])('and who does not think works no harder than high: %s', async (model, type) => {
    for (const effort of ['max', 'low']) {
      const said = await askedInstead('claude-opus-4-8', model, {
        thinking: { type: 'disabled' },
        output_config: { effort },
        messages: [HI],
      });
      const taken = effort === 'max' ? 'high' : effort;
      expect(said).toEqual({ messages: [HI], thinking: { type }, output_config: { effort: taken } });
    }
  });

  test('and one that goes on with no answer begun for it has a word to go on from', async () => {
    const said = await askedInstead('claude-haiku-4-5', 'claude-sonnet-5-5', {
      messages: [HI, saying('assistant', words('Well'))],
    });
    expect(said).toEqual({
      messages: [HI, saying('assistant', words('Well')), saying('user', words('Continue.'))],
    });
  });

  describe('for a caller whose stream has begun while the first model was waited for', () => {
    /** What such a caller gets: the vendor that fails does not before the stream has begun. */
    async function answered(script: Script): Promise<string> {
      const { gateway, openai, anthropic } = await three({ timeouts: { hold: 20 } });
      const { script: late, begin } = waiting(status(503));
      openai.script(late);
      anthropic.script(script);
      const response = await ask(gateway.url, toOpenAI, true);
      begin();
      expect(response.status).toBe(200);
      return await response.text();
    }

    test('a stream in the caller’s own format goes on as it is', async () => {
      const stream = streamedAnswer('messages');
      const text = await answered((wire) => wire.wholeStream([stream]));
      expect(text.endsWith(stream)).toBe(true);
      expect(text.slice(0, -stream.length)).toMatch(/^(?:event: ping\ndata: {"type": ?"ping"}\n\n)+$/);
    });

    /** What was told of the model that was asked for, where the next one did no better; or what is wrong here. */
    test.each<[string, Script, string]>([
      ['a refusal', status(400), 'said 503'],
      ['no stream', (wire) => wire.answer(200, wholeAnswer('messages')), 'not a stream'],
    ])('%s is an error in the stream', async (_, script, message) => {
      const last = eventsIn(await answered(script)).at(-1);
      expect(last && isErrorEvent('messages', last)).toBe(true);
      expect(last?.data).toContain(message);
    });

    test('no stream, nor an end, is not waited for', async () => {
      let gone: Promise<number> | undefined;
      const text = await answered((wire) => {
        gone = wire.gone;
        wire.head(200);
        wire.chunk('{"type":');
      });
      expect(text).toContain('not a stream');
      expect(await gone).toBeGreaterThan(0);
    });

    test('there is no sign of life to come once all is said, or the caller has left', async () => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const { gateway, openai, anthropic } = await three({ timeouts: { hold: 20, keepAlive: 600_000 } });
      const late: Script = async (wire, request) => {
        await sleep(100);
        await status(503)(wire, request);
      };
      const before = timers();
      openai.script(late);
      anthropic.script(status(400));
      const told = await Promise.all(Array.from({ length: 10 }, () => ask(gateway.url, toOpenAI, true)));
      for (const response of told) expect(await response.text()).toContain('said 503');
      await eventually(() => timers() < before + 5, 'no timer is left of those who were told');
      openai.script(() => undefined);
      const caller = new AbortController();
      const left = Array.from({ length: 10 }, () =>
        ask(gateway.url, toOpenAI, true, { signal: caller.signal }),
      );
      await Promise.all(left);
      caller.abort();
      await eventually(() => timers() < before + 5, 'nor of those who have left');
    });
  });

  test('what is the request’s own fault is nobody else’s to answer', async () => {
    const { gateway, openai, anthropic } = await three();
    for (const code of [400, 404, 413, 422]) {
      openai.script(status(code));
      expect(await statuses(gateway, 1)).toEqual([code]);
    }
    expect(anthropic.requests).toHaveLength(0);
  });

  test('the list is gone through in order, as far as the limit goes; what is told is of the model asked for', async () => {
    const { gateway, openai, anthropic, google } = await three({ retries: { limit: 2 } });
    openai.script(status(503));
    anthropic.script(status(529));
    expect(await statuses(gateway, 1)).toEqual([200]);
    expect(google.requests).toHaveLength(1);
    google.script(status(500));
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('said 503');
    expect(response.headers.get('x-should-retry')).toBeNull();
    expect(openai.requests).toHaveLength(2);
    expect(anthropic.requests).toHaveLength(2);
    expect(google.requests).toHaveLength(2);
  });

  test('a key asks none that it may not', async () => {
    const restricted = 'gw-a-key-for-two-models';
    const { gateway, openai, anthropic, google } = await three({
      keys: [{ name: 'two', key: restricted, models: ['openai/*', 'google/gemini-2.5-flash'] }],
    });
    openai.script(status(503));
    const response = await ask(gateway.url, chat, false, {
      headers: { authorization: `Bearer ${restricted}` },
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(anthropic.requests).toHaveLength(0);
    expect(google.requests).toHaveLength(1);
    // An unrestricted one asks the first.
    await (await ask(gateway.url, chat, false)).text();
    expect(anthropic.requests).toHaveLength(1);
  });

  test('generate-content falls back to models of its own vendor only', async () => {
    const { gateway, openai, google } = await three();
    google.script(status(503), (wire) => wire.answer(200, wholeAnswer('generate-content')));
    const response = await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      body: '{"contents":[]}',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(openai.requests).toHaveLength(0);
    expect(google.requests.map(({ path }) => path)).toEqual([
      '/v1beta/models/gemini-2.5-flash:generateContent',
      '/v1beta/models/gemini-2.5-pro:generateContent',
    ]);
  });

  test('generate-content whose body names the model beside the path is for that one alone', async () => {
    const { gateway, google } = await three();
    google.script(status(503), (wire) => wire.answer(200, wholeAnswer('generate-content')));
    const response = await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      body: '{"contents":[],"model":"models/gemini-2.5-flash"}',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    });
    expect(response.status).toBe(200);
    await response.text();
    // Asked again, for it was overloaded.
    const asked = '/v1beta/models/gemini-2.5-flash:generateContent';
    expect(google.requests.map(({ path }) => path)).toEqual([asked, asked]);
  });

  test('a request that the next model cannot take is answered by what became of the first', async () => {
    const { gateway, openai, anthropic } = await three();
    openai.script(status(503));
    const response = await ask(gateway.url, chat, false, {
      body: JSON.stringify({ model: 'openai/gpt-4o', messages: 'no list' }),
    });
    expect(response.status).toBe(503);
    await response.text();
    expect(anthropic.requests).toHaveLength(0);
  });
});

describe('the record of an exchange', () => {
  test('tells how many requests it took, and whose answer it was', async () => {
    const [openai, anthropic] = await upstreams(2);
    if (!openai || !anthropic) throw new Error('There are no vendors.');
    const gateway = await startRecorded({
      vendors: {
        openai: { baseUrl: `${openai.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: anthropic.url, apiKey: 'y' },
      },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
      retries: { limit: 2, wait: 1 },
    });
    const { records } = gateway;
    open.push(gateway);
    anthropic.script((wire) => wire.answer(200, wholeAnswer('messages')));
    openai.script(good);
    await statuses(gateway, 1);
    openai.script(status(503));
    await statuses(gateway, 1);
    anthropic.script(status(529));
    await statuses(gateway, 1);
    await eventually(() => records.length === 3, 'all are recorded');
    expect(
      records.map(({ attempts, model, vendor, outcome, fault }) => [attempts, model, vendor, outcome, fault]),
    ).toEqual([
      [1, 'openai/gpt-4o', 'openai', 'complete', undefined],
      [2, 'anthropic/claude-sonnet-4-5', 'anthropic', 'complete', undefined],
      // One of the first model, two of the next, which is the last.
      [3, 'anthropic/claude-sonnet-4-5', 'anthropic', 'failed', 'upstream-overloaded'],
    ]);
    // What the caller was told is of the model that was asked for.
    expect(records[2]?.status).toBe(503);
  });
});

/** A gateway before one vendor, and the records of its exchanges. */
async function recorded(settings: ConfigInput) {
  const [openai] = await upstreams(1);
  if (openai === undefined) throw new Error('There is no vendor.');
  const gateway = await startRecorded({ vendors: vendorsAtUrl(openai.url), ...settings });
  open.push(gateway);
  return { openai, gateway, records: gateway.records };
}

test.each([
  [503, 'failed', 'upstream-overloaded'],
  [500, 'failed', 'upstream-broken'],
  [401, 'failed', 'upstream-auth'],
  [429, 'complete', 'rate-limited'],
  [400, 'complete', 'invalid-request'],
] as const)('a vendor that answers %d itself: %s, of the fault %s', async (code, outcome, fault) => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  // Passed on as it is, and translated.
  for (const to of [chat, toOpenAI]) {
    openai.script(status(code));
    await (await ask(gateway.url, to, true)).text();
  }
  await eventually(() => records.length === 2, 'both are recorded');
  for (const record of records) expect(record).toMatchObject({ outcome, fault });
});

test('the record of an exchange that failed behind the beginning of its stream has the fault', async () => {
  const { openai, gateway, records } = await recorded({ timeouts: { hold: 20 }, retries: { limit: 0 } });
  const { script, begin } = waiting(status(503));
  openai.script(script);
  const response = await ask(gateway.url, toOpenAI, true);
  begin();
  await response.text();
  await eventually(() => records.length === 1, 'it is recorded');
  expect(records[0]).toMatchObject({ status: 200, fault: 'upstream-overloaded', outcome: 'failed' });
});

test.each([
  ['an error', status(503)],
  ['a stream that begins with one', (wire) => wire.wholeStream(['data: {"error":{"message":"Busy."}}\n\n'])],
] as const satisfies readonly (readonly [string, Script])[])(
  'the record of a caller who leaves in the wait after %s has no failure, and the status of who leaves',
  async (_, script) => {
    const { openai, gateway, records } = await recorded({
      retries: { after: 'failed', wait: 30_000, longest: 30_000 },
    });
    openai.script(script);
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, true, { signal: caller.signal });
    asked.catch(() => undefined);
    await eventually(() => openai.requests.length === 1 && openai.open() > 0, 'it is asked');
    await sleep(200);
    caller.abort();
    await eventually(() => records.length === 1, 'it is recorded');
    expect(records[0]).toMatchObject({ status: 499, outcome: 'client-closed', fault: undefined });
  },
);

test('the record of an exchange whose stream breaks off has the fault, native or translated', async () => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  openai.script((wire) => {
    wire.stream(eventTexts(streamedAnswer('chat-completions')).slice(0, 4));
    setTimeout(() => wire.reset(), 20);
  });
  for (const to of [chat, toOpenAI]) await (await ask(gateway.url, to, true)).text();
  await eventually(() => records.length === 2, 'both are recorded');
  for (const record of records)
    expect(record).toMatchObject({ status: 200, fault: 'upstream-broken', outcome: 'failed' });
});

test('the record of an exchange that went well has nothing of a beginning that broke off before', async () => {
  const { openai, gateway, records } = await recorded({ retries: { after: 'failed', wait: 1 } });
  openai.script(
    (wire) => {
      wire.stream([': processing\n\n']);
      setTimeout(() => wire.reset(), 20);
    },
    (wire) => wire.wholeStream([streamedAnswer('chat-completions')]),
  );
  const response = await ask(gateway.url, chat, true);
  expect(await response.text()).toBe(streamedAnswer('chat-completions'));
  await eventually(() => records.length === 1, 'it is recorded');
  expect(records[0]).toMatchObject({ attempts: 2, outcome: 'complete', fault: undefined, cause: undefined });
});

test('the record of an exchange has the time of the first byte, where one came', async () => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  const [first = '', ...rest] = eventTexts(streamedAnswer('chat-completions'));
  openai.script(async (wire) => {
    await sleep(100);
    wire.stream([first]);
    await sleep(100);
    for (const event of rest) wire.chunk(event);
    wire.lastChunk();
  }, dead);
  for (const stream of [true, false]) await (await ask(gateway.url, chat, stream)).text();
  await eventually(() => records.length === 2, 'both are recorded');
  const [{ duration, firstByte = 0 } = { duration: 0 }, none] = records;
  // A timer may be early by less than one.
  expect(firstByte).toBeGreaterThanOrEqual(99);
  expect(duration - firstByte).toBeGreaterThanOrEqual(99);
  expect(none?.firstByte).toBeUndefined();
});

test('that is the first byte of what the caller is told of, not of an attempt before', async () => {
  const { openai, gateway, records } = await recorded({ retries: { wait: 1 } });
  openai.script(status(503), async (wire, request) => {
    await sleep(100);
    await good(wire, request);
  });
  expect(await statuses(gateway, 1)).toEqual([200]);
  // And of one that was not to be reached after it, there is none.
  openai.script(status(503), dead);
  await statuses(gateway, 1);
  await eventually(() => records.length === 2, 'both are recorded');
  expect(records[0]?.firstByte).toBeGreaterThanOrEqual(99);
  expect(records[1]).toMatchObject({ attempts: 2, firstByte: undefined });
});

describe('several upstreams', () => {
  test('take turns, and each is sent its own key', async () => {
    const places = await upstreams(3);
    for (const place of places) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    await statuses(gateway, 9);
    expect(places.map(({ requests }) => requests.length)).toEqual([3, 3, 3]);
    for (const [at, { requests }] of places.entries()) {
      for (const { head } of requests) expect(head).toContain(`Bearer vendor-key-${at}\r\n`);
    }
  });

  test('the least busy one is asked, by its weight', async () => {
    const places = await upstreams(2);
    const held: (() => void)[] = [];
    for (const place of places) place.script((wire) => void held.push(() => wire.answer(200, '{}')));
    const [first, second] = places;
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          upstreams: [
            { baseUrl: `${first?.url}/v1`, apiKey: 'a', weight: 3 },
            { baseUrl: `${second?.url}/v1`, apiKey: 'b' },
          ],
        },
      },
    });
    const asked: Promise<Response>[] = [];
    for (let at = 1; at <= 8; at += 1) {
      asked.push(ask(gateway.url, chat, false));
      await eventually(() => held.length === at, 'it is sent');
    }
    expect(places.map(({ requests }) => requests.length)).toEqual([6, 2]);
    for (const answer of held) answer();
    for (const response of await Promise.all(asked)) await response.text();
  });

  test('the vendor’s own key is one of them', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(good);
    const [own, other] = places;
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          baseUrl: `${own?.url}/v1`,
          apiKey: 'own',
          upstreams: [{ baseUrl: `${other?.url}/v1`, apiKey: 'other' }],
        },
      },
    });
    await statuses(gateway, 4);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test.each([
    ['as long as it says', { 'retry-after-ms': '400' }, 500],
    ['a second where it does not say', {}, 1_100],
  ])('one that is over its limit rests for %s, while others work', async (_, headers, over) => {
    const places = await upstreams(2);
    const [limited, other] = places;
    limited?.script(status(429, headers), good);
    other?.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(limited?.requests).toHaveLength(1);
    await sleep(over);
    await statuses(gateway, 4);
    expect(limited?.requests.length).toBeGreaterThan(1);
  });

  test('one that is over the limit of one model is asked for all others', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) => {
        const isLimited = request.body.includes('"gpt-4o"') && place === places[0];
        return (isLimited ? status(429, { 'retry-after': '3600' }) : good)(wire, request);
      });
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([1, 6]);
    expect(await statuses(gateway, 4, 'openai/gpt-4.1')).toEqual(Array(4).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([3, 8]);
  });

  test.each([
    ['counting tokens', '/v1/messages/count_tokens', '/v1/messages'],
    ['answers', '/v1/messages', '/v1/messages/count_tokens'],
  ])('one that is over the limit of %s is asked for the other of the two', async (_, limited, other) => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) => {
        const isLimited = request.path === limited && place === places[0];
        const answer = { ...JSON.parse(wholeAnswer('messages')), input_tokens: 9 };
        return isLimited
          ? status(429, { 'retry-after': '3600' })(wire, request)
          : wire.answer(200, JSON.stringify(answer));
      });
    }
    const gateway = await gatewayOf({
      vendors: {
        anthropic: { upstreams: places.map(({ url }) => ({ baseUrl: url, apiKey: 'vendor-key' })) },
      },
    });
    const claude = native.find(({ format }) => format === 'messages') ?? chat;
    const askAt = async (path: string): Promise<number> => {
      const response = await ask(gateway.url, { ...claude, path: () => path }, false);
      await response.text();
      return response.status;
    };
    const paths = [limited, limited, limited, other, other];
    for (const path of paths) expect(await askAt(path)).toBe(200);
    const [first, second] = places.map(({ requests }) => requests.map(({ path }) => path));
    expect(first).toEqual([limited, other]);
    expect(second).toEqual([limited, limited, limited, other]);
  });

  test('what failed at one is asked at another, however much more that one is asked for', async () => {
    const places = await upstreams(2);
    const [often, seldom] = places;
    often?.script(status(503));
    seldom?.script(good);
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          upstreams: places.map(({ url }, at) => ({
            baseUrl: `${url}/v1`,
            apiKey: 'vendor-key',
            weight: at === 0 ? 9 : 1,
          })),
        },
      },
      retries: { limit: 1 },
      ejection: { failures: 0 },
    });
    expect(await statuses(gateway, 9)).toEqual(Array(9).fill(200));
    expect(often?.requests).toHaveLength(9);
  });

  test('where all are over their limits, the wait that they ask for is kept', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      let over = Number.POSITIVE_INFINITY;
      place.script((wire, request) => {
        over = Math.min(over, request.receivedAt + 300);
        const wait = `${Math.ceil(Math.max(1, over - performance.now()))}`;
        return (performance.now() < over ? status(429, { 'retry-after-ms': wait }) : good)(wire, request);
      });
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([200]);
    expect(places.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(3);
  });

  test('where the keys of all are refused, that is told, and each was asked once', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(401));
    const gateway = await gatewayOf({ vendors: openaiAt(places), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([502]);
    expect(places.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test('one that does not take a text, and says so by a 403, is not left alone for it', async () => {
    const places = await upstreams(2);
    const body = '{"error":"Content violates usage guidelines. Team: 1, API key ID: 2, Model: grok-4"}';
    for (const place of places) place.script((wire) => wire.answer(403, body), good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    const refused = await ask(gateway.url, chat, false);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toBe(
      '{"error":"Content violates usage guidelines. [hidden], Model: grok-4"}',
    );
    expect(await statuses(gateway, 3)).toEqual([403, 200, 200]);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test('one whose account may not ask a model is left alone for no other: who may is asked, and else there is none', async () => {
    const places = await upstreams(2);
    const body =
      '{"error":{"message":"Project `proj_1` does not have access to model `x`","code":"model_not_found"}}';
    for (const place of places) place.script((wire) => wire.answer(403, body));
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    const refused = await ask(gateway.url, chat, false);
    expect(refused.status).toBe(404);
    expect(await refused.text()).not.toContain('proj_1');
    places[1]?.script(good);
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(places[0]?.requests.length).toBeGreaterThan(2);
  });

  test('one that refuses its key something by a 403 is left alone once it refuses it all', async () => {
    const places = await upstreams(2);
    const [first, second] = places;
    const body = '{"error":{"code":403,"message":"The caller does not have permission"}}';
    let turn = 0;
    first?.script((wire, request) => {
      turn += 1;
      return turn % 2 === 0 ? wire.answer(403, body) : good(wire, request);
    });
    second?.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    expect(await statuses(gateway, 20)).toEqual(Array(20).fill(200));
    expect(first?.requests.length).toBeGreaterThan(6);
    first?.script((wire) => wire.answer(403, body));
    const before = first?.requests.length ?? 0;
    expect(await statuses(gateway, 20)).toEqual(Array(20).fill(200));
    expect(first?.requests.length).toBe(before + 5);
  });

  test('one whose key is refused, or has no money left, is left alone at once', async () => {
    for (const body of [
      status(401),
      ((wire) =>
        wire.answer(
          429,
          '{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}',
        )) satisfies Script,
    ]) {
      const places = await upstreams(2);
      const [refused, other] = places;
      refused?.script(body);
      other?.script(good);
      const gateway = await gatewayOf({ vendors: openaiAt(places) });
      expect(await statuses(gateway, 10)).toEqual(Array(10).fill(200));
      expect(refused?.requests).toHaveLength(1);
    }
  });
});

describe('U-39 one of three upstreams', () => {
  test('is dead: callers do not notice; it is left alone after five failures, and asked again when its time is over', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    first?.script(dead);
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      ejection: { duration: 3_000, longest: 3_000 },
    });
    const got = await statuses(gateway, 60);
    expect(got.filter((code) => code !== 200)).toEqual([]);
    expect(first?.requests).toHaveLength(5);
    // Still dead: one request goes to see.
    await sleep(3_600);
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(200));
    expect(first?.requests).toHaveLength(6);
    // Well again.
    first?.script(good);
    await sleep(3_600);
    await statuses(gateway, 30);
    expect(first?.requests.length).toBeGreaterThan(6 + 5);
  });

  test('fails every second time: it is left alone by its share of failures, not the others', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    let turn = 0;
    first?.script((wire, request) => {
      turn += 1;
      return (turn % 3 === 0 ? good : status(503))(wire, request);
    });
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 100, requests: 20 } });
    const got = await statuses(gateway, 150);
    expect(got.filter((code) => code !== 200)).toEqual([]);
    expect(first?.requests).toHaveLength(20);
  });

  test('is slow: most work goes to the others', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    first?.script(async (wire, request) => {
      await sleep(150);
      return good(wire, request);
    });
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    await Promise.all(Array.from({ length: 4 }, () => statuses(gateway, 40)));
    const total = places.reduce((sum, { requests }) => sum + requests.length, 0);
    expect(total).toBe(160);
    expect((first?.requests.length ?? 0) / total).toBeLessThan(0.2);
  });

  test('callers who leave, and requests that are refused, are not its fault', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(400));
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 2 } });
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(400));
    for (const place of places) place.script(() => undefined);
    for (let at = 0; at < 12; at += 1) {
      const caller = new AbortController();
      const before = places.reduce((sum, { requests }) => sum + requests.length, 0);
      const asked = ask(gateway.url, chat, false, { signal: caller.signal });
      asked.catch(() => undefined);
      await eventually(
        () => places.reduce((sum, { requests }) => sum + requests.length, 0) > before,
        'it is sent',
      );
      caller.abort();
    }
    for (const place of places) {
      await eventually(() => place.open() === 0, 'what nobody waits for is aborted');
      place.requests.length = 0;
      place.script(good);
    }
    await statuses(gateway, 4);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test.each([
    ['a redirect', 302, { location: 'https://sign-in.example/' }],
    ['a page', 200, {}],
  ])('answers with %s, all of which takes a while: that is a failure too', async (_, code, headers) => {
    const places = await upstreams(2);
    const [wrong, other] = places;
    wrong?.script(slowPage(code, headers));
    other?.script(good);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      retries: { after: 'failed' },
      ejection: { failures: 3 },
    });
    for (const to of [chat, toOpenAI]) {
      for (let at = 0; at < 10; at += 1) {
        const response = await ask(gateway.url, to, false);
        expect(response.status).toBe(200);
        await response.text();
      }
    }
    expect(wrong?.requests).toHaveLength(3);
  });

  test('breaks its streams in the middle: that is a failure too', async () => {
    const places = await upstreams(2);
    const [breaking, other] = places;
    const stream = streamedAnswer('chat-completions');
    breaking?.script((wire) => {
      wire.stream([stream.slice(0, 900)]);
      setTimeout(() => wire.reset(), 5);
    });
    other?.script((wire) => wire.wholeStream([stream]));
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 3 } });
    for (let at = 0; at < 20; at += 1) await (await ask(gateway.url, chat, true)).text();
    expect(breaking?.requests).toHaveLength(3);
  });
});

describe('an upstream that has no such path', () => {
  const page: Script = (wire) => wire.answer(200, '<html></html>', { 'content-type': 'text/html' });
  test.each([
    ['counts, by 405', '/v1/responses/input_tokens', status(405)],
    ['counts, by 501', '/v1/responses/input_tokens', status(501)],
    ['counts, by a page', '/v1/responses/input_tokens', page],
    ['counts, by a page that takes a while', '/v1/responses/input_tokens', slowPage(200)],
    ['compacts, by 405', '/v1/responses/compact', status(405)],
    ['counts for messages, by 405', '/v1/messages/count_tokens', status(405)],
    ['counts for messages, by words of its own', '/v1/messages/count_tokens', status(200)],
  ])('is well, and asked once: one that %s', async (_, path, script) => {
    const places = await upstreams(2);
    for (const place of places) place.script(script);
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 1 } });
    const said = path.includes('messages')
      ? { messages: [{ role: 'user', content: 'Hi' }] }
      : { input: 'Hi' };
    for (let at = 0; at < 4; at += 1) {
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ model: 'openai/gpt-4o', ...said }),
      });
      expect([400, 405, 501]).toContain(response.status);
      await response.text();
    }
    expect(places.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(4);
    for (const place of places) place.script(good);
    expect(await statuses(gateway, 4)).toEqual(Array(4).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([4, 4]);
  });

  test('and that says so by a 200 is told as it came', async () => {
    const places = await upstreams(2);
    const said =
      '{"error":"Unexpected endpoint or method. (POST /v1/messages/count_tokens). Returning 200 anyway"}';
    for (const place of places) place.script((wire) => wire.answer(200, said));
    const gateway = await gatewayOf({
      vendors: {
        anthropic: { upstreams: places.map(({ url }) => ({ baseUrl: url, apiKey: 'vendor-key' })) },
      },
      retries: { after: 'failed' },
      ejection: { failures: 1 },
    });
    for (let at = 0; at < 4; at += 1) {
      const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
        body: '{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Hi"}]}',
      });
      expect([response.status, await response.text()]).toEqual([200, said]);
    }
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });
});

describe('U-40 all upstreams', () => {
  test('are dead: a 503 at once, one request that sees, and all of them when they are back', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(dead);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      ejection: { failures: 2, duration: 600, longest: 600 },
    });
    await statuses(gateway, 4);
    const asked = (): number => places.reduce((sum, { requests }) => sum + requests.length, 0);
    const before = asked();
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await response.text();
    expect(await statuses(gateway, 20)).toEqual(Array(20).fill(503));
    expect(asked()).toBe(before);
    await sleep(800);
    // Of ten at once, one goes to each to see, and the others are refused.
    for (const place of places) {
      place.script(async (wire, request) => {
        await sleep(100);
        return dead(wire, request);
      });
    }
    await Promise.all(Array.from({ length: 10 }, () => statuses(gateway, 1)));
    expect(asked() - before).toBeLessThanOrEqual(places.length);
    for (const place of places) place.script(good);
    await sleep(800);
    expect(await statuses(gateway, 10)).toEqual(Array(10).fill(200));
  });

  test('are overloaded for one model: the others are still there', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) =>
        (request.body.includes('"gpt-4o"') ? status(503) : good)(wire, request),
      );
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 3 } });
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(503));
    expect(await statuses(gateway, 4, 'openai/gpt-4.1')).toEqual(Array(4).fill(200));
  });

  test('a vendor’s only upstream is left alone where the configuration says so, and not otherwise', async () => {
    for (const lone of [true, false]) {
      const [vendor] = await upstreams(1);
      if (vendor === undefined) throw new Error('There is no vendor.');
      vendor.script(dead);
      const gateway = await gatewayOf({
        vendors: vendorsAtUrl(vendor.url),
        retries: { limit: 0 },
        ejection: { failures: 3, lone },
      });
      expect(await statuses(gateway, 8)).toEqual(
        lone ? [502, 502, 502, 503, 503, 503, 503, 503] : Array(8).fill(502),
      );
      expect(vendor.requests).toHaveLength(lone ? 3 : 8);
    }
  });

  test('one that was left alone is there for all as soon as it begins to answer', async () => {
    const [vendor] = await upstreams(1);
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(`${vendor?.url}`),
      retries: { limit: 0 },
      ejection: { failures: 1, duration: 1_000, longest: 1_000, lone: true },
    });
    vendor?.script(dead);
    expect(await statuses(gateway, 2)).toEqual([502, 503]);
    await sleep(1_200);
    const said = streamedAnswer('chat-completions');
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    vendor?.script(async (wire) => {
      wire.stream([said]);
      await over;
      wire.lastChunk();
    }, good);
    const slow = await ask(gateway.url, chat, true);
    expect(await statuses(gateway, 2)).toEqual([200, 200]);
    end();
    expect(await slow.text()).toBe(said);
  });

  test('are left alone: the next model in the list is asked at once', async () => {
    const places = await upstreams(1);
    const [anthropic] = await upstreams(1);
    anthropic?.script((wire) => wire.answer(200, wholeAnswer('messages')));
    for (const place of places) place.script(dead);
    const gateway = await gatewayOf({
      vendors: {
        openai: { baseUrl: `${places[0]?.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: `${anthropic?.url}`, apiKey: 'y' },
      },
      ejection: { failures: 1, lone: true },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    });
    expect(await statuses(gateway, 5)).toEqual(Array(5).fill(200));
    expect(places[0]?.requests).toHaveLength(1);
    expect(anthropic?.requests).toHaveLength(5);
  });
});
