/**
 * What a request's own vendor would refuse as unknown is refused, or reaches the vendor that answers: nothing is lost
 * in silence when a request is translated. The own vendor judges by itself.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { asObject, asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((_, response) => response.writeHead(418).end('{}'));
  gateway = await startGateway({
    vendors: {
      ...vendorsAtUrl(upstream.url),
      responder: { baseUrl: `${upstream.url}/v1`, apiKey: 'a-key', formats: ['responses'] },
    },
    generateContent: { models: 'all' },
    countTokens: { models: 'all' },
    models: ['compatible/m', 'responder/m'].map((id) => ({
      id,
      name: 'm',
      created: 1_700_000_000,
      contextWindow: 128_000,
      maxOutputTokens: 32_000,
      prices: { input: 1, output: 2 },
    })),
  });
});
beforeEach(() => void upstream.received.splice(0));
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const MODELS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'compatible/m',
  responses: 'responder/m',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'google/gemini-3.8-flash',
};

const hello = { messages: [{ role: 'user', content: 'Hello?' }] };
const LEAST: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': hello,
  responses: { input: 'Hello?' },
  messages: { ...hello, max_tokens: 4000 },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }] },
};

async function ask(from: FormatName, to: FormatName, more: JsonObject) {
  const isGoogle = from === 'generate-content';
  const model = MODELS[to].replace(/^google\//, isGoogle ? '' : 'google/');
  const path = isGoogle
    ? `/v1beta/models/${model}:generateContent`
    : `/v1/${from === 'chat-completions' ? 'chat/completions' : from}`;
  const response = await postJson(gateway.url + path, {
    ...LEAST[from],
    ...(!isGoogle && { model }),
    ...more,
  });
  return {
    status: response.status,
    error: asObject(Object(parseJson(await response.text()))['error']) ?? {},
  };
}

const f = { name: 'f', parameters: { type: 'object', properties: {} } };
const chatTool = { type: 'function', function: f };
const anthropicTool = { name: 'f', input_schema: { type: 'object', properties: {} } };

/** What is not known: the format, the field of the error, its message, and the request. */
const UNKNOWN: readonly (readonly [FormatName, param: string, message: RegExp, body: JsonObject])[] = [
  ['generate-content', 'contents', /contents is not specified/, { contents: [] }],
  [
    'chat-completions',
    'tool_choice',
    /Tool choice 'g' not found/,
    { tools: [chatTool], tool_choice: { type: 'function', function: { name: 'g' } } },
  ],
  [
    'responses',
    'tool_choice',
    /Tool choice 'g' not found/,
    { tools: [{ type: 'function', ...f }], tool_choice: { type: 'function', name: 'g' } },
  ],
  [
    'messages',
    'tool_choice',
    /Tool 'g' not found in provided tools/,
    { tools: [anthropicTool], tool_choice: { type: 'tool', name: 'g' } },
  ],
  [
    'generate-content',
    'toolConfig.functionCallingConfig.allowedFunctionNames',
    /allowed_function_names that are not declared: g/,
    {
      tools: [{ functionDeclarations: [f] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } },
    },
  ],
  ['chat-completions', 'reasoning.x', /Unknown parameter: 'reasoning.x'/, { reasoning: { x: 1 } }],
  ['chat-completions', 'thinking.x', /Unknown parameter/, { thinking: { type: 'enabled', x: 1 } }],
  ['chat-completions', 'thinking.type', /Invalid value: 'much'/, { thinking: { type: 'much' } }],
  ['chat-completions', 'reasoning_effort', /Invalid value: 'huge'/, { reasoning_effort: 'huge' }],
  ['chat-completions', 'stream_options.x', /Unknown parameter/, { stream: true, stream_options: { x: 1 } }],
  ['chat-completions', 'response_format.type', /Invalid value: 'xml'/, { response_format: { type: 'xml' } }],
  [
    'chat-completions',
    'response_format.json_schema.x',
    /Unknown parameter/,
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: f.parameters, x: 1 } } },
  ],
  [
    'chat-completions',
    'tools[1].type',
    /Invalid value: 'telepathy'/,
    { tools: [chatTool, { type: 'telepathy' }] },
  ],
  [
    'chat-completions',
    'tool_choice.x',
    /Unknown parameter/,
    { tools: [chatTool], tool_choice: { type: 'function', function: { name: 'f' }, x: 1 } },
  ],
  ['chat-completions', 'n', /Expected a value >= 1, but got 0/, { n: 0 }],
  ['chat-completions', 'max_tokens', /Expected a value >= 1, but got -1/, { max_tokens: -1 }],
  [
    'chat-completions',
    'max_completion_tokens',
    /Expected a value >= 1, but got 0/,
    { max_completion_tokens: 0 },
  ],
  [
    'chat-completions',
    'metadata.tags',
    /Invalid type for 'metadata.tags': expected a string, but got an array instead/,
    { metadata: { tags: ['a'] } },
  ],
  ['responses', 'metadata.a', /expected a string, but got an integer/, { metadata: { a: 1 } }],
  ['responses', 'reasoning.x', /Unknown parameter: 'reasoning.x'/, { reasoning: { effort: 'low', x: 1 } }],
  ['responses', 'text.x', /Unknown parameter: 'text.x'/, { text: { x: 1 } }],
  ['responses', 'text.format.x', /Unknown parameter/, { text: { format: { type: 'text', x: 1 } } }],
  [
    'responses',
    'tool_choice.x',
    /Unknown parameter/,
    { tools: [{ type: 'function', ...f }], tool_choice: { type: 'function', name: 'f', x: 1 } },
  ],
  ['responses', 'tools[0].type', /Invalid value: 'telepathy'/, { tools: [{ type: 'telepathy' }] }],
  ['responses', 'include[0]', /Invalid value: 'everything'/, { include: ['everything'] }],
  ['responses', 'truncation', /Invalid value: 'often'/, { truncation: 'often' }],
  [
    'messages',
    'thinking.x',
    /^thinking.x: Extra inputs are not permitted$/,
    { thinking: { type: 'adaptive', x: 1 } },
  ],
  ['messages', 'thinking', /Input tag 'much' found using 'type'/, { thinking: { type: 'much' } }],
  ['messages', 'output_config.x', /Extra inputs/, { output_config: { x: 1 } }],
  ['messages', 'output_config.effort', /Input should be 'low'/, { output_config: { effort: 'huge' } }],
  ['messages', 'output_config.format', /Input tag 'xml'/, { output_config: { format: { type: 'xml' } } }],
  [
    'messages',
    'tool_choice.x',
    /Extra inputs/,
    { tools: [anthropicTool], tool_choice: { type: 'auto', x: 1 } },
  ],
  ['messages', 'metadata.x', /Extra inputs/, { metadata: { x: 1 } }],
  [
    'messages',
    'tools.1',
    /Input tag 'telepathy_20270101'/,
    { tools: [anthropicTool, { type: 'telepathy_20270101', name: 't' }] },
  ],
  ['messages', 'tools', /Tool names must be unique/, { tools: [anthropicTool, anthropicTool] }],
  [
    'generate-content',
    'contents[0].parts[1].hologram',
    /Unknown name "hologram" at 'contents\[0\].parts\[1\]': Cannot find field/,
    { contents: [{ role: 'user', parts: [{ text: 'x' }, { hologram: { data: 'AAAA' } }] }] },
  ],
  ['generate-content', 'tools.telepathy', /Unknown name "telepathy"/, { tools: [{ telepathy: {} }] }],
  [
    'generate-content',
    'generationConfig.thinkingConfig.x',
    /Unknown name "x" at 'generation_config.thinking_config'/,
    { generationConfig: { thinkingConfig: { x: 1 } } },
  ],
  [
    'generate-content',
    'generation_config.thinking_config.x',
    /Unknown name "x"/,
    { generation_config: { thinking_config: { x: 1 } } },
  ],
  [
    'generate-content',
    'toolConfig.functionCallingConfig.x',
    /Unknown name/,
    { toolConfig: { functionCallingConfig: { x: 1 } } },
  ],
  [
    'generate-content',
    'systemInstruction.x',
    /Unknown name/,
    { systemInstruction: { parts: [{ text: 'x' }], x: 1 } },
  ],
  [
    'generate-content',
    'generationConfig.responseMimeType',
    /allowed mimetypes are/,
    { generationConfig: { responseMimeType: 'text/x.poem' } },
  ],
  [
    'generate-content',
    'tools',
    /Duplicate function declaration found: f/,
    { tools: [{ functionDeclarations: [f, f] }] },
  ],
];

