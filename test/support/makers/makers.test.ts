/** What the makers of open models refuse, at their own place, and the words of other services for what any vendor refuses. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { asText, isObject, tryParseJson } from '../../../src/lib/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { post, WAYS } from '../../sandbox/support.ts';
import { checkService } from './check-request.ts';
import { inOtherWords } from './vary.ts';

let sandbox: Sandbox;
/** The same, with the makers of the models in place of a router that takes all. */
let makers: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ pace: 'none' });
  makers = await startSandbox({ pace: 'none', checkCompatible: checkService });
});
afterAll(() => Promise.all([sandbox.close(), makers.close()]));

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function ask(place: { baseUrl: string; apiKey: string }, body: JsonObject): Promise<Answered> {
  const response = await fetch(`${place.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${place.apiKey}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const hi = { role: 'user', content: 'hi' };
const call = (id: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const asks = (calls: readonly JsonObject[], more: JsonObject = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
  ...more,
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
const said = (more: JsonObject = {}) => ({ role: 'assistant', content: 'a', ...more });
const tool = (more: JsonObject = {}) => ({
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} }, ...more },
});
const schema = {
  type: 'json_schema',
  json_schema: { name: 'a', schema: { type: 'object', properties: {} } },
};
const system = { role: 'system', content: 'Be brief.' };

const DEEPSEEK = 'deepseek/deepseek-v4-pro';
const KIMI = 'moonshotai/kimi-k3';
const MISTRAL = 'mistralai/mistral-medium-3-5';
const QWEN = 'qwen/qwen3.8-max';
const MINIMAX = 'minimax/minimax-m3';
const GLM = 'z-ai/glm-5.2';
const LLAMA = 'meta-llama/llama-4-maverick';

/** The request, the status, and a part of the body; then the same request as the maker takes it. */
const REFUSED: readonly (readonly [
  fault: string,
  model: string,
  body: JsonObject,
  status: number,
  words: string,
  mended: JsonObject,
])[] = [
  [
    'a call without its thought',
    DEEPSEEK,
    { messages: [hi, asks([call('c')]), result('c')] },
    400,
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    { messages: [hi, asks([call('c')], { reasoning_content: ' ' }), result('c')] },
  ],
  [
    'a call without its thought, while it does not think',
    KIMI,
    { messages: [hi, asks([call('c')]), result('c')] },
    400,
    'reasoning_content is missing in assistant tool call message at index 1',
    { messages: [hi, asks([call('c')]), result('c')], thinking: { type: 'disabled' } },
  ],
  [
    'a schema',
    DEEPSEEK,
    { messages: [hi], response_format: schema },
    400,
    'This response_format type is unavailable now',
    { messages: [{ role: 'user', content: 'JSON' }], response_format: { type: 'json_object' } },
  ],
  [
    'two tools of one name',
    DEEPSEEK,
    { messages: [hi], tools: [tool(), tool()] },
    400,
    'Tool names must be unique.',
    { messages: [hi], tools: [tool(), tool({ name: 'g' })] },
  ],
  [
    'a turn without a text',
    KIMI,
    { messages: [hi, said({ content: '' }), hi] },
    400,
    'must not be empty',
    { messages: [hi, said(), hi] },
  ],
  [
    'an unknown field of a message',
    MISTRAL,
    { messages: [hi, said({ reasoning_content: 'hm' }), hi] },
    422,
    '"loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"',
    { messages: [hi, said(), hi] },
  ],
  [
    'stream options',
    MISTRAL,
    { messages: [hi], stream: true, stream_options: { include_usage: true } },
    422,
    '"loc":["body","stream_options"]',
    { messages: [hi], stream: true },
  ],
  [
    'an id of another shape',
    MISTRAL,
    { messages: [hi, asks([call('call_1')]), result('call_1')] },
    400,
    'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
    { messages: [hi, asks([call('aaaaaaaa1')]), result('aaaaaaaa1')] },
  ],
  [
    'an id that repeats',
    MISTRAL,
    {
      messages: [
        hi,
        asks([call('aaaaaaaa1')]),
        result('aaaaaaaa1'),
        asks([call('aaaaaaaa1')]),
        result('aaaaaaaa1'),
      ],
    },
    400,
    'Not the same number of function calls and responses',
    {
      messages: [
        hi,
        asks([call('aaaaaaaa1')]),
        result('aaaaaaaa1'),
        asks([call('aaaaaaaa2')]),
        result('aaaaaaaa2'),
      ],
    },
  ],
  [
    'a message of the user after a tool’s',
    MISTRAL,
    { messages: [hi, asks([call('aaaaaaaa1')]), result('aaaaaaaa1'), hi] },
    400,
    "Unexpected role 'user' after role 'tool'",
    { messages: [hi, asks([call('aaaaaaaa1')]), result('aaaaaaaa1'), said(), hi] },
  ],
  [
    'a late system message',
    QWEN,
    { messages: [hi, said(), system, hi] },
    400,
    'System message must be at the beginning.',
    { messages: [system, hi, said(), hi] },
  ],
  [
    'arguments that are no object',
    QWEN,
    { messages: [hi, asks([call('c', '"{}"')]), result('c')] },
    400,
    'Can only get item pairs from a mapping.',
    { messages: [hi, asks([call('c')]), result('c')] },
  ],
  [
    'a late system message',
    MINIMAX,
    { messages: [hi, said(), system, hi] },
    400,
    'invalid params, chat content has invalid message role: system (2013)',
    { messages: [system, hi, said(), hi] },
  ],
  [
    'an id that repeats in a later turn',
    MINIMAX,
    { messages: [hi, asks([call('c')]), result('c'), asks([call('c')]), result('c')] },
    400,
    'invalid params, duplicate tool_call id: c (2013)',
    { messages: [hi, asks([call('c')]), result('c'), asks([call('d')]), result('d')] },
  ],
  [
    'a schema, without a word about it',
    GLM,
    { messages: [hi], response_format: schema },
    400,
    'Invalid API parameter, please check the documentation.',
    { messages: [hi], response_format: { type: 'json_object' } },
  ],
  [
    'a thought in a message',
    LLAMA,
    { messages: [hi, said({ reasoning_content: 'hm' }), hi] },
    400,
    "'messages.1' : for 'role:assistant' the following must be satisfied",
    { messages: [hi, said(), hi] },
  ],
  [
    'an effort',
    LLAMA,
    { messages: [hi], reasoning_effort: 'low' },
    400,
    "property 'reasoning_effort' is unsupported",
    { messages: [hi] },
  ],
  [
    'some strict tools among others',
    LLAMA,
    { messages: [hi], tools: [tool({ strict: true }), tool({ name: 'g' })] },
    400,
    'strict',
    { messages: [hi], tools: [tool({ strict: true }), tool({ name: 'g', strict: true })] },
  ],
  [
    'a stop sequence',
    'x-ai/grok-4.6',
    { messages: [hi], stop: ['x'] },
    400,
    '"error":"Model grok-4.6 does not support parameter stop."',
    { messages: [hi] },
  ],
  [
    'two messages of one side',
    'perplexity/sonar',
    { messages: [hi, hi] },
    400,
    'should alternate with assistant message(s)',
    { messages: [hi, said(), hi] },
  ],
];

test('DeepSeek takes 16 stop sequences, as the gateway sends it, and no more', async () => {
  const stops = (most: number): JsonObject => ({
    model: DEEPSEEK,
    messages: [hi],
    stop: Array.from({ length: most }, (_, at) => `stop ${at}`),
  });
  expect(await ask(makers.places.compatible, stops(16))).toMatchObject({ status: 200 });
  expect(await ask(makers.places.compatible, stops(17))).toMatchObject({ status: 400 });
});

describe('a maker refuses', () => {
  test.each(REFUSED)('%s: %s', async (_, model, body, status, words, mended) => {
    const refused = await ask(makers.places.compatible, { model, ...body });
    expect(refused).toMatchObject({ status, text: expect.stringContaining(words) });
    expect(await ask(makers.places.compatible, { model, ...mended })).toMatchObject({ status: 200 });
  });

  test.each(REFUSED)('%s, and a router with the model of %s takes it', async (_, model, body) => {
    expect(await ask(sandbox.places.compatible, { model, ...body })).toMatchObject({ status: 200 });
  });
});

describe('with a seed', () => {
  /** A signature of nobody's, which each of the three refuses; and the same request without it. */
  const [path, thought] = WAYS['messages'].ask('hi', false, {
    messages: [
      hi,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'none#' },
          { type: 'text', text: 'a' },
        ],
      },
      hi,
    ],
  });
  const OWN = 'messages.1.content.0: Invalid `signature` in `thinking` block';

  async function refusals(seeds: number): Promise<readonly Answered[]> {
    const all: Answered[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      sandbox.change({ pace: 'none', reword: inOtherWords(seed) });
      all.push(await post(sandbox, 'anthropic', path, thought));
    }
    sandbox.change({ pace: 'none' });
    return all.map(({ status, text }) => ({ status, text: text.replace(/"request_id":"[^"]*"/, '') }));
  }

  test('the words of a refusal vary, and name nothing in about a quarter of all', async () => {
    const all = await refusals(60);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([400, 422]));
    const texts = all.map(({ text }) => text);
    expect(new Set(texts).size).toBeGreaterThan(8);
    const nameless = texts.filter((text) => !/thinking|signature/.test(text)).length;
    expect(nameless).toBeGreaterThan(6);
    expect(nameless).toBeLessThan(25);
  });

  test('the same seed chooses the same words', async () => {
    expect(await refusals(12)).toEqual(await refusals(12));
  });

  test('without one, each vendor has its own words', async () => {
    const { status, text } = await post(sandbox, 'anthropic', path, thought);
    const body = tryParseJson(text);
    const error = isObject(body) ? body['error'] : undefined;
    expect(status).toBe(400);
    expect(isObject(error) && asText(error['message'])).toBe(OWN);
  });

  test('a refusal of the key and of the length stays as it is', async () => {
    makers.change({ pace: 'none', reword: inOtherWords(1) });
    const wrong = { ...makers.places.compatible, apiKey: 'sk-wrong' };
    expect(await ask(wrong, { model: QWEN, messages: [hi] })).toMatchObject({
      status: 401,
      text: expect.stringContaining('Incorrect API key provided'),
    });
    const long = { role: 'user', content: 'word '.repeat(2_000_000) };
    expect(
      await ask(makers.places.compatible, { model: 'perplexity/sonar', messages: [long] }),
    ).toMatchObject({
      status: 400,
      text: expect.stringContaining('context_length_exceeded'),
    });
    makers.change({ pace: 'none' });
  });
});
