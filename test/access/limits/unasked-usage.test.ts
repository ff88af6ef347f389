/**
 * Streams of keys with limits on tokens or money: their usage is known whether or not the caller asked for
 * it.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';

const LIMITED = 'gw-test-key-with-limits';

let upstream: TestUpstream;
let gateway: TestGateway;
/** Whether the vendor refuses `stream_options`. */
let refusesOption: boolean;
beforeEach(async () => {
  refusesOption = false;
  upstream = await startUpstream(({ body }, response) => {
    const { stream, stream_options: options } = JSON.parse(body.toString());
    if (refusesOption && options !== undefined) {
      const message = "Unknown parameter: 'stream_options'.";
      json(response, { error: { message, param: 'stream_options' } }, 400);
      return;
    }
    const text = stream ? streamed(options?.include_usage === true) : WHOLE;
    if (body.includes('break off')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text.slice(0, -20), () => response.destroy());
      return;
    }
    const type = stream ? 'text/event-stream; charset=utf-8' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    if (body.includes('at length')) for (const words of LENGTHY) response.write(spoken(words, true));
    response.end(text);
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const WHOLE = '{"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}';

/** More than the buffers of the connections along the way hold. */
const LENGTHY = Array.from({ length: 200 }, (_, at) => `<${at}>`.padEnd(50_000, '.'));

/** A piece of an answer, and the part that only callers who ask for usage receive. */
const spoken = (content: string, asked: boolean): string =>
  `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]${asked ? ',"usage":null' : ''}}\n\n`;

/** What OpenAI sends, and the part that is only sent on request. */
function streamed(asked: boolean): string {
  const head = '"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt-4.1-2025-04-14"';
  const nothing = asked ? ',"usage":null' : '';
  const chunk = (choices: string, more = ''): string =>
    `data: {${head},"choices":${choices}${nothing},"obfuscation":"x"${more}}\n\n`;
  const usage = `data: {${head},"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":7,"total_tokens":1000007},"obfuscation":"y"}\n\n`;
  return [
    ': \u{1f600}\n\n',
    // Azure's first chunk.
    chunk('[]', ',"prompt_filter_results":[]'),
    chunk(
      '[{"index":0,"delta":{"role":"assistant","content":"\\"usage\\":null, \\u00e9 é"},"finish_reason":null}]',
    ),
    chunk('[{"index":0,"delta":{},"finish_reason":"stop"}]'),
    asked ? usage : '',
    'data: [DONE]\n\n',
  ].join('');
}

async function open(
  limits: KeyLimits,
  vendors: ConfigInput['vendors'] = {},
  usage: ConfigInput['usage'] = {},
): Promise<void> {
  gateway = await startGateway({
    usage,
    vendors: { ...vendorsAtUrl(upstream.url), ...vendors },
    keys: [{ name: 'limited', key: LIMITED, limits }],
  });
}

async function ask(body: string, key = LIMITED): Promise<{ status: number; text: string }> {
  const response = await postJson(`${gateway.url}/v1/chat/completions`, body, { key });
  return { status: response.status, text: await response.text() };
}

const sent = (): string[] => upstream.received.map(({ body }) => body.toString());
const PLAIN = '{"model":"gpt-4.1","stream":true,"messages":[]}';

describe.each<[string, KeyLimits]>([
  ['tokensPerMinute', { tokensPerMinute: 1_000 }],
  ['budgetDay', { budgetDay: 0.01 }],
  ['budgetMonth', { budgetMonth: 0.01 }],
])('%s', (_, limits) => {
  test('a native stream is counted, and its caller receives what it asked for, byte for byte', async () => {
    await open(limits);
    expect(await ask(PLAIN)).toEqual({ status: 200, text: streamed(false) });
    await expect.poll(async () => (await ask(PLAIN)).status).toBe(429);
  });
});

test('a long stream arrives unchanged, however fast the vendor is', async () => {
  await open({ budgetDay: 100 });
  const { text } = await ask(PLAIN.replace('[]', '["at length"]'));
  expect(text).toBe(LENGTHY.map((words) => spoken(words, false)).join('') + streamed(false));
});

test('a stream that breaks off within a line ends with an error, as every other does', async () => {
  await open({ budgetDay: 100 });
  const { text } = await ask(PLAIN.replace('[]', '["break off"]'));
  const error = text.indexOf('data: {"error":');
  expect(text.slice(0, error).trimEnd()).toBe(
    streamed(true).slice(0, -20).replaceAll(',"usage":null', '').trimEnd(),
  );
  expect(text.slice(error)).toMatch(/^data: \{"error":\{[^\n]*\}\n\n$/);
});

describe('the request is unchanged except for the added option', () => {
  const around = (options: string): string =>
    ` {"model":"gpt-4.1", "stream_options" : ${options} ,"stream": true,"n":1.0,"messages":[{"a":1,"a":2}]}\n`;
  test.each([
    [PLAIN, `{"stream_options":{"include_usage":true},${PLAIN.slice(1)}`],
    [around('null'), around('{"include_usage":true}')],
    [around('{ }'), around('{"include_usage":true }')],
    [around('{ "x": 1.0}'), around('{"include_usage":true, "x": 1.0}')],
    [around('{"include_usage" : false,"x":[1 ]}'), around('{"include_usage" : true,"x":[1 ]}')],
    [around('{"x":{"include_usage":true}}'), around('{"include_usage":true,"x":{"include_usage":true}}')],
    [around('{"include\\u005fusage":null}'), around('{"include\\u005fusage":true}')],
    // The vendor has another name for the model, so the bytes after it have moved.
    [around('{"x":1}').replace('gpt-4.1', 'openai/gpt-4.1'), around('{"include_usage":true,"x":1}')],
    [
      '{"stream":true,"stream_options":null,"model":"openai/gpt-4.1","messages":[]}',
      '{"stream":true,"stream_options":{"include_usage":true},"model":"gpt-4.1","messages":[]}',
    ],
  ])('%s', async (asked, expected) => {
    await open({ budgetDay: 100 });
    expect(await ask(asked)).toEqual({ status: 200, text: streamed(false) });
    expect(sent()).toEqual([expected]);
  });

  test('ambiguous stream options are rejected', async () => {
    await open({ budgetDay: 100 });
    const { status } = await ask(around('{"include_usage":true,"include_usage":false}'));
    expect(status).toBe(400);
    expect(sent()).toEqual([]);
  });
});

test('for every key, if the configuration says so', async () => {
  await open({}, {}, { ask: 'always' });
  const asked = `{"stream_options":{"include_usage":true},${PLAIN.slice(1)}`;
  for (const key of [LIMITED, KEY])
    expect(await ask(PLAIN, key)).toEqual({ status: 200, text: streamed(false) });
  expect(sent()).toEqual([asked, asked]);
});

test('a service that refuses the question is asked without it, and not asked again', async () => {
  await open({}, {}, { ask: 'always' });
  refusesOption = true;
  for (const _ of [1, 2]) expect(await ask(PLAIN)).toEqual({ status: 200, text: streamed(false) });
  expect(sent()).toEqual([`{"stream_options":{"include_usage":true},${PLAIN.slice(1)}`, PLAIN, PLAIN]);
});

describe('nothing is changed', () => {
  const asking = '{"model":"gpt-4.1","stream":true,"stream_options":{"include_usage": true},"messages":[]}';
  const whole = '{"model":"gpt-4.1","stream":false,"messages":[]}';
  test.each([
    ['of a caller who asks', asking, streamed(true)],
    ['of an answer that is no stream', whole, WHOLE],
  ])('%s', async (_, body, text) => {
    await open({ budgetDay: 100 });
    expect(await ask(body)).toEqual({ status: 200, text });
    expect(sent()).toEqual([body]);
  });

  test('for a key without limits, or with limits that do not depend on usage', async () => {
    await open({ requestsPerMinute: 100, concurrentRequests: 9 });
    for (const key of [LIMITED, KEY]) {
      expect(await ask(PLAIN, key)).toEqual({ status: 200, text: streamed(false) });
    }
    expect(sent()).toEqual([PLAIN, PLAIN]);
  });

  test('if the service reports usage unasked and rejects the option', async () => {
    const mistralai = { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key-mistral' };
    await open({ budgetDay: 100 }, { mistralai });
    const body = '{"model":"mistralai/mistral-large-2512","stream":true,"messages":[]}';
    const { status } = await ask(body);
    expect(status).toBe(200);
    expect(sent()).toEqual(['{"model":"mistral-large-2512","stream":true,"messages":[]}']);
  });
});

describe('for an answer that would not report its usage', () => {
  const GEMINI = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
  const hiding =
    'fields=candidates&$fields=candidates&callback=x&%24httpHeaders=X-Goog-FieldMask%3Acandidates';
  const post = (path: string, body: string, key: string): Promise<Response> =>
    postJson(gateway.url + path, body, {
      key,
      headers: { 'x-goog-fieldmask': 'candidates', 'x-goog-api-client': 'google-genai-sdk/3.1.0' },
    });
  const sent = () => upstream.received.at(-1);

  test('Google is asked for all fields, as JSON: field masks and other encodings are not passed on', async () => {
    await open({ budgetDay: 1 });
    for (const [query, passed] of [
      [`alt=sse&${hiding}&alt=proto`, '?alt=sse'],
      [`alt=json&${hiding}`, '?alt=json'],
      [`alt=proto&${hiding}`, ''],
      [`$alt=proto&${hiding}`, ''],
      [`alt=sse&$alt=proto&${hiding}`, '?alt=sse'],
      [`$alt=json;enum-encoding=int&${hiding}`, '?%24alt=json%3Benum-encoding%3Dint'],
      [`$alt=json;enum-encoding=int;charset=x&${hiding}`, ''],
    ]) {
      await post(`${GEMINI}?${query}`, '{"contents":[]}', LIMITED);
      expect(sent()?.url).toBe(`${GEMINI}${passed}`);
      expect(sent()?.headers['x-goog-fieldmask']).toBeUndefined();
      expect(sent()?.headers['x-goog-api-client']).toBe('google-genai-sdk/3.1.0');
    }
  });

  test('they are passed on for a key whose usage does not count, unless usage is always requested', async () => {
    await open({ requestsPerMinute: 100 });
    for (const key of [LIMITED, KEY]) {
      await post(`${GEMINI}?fields=candidates`, '{"contents":[]}', key);
      expect(sent()?.url).toBe(`${GEMINI}?fields=candidates`);
      expect(sent()?.headers['x-goog-fieldmask']).toBe('candidates');
    }
    await gateway.close();
    await open({}, {}, { ask: 'always' });
    await post(`${GEMINI}?fields=candidates`, '{"contents":[]}', KEY);
    expect(sent()?.url).toBe(GEMINI);
  });

  test('OpenAI is not asked for a response in the background', async () => {
    await open({ tokensPerMinute: 1_000 });
    for (const background of ['true', '"true"', '1']) {
      const before = upstream.received.length;
      const body = `{"model":"gpt-5.4","input":"x","background":${background}}`;
      const response = await post('/v1/responses', body, LIMITED);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: 'background' } });
      expect(upstream.received).toHaveLength(before);
      expect((await post('/v1/responses', body, KEY)).status).toBe(200);
    }
    for (const background of ['false', 'null']) {
      const body = `{"model":"gpt-5.4","input":"x","background":${background}}`;
      expect((await post('/v1/responses', body, LIMITED)).status).toBe(200);
    }
  });
});
