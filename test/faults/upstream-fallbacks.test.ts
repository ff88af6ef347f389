/** Fallbacks to another model when one cannot answer. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Script } from '../support/fault-upstream.ts';
import { KEY, startRecorded } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { eventually } from '../support/raw.ts';
import { chat, dead, good, status, statuses, toOpenAI, usePlaces, waiting } from './upstream-places.ts';
import { ask, eventsIn, isErrorEvent, streamedAnswer, wholeAnswer } from './upstream-ways.ts';

const { gatewayOf, open, upstreams } = usePlaces();

describe('fallbacks', () => {
  const fallbacks = {
    'openai/gpt-4o': ['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'],
    'google/gemini-2.5-flash': ['openai/gpt-4o', 'google/gemini-2.5-pro'],
  };
  /** Each vendor at its own address. */
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
    return {
      gateway: await gatewayOf({ vendors, fallbacks, countTokens: { models: 'all' }, ...input }),
      ...places,
    };
  }

  test.each<[string, Script]>([
    ['a failure', status(500)],
    ['an overload', status(503)],
    ['a rate limit', status(429)],
    ['a refused key', status(401)],
    [
      'a retired model',
      (wire) => wire.answer(404, '{"error":{"message":"The model is retired.","code":"model_not_found"}}'),
    ],
    [
      'a retired model whose refusal is a bad request',
      (wire) => wire.answer(400, '{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}'),
    ],
    ['a page of a server that knows no such path', (wire) => wire.answer(404, '404 page not found')],
    ['a deployment that is gone', (wire) => wire.answer(404, '{"error":{"message":"Resource not found"}}')],
    ['a reset', dead],
    ['an answer that breaks off before any content', (wire) => wire.fin()],
  ])('the next model is asked after %s, translated as it requires', async (_, script) => {
    const { gateway, openai, anthropic } = await three();
    openai.script(script);
    const response = await ask(gateway.url, chat, false);
    const body = JSON.parse(await response.text());
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gateway-model')).toBe('anthropic/claude-sonnet-4-5');
    // In the caller's format, from a vendor that speaks another.
    expect(body.object).toBe('chat.completion');
    expect(body.choices[0].message.content).not.toBe('');
    expect(openai.requests).toHaveLength(1);
    const [sent] = anthropic.requests;
    expect(sent?.path).toBe('/v1/messages');
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({ model: 'claude-sonnet-4-5' });
    expect(sent?.head).toContain('vendor-key-anthropic');
    expect(sent?.head).not.toContain('vendor-key-openai');
  });

  test('no other model is asked if what the request names is not found, and the caller gets that refusal', async () => {
    const { gateway, openai, anthropic, google } = await three();
    const refusal = '{"error":{"message":"No such File object: file-1","type":"invalid_request_error"}}';
    openai.script((wire) => wire.answer(404, refusal));
    const content = [{ type: 'file', file: { file_id: 'file-1' } }];
    const response = await postJson(`${gateway.url}/v1/chat/completions`, {
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content }],
    });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('No such File object');
    expect(anthropic.requests).toHaveLength(0);
    expect(google.requests).toHaveLength(0);
  });

  test('an answer of the requested model does not name its model in a header', async () => {
    const { gateway, openai } = await three();
    openai.script(status(503), good);
    for (const retried of [true, false]) {
      const response = await ask(gateway.url, chat, false);
      await response.text();
      expect(response.headers.get('x-gateway-model')).toBe(retried ? 'anthropic/claude-sonnet-4-5' : null);
    }
  });

  test('the requested model and its failure are recorded together with the model that answered', async () => {
    const { vendors, openai, anthropic, google } = await threeVendors();
    const gateway = await startRecorded({
      vendors,
      fallbacks,
      retries: { after: 'failed', limit: 2, wait: 1, perSecond: 1_000 },
    });
    open.push(gateway);
    openai.script(status(500));
    await (await ask(gateway.url, chat, false)).text();
    const gaveWay = { model: 'openai/gpt-4o', vendor: 'openai', fault: 'upstream-broken', attempts: 1 };
    await expect
      .poll(() => gateway.records)
      .toMatchObject([
        { model: 'anthropic/claude-sonnet-4-5', vendor: 'anthropic', attempts: 2, gaveWay: [gaveWay] },
      ]);
    // Several failures of each, and the one that was requested first.
    const between = {
      model: 'anthropic/claude-sonnet-4-5',
      vendor: 'anthropic',
      fault: 'upstream-overloaded',
    };
    anthropic.script(status(503));
    await (await ask(gateway.url, chat, false)).text();
    await expect
      .poll(() => gateway.records[1])
      .toMatchObject({
        model: 'google/gemini-2.5-flash',
        vendor: 'google',
        attempts: 3,
        gaveWay: [gaveWay, { ...between, attempts: 1 }],
      });
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
  ])('none for a token count: another model counts differently (%s)', async (path, prompt) => {
    const { gateway, openai, anthropic, google } = await three();
    openai.script(status(500));
    const response = await postJson(gateway.url + path, { model: 'openai/gpt-4o', ...prompt });
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(openai.requests[0]?.path).toBe('/v1/responses/input_tokens');
    expect([...anthropic.requests, ...google.requests]).toEqual([]);
  });

  test('a model of the same format gets the caller’s body, except for the model name', async () => {
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
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [], generation_config: { max_output_tokens: '60000' } },
      { contents: [], generation_config: { max_output_tokens: 8_192 } },
    ],
    [
      '/v1/chat/completions',
      { model: 'openai/gpt-4.1', max_tokens: 16_384, n: 1e3, messages: [] },
      { model: 'gpt-4o', max_tokens: 16_384, n: 1e3, messages: [] },
    ],
  ])('%s: requests no longer an answer than its model can give', async (path, asked, sent) => {
    const { gateway, openai, anthropic, google } = await three({
      fallbacks: {
        'openai/gpt-4.1': ['openai/gpt-4o'],
        'anthropic/claude-opus-4-8': ['anthropic/claude-haiku-4-5'],
        'google/gemini-2.5-flash': ['google/gemini-2.0-flash'],
      },
    });
    for (const place of [openai, anthropic, google]) place.script(status(503));
    const response = await postJson(`${gateway.url}${path}`, asked, { headers: { 'x-goog-api-key': KEY } });
    await response.text();
    const [, second] = [openai, anthropic, google].flatMap(({ requests }) => requests);
    expect(second?.body.toString()).toBe(JSON.stringify(sent));
  });

  test.each<[string, string, object, object]>([
    [
      'adaptive thinking, for a model with a thinking budget',
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
      'a thinking budget above the output limit of the other model',
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
      'an effort level, for a model with a token budget',
      '/v1beta/models/gemini-3.8-flash:generateContent',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
    ],
    [
      'an effort, for a model that does not think',
      '/v1/chat/completions',
      { model: 'openai/gpt-5.4', reasoning_effort: 'low', max_completion_tokens: 9 },
      { model: 'gpt-4.1', max_completion_tokens: 9 },
    ],
  ])('a request written for another model is adapted to this one: %s', async (_, path, more, sent) => {
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
    const response = await postJson(
      `${gateway.url}${path}`,
      { ...words, ...more },
      {
        headers: {
          'x-goog-api-key': KEY,
          'anthropic-beta': 'context-management-2025-06-27',
          'idempotency-key': 'as-it-was-written',
        },
      },
    );
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    const requests = answers.flatMap(([place]) => place.requests);
    expect(requests).toHaveLength(3);
    const last = requests.at(-1);
    const { messages, contents, ...settings } = JSON.parse(last?.body.toString() ?? '');
    expect(settings).toEqual(sent);
    expect(JSON.stringify(messages ?? contents)).toContain('"Hi"');
    // A model with a thinking budget accepts no system message in the middle either, as Claude Code sends them.
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

  test('thinking is removed for a model that does not think, whichever setting it refuses first', async () => {
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
      const response = await postJson(`${gateway.url}/v1/responses`, {
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
      });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      const { reasoning, input, include } = JSON.parse(openai.requests.at(-1)?.body.toString() ?? '');
      expect(include).toBeUndefined();
      expect(reasoning).toBeUndefined();
      expect(JSON.stringify(input)).not.toContain('gAAAA');
      expect(input).toHaveLength(3);
    }
  });

  /** The requests to a fallback Claude that refuses the body as written. */
  async function askedInstead(
    from: string,
    to: string,
    body: object,
    refusals = [status(400)],
  ): Promise<Record<string, unknown>> {
    const { gateway, anthropic } = await three({ fallbacks: { [`anthropic/${from}`]: [`anthropic/${to}`] } });
    anthropic.script(status(503), ...refusals, (wire) => wire.answer(200, wholeAnswer('messages')));
    const response = await postJson(`${gateway.url}/v1/messages`, {
      model: from,
      max_tokens: 9_000,
      ...body,
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

  test('a Claude before 4.8 gets no system message in the middle, even if it has effort levels', async () => {
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

  test('nor one that adds a tool, which is then in the list from the beginning', async () => {
    const tool = { name: 'f', input_schema: { type: 'object', properties: {} } };
    const brings = { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool } };
    const dialogue = [saying('assistant', words('Yes?')), saying('user', words('Why?'))];
    const said = await askedInstead('claude-opus-5', 'claude-sonnet-4-6', {
      messages: [HI, saying('system', brings), ...dialogue, saying('system', brings)],
    });
    expect(said).toEqual({ messages: [HI, ...dialogue], tools: [tool] });
  });

  test('amid calls that came without thinking, a model with a thinking budget does not think', async () => {
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

  test("leftovers of other vendors' models in the dialogue are removed as well", async () => {
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

  test('finally thinking is removed, if that is what the model refuses', async () => {
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
    'nor does a model without effort levels get one: %s',
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
  ])('and without thinking, the effort is at most high: %s', async (model, type) => {
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

  test('and a model that cannot continue an answer gets a message to continue from', async () => {
    const said = await askedInstead('claude-haiku-4-5', 'claude-sonnet-5-5', {
      messages: [HI, saying('assistant', words('Well'))],
    });
    expect(said).toEqual({
      messages: [HI, saying('assistant', words('Well')), saying('user', words('Continue.'))],
    });
  });

  describe('for a caller whose stream began while the first model was waited for', () => {
    /** What such a caller gets: the vendor fails only after the stream has begun. */
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

    test('a stream in the caller’s own format passes unchanged', async () => {
      const stream = streamedAnswer('messages');
      const text = await answered((wire) => wire.wholeStream([stream]));
      expect(text.endsWith(stream)).toBe(true);
      expect(text.slice(0, -stream.length)).toMatch(/^(?:event: ping\ndata: {"type": ?"ping"}\n\n)+$/);
    });

    /** What is reported about the requested model if the next one did no better, or what is wrong here. */
    test.each<[string, Script, string]>([
      ['a refusal', status(400), 'said 503'],
      ['no stream', (wire) => wire.answer(200, wholeAnswer('messages')), 'not a stream'],
    ])('%s is an error in the stream', async (_, script, message) => {
      const last = eventsIn(await answered(script)).at(-1);
      expect(last && isErrorEvent('messages', last)).toBe(true);
      expect(last?.data).toContain(message);
    });

    test('a body that is not a stream, and has no end, is not waited for', async () => {
      let gone: Promise<number> | undefined;
      const text = await answered((wire) => {
        gone = wire.gone;
        wire.head(200);
        wire.chunk('{"type":');
      });
      expect(text).toContain('not a stream');
      expect(await gone).toBeGreaterThan(0);
    });

    test('no keep-alive comes once the answer is complete, or the caller has left', async () => {
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

  test('an error of the request itself goes to no fallback', async () => {
    const { gateway, openai, anthropic } = await three();
    for (const code of [400, 413, 422]) {
      openai.script(status(code));
      expect(await statuses(gateway, 1)).toEqual([code]);
    }
    expect(anthropic.requests).toHaveLength(0);
  });

  test('the list is tried in order, up to the limit; the reported error is that of the requested model', async () => {
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

  test('a key asks no model that it may not use', async () => {
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

  test('a generate-content body that names the model itself has no fallback', async () => {
    const { gateway, google } = await three();
    google.script(status(503), (wire) => wire.answer(200, wholeAnswer('generate-content')));
    const response = await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      body: '{"contents":[],"model":"models/gemini-2.5-flash"}',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    });
    expect(response.status).toBe(200);
    await response.text();
    // It is retried, since the model was overloaded.
    const asked = '/v1beta/models/gemini-2.5-flash:generateContent';
    expect(google.requests.map(({ path }) => path)).toEqual([asked, asked]);
  });

  test('a request that the next model cannot accept is answered with the failure of the first', async () => {
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
