/**
 * Calls whose arguments came in pieces (Vertex AI, `streamFunctionCallArguments`), in the history of a caller who sends
 * back what the stream brought: the model that goes on gets whole calls.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((_, response) => response.writeHead(418).end('{}'));
  gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    generateContent: { models: 'all' },
    models: [
      {
        id: 'compatible/m',
        name: 'm',
        created: 1_700_000_000,
        contextWindow: 128_000,
        maxOutputTokens: 32_000,
        prices: { input: 1, output: 2 },
      },
    ],
  });
});
beforeEach(() => void upstream.received.splice(0));
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const call = (fields: JsonObject): JsonObject => ({ functionCall: fields });
const piece = (jsonPath: string, value: JsonObject): JsonObject =>
  call({ partialArgs: [{ jsonPath, ...value }], willContinue: true });

/** As a recorded stream brings two calls: the second one comes whole. */
const CITY: readonly JsonObject[] = [
  { ...call({ name: 'weather', willContinue: true }), thoughtSignature: 'AAAA' },
  piece('$.city', { stringValue: 'Os', willContinue: true }),
  piece('$.city', { stringValue: 'lo', willContinue: true }),
  piece('$.city', { stringValue: '' }),
  piece('$.days[0]', { numberValue: 3 }),
  call({}),
  call({ name: 'time', args: { zone: 'CET' } }),
];
const results = {
  role: 'user',
  parts: ['weather', 'time'].map((name) => ({ functionResponse: { name, response: { output: name } } })),
};
const hello = { role: 'user', parts: [{ text: 'Hello?' }] };

const snake = (value: Json): Json =>
  parseJson(
    JSON.stringify(value)
      .replaceAll('functionCall"', 'function_call"')
      .replaceAll('partialArgs', 'partial_args')
      .replaceAll('willContinue', 'will_continue')
      .replaceAll('jsonPath', 'json_path')
      .replaceAll('stringValue', 'string_value')
      .replaceAll('numberValue', 'number_value'),
  );

const HISTORIES: Readonly<Record<string, Json>> = {
  'in one content': [hello, { role: 'model', parts: CITY }, results],
  'in contents of their own': [hello, ...CITY.map((part) => ({ role: 'model', parts: [part] })), results],
  'in snake_case': [hello, snake({ role: 'model', parts: CITY }), results],
  'without an end': [hello, { role: 'model', parts: CITY.toSpliced(5, 1) }, results],
};

type Call = readonly [name: unknown, input: unknown, id: unknown];

const READ: Readonly<Record<string, (sent: JsonObject) => { calls: readonly Call[]; answered: unknown[] }>> =
  {
    'compatible/m': ({ messages }) => ({
      calls: asObjects(asObjects(messages)[1]?.['tool_calls']).map(({ id, function: fn }) => [
        asObject(fn)?.['name'],
        parseJson(String(asObject(fn)?.['arguments'])),
        id,
      ]),
      answered: asObjects(messages).flatMap((message) => message['tool_call_id'] ?? []),
    }),
    'openai/gpt-5.4': ({ input }) => ({
      calls: asObjects(input)
        .filter(({ type }) => type === 'function_call')
        .map(({ name, arguments: text, call_id }) => [name, parseJson(String(text)), call_id]),
      answered: asObjects(input).flatMap(({ type, call_id }) =>
        type === 'function_call_output' ? [call_id] : [],
      ),
    }),
    'anthropic/claude-sonnet-4-5': ({ messages }) => ({
      calls: asObjects(asObjects(messages)[1]?.['content']).map(({ name, input, id }) => [name, input, id]),
      answered: asObjects(asObjects(messages)[2]?.['content']).map(({ tool_use_id }) => tool_use_id),
    }),
  };

describe.each(Object.entries(HISTORIES))('%s', (_, contents) => {
  test.each(Object.keys(READ))('reach %s as whole calls, each with its result', async (model) => {
    const response = await postJson(`${gateway.url}/v1beta/models/${model}:generateContent`, { contents });
    const sent = asObject(parseJson(upstream.received[0]?.body.toString() ?? 'null'));
    expect(sent, await response.text()).toBeDefined();
    const { calls, answered } = READ[model]?.(sent ?? {}) ?? { calls: [], answered: [] };
    expect(calls.map(([name, input]) => [name, input])).toEqual([
      ['weather', { city: 'Oslo', days: [3] }],
      ['time', { zone: 'CET' }],
    ]);
    expect(answered).toEqual(calls.map(([, , id]) => id));
    expect(JSON.stringify(sent)).not.toMatch(/partial|continue/i);
  });
});

test('an argument that has no place in its call is the caller’s mistake', async () => {
  const parts = [call({ name: 'f', partialArgs: [{ jsonPath: '$.a[7]', stringValue: 'x' }] })];
  const response = await postJson(`${gateway.url}/v1beta/models/openai/gpt-5.4:generateContent`, {
    contents: [hello, { role: 'model', parts }, hello],
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('contents[1].parts[0].functionCall.partialArgs');
});