describe.each(UNKNOWN)('%s: %s', (from, param, message, body) => {
  const others = (Object.keys(MODELS) as FormatName[]).filter((to) => to !== from);

  test.each(others)('is refused before a model that speaks %s is asked', async (to) => {
    const { status, error } = await ask(from, to, body);
    expect(status).toBe(400);
    expect(error['message']).toMatch(message);
    const [detail] = asObjects(error['details']);
    const place = asObjects(detail?.['fieldViolations'])[0]?.['field'];
    if (from !== 'messages') expect(place ?? error['param']).toBe(param);
    expect(upstream.received).toHaveLength(0);
  });
});

describe('what is passed on, for the vendor to refuse', () => {
  const passed: readonly (readonly [FormatName, JsonObject])[] = [
    ['chat-completions', { x_unknown: 1 }],
    ['chat-completions', { tools: [{ type: 'function', function: { ...f, x_unknown: 1 } }] }],
    ['responses', { x_unknown: 1 }],
    ['messages', { x_unknown: 1 }],
    ['messages', { tools: [{ ...anthropicTool, x_unknown: 1 }] }],
    ['generate-content', { x_unknown: 1 }],
    ['generate-content', { generationConfig: { x_unknown: 1 } }],
    ['generate-content', { contents: [{ role: 'user', parts: [{ text: 'x', x_unknown: 1 }] }] }],
  ];
  const cases = passed.flatMap(([from, body]) =>
    (Object.keys(MODELS) as FormatName[]).filter((to) => to !== from).map((to) => ({ from, to, body })),
  );
  test.each(cases)('$from to $to: $body', async ({ from, to, body }) => {
    await ask(from, to, body);
    expect(upstream.received[0]?.body.toString()).toContain('"x_unknown":1');
  });
});

test.each(Object.keys(MODELS) as FormatName[])('the own vendor of %s judges by itself', async (from) => {
  for (const [format, , , body] of UNKNOWN) {
    if (format !== from) continue;
    upstream.received.splice(0);
    await ask(from, from, body);
    expect(upstream.received[0]?.body.toString()).toContain(JSON.stringify(Object.values(body)[0]));
  }
});

// The first is xAI's, and the SDKs of no format have it.
test.each(['x_search', 'code_interpreter'])(
  'a hosted tool is left out of a translation: %s',
  async (type) => {
    await ask('responses', 'messages', { tools: [{ type }] });
    expect(upstream.received).toHaveLength(1);
  },
);

test('a seed of 64 bits is a number, and no object with fields', async () => {
  const body = `{"model":"${MODELS.messages}","messages":[{"role":"user","content":"x"}],"seed":9007199254740993}`;
  await (await postJson(`${gateway.url}/v1/chat/completions`, body)).text();
  expect(upstream.received).toHaveLength(1);
});

test.each(['generateContentRequest', 'generate_content_request'])(
  'a request inside a token count is checked, too: %s',
  async (name) => {
    const held = { ...LEAST['generate-content'], generationConfig: { thinkingConfig: { x: 1 } } };
    const path = `${gateway.url}/v1beta/models/anthropic/claude-sonnet-4-5:countTokens`;
    const response = await postJson(path, {
      [name]: { model: 'models/anthropic/claude-sonnet-4-5', ...held },
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Unknown name');
    const both = {
      generateContentRequest: LEAST['generate-content'],
      generate_content_request: LEAST['generate-content'],
    };
    expect((await postJson(path, { ...both, [name]: held })).status).toBe(400);
  },
);
