/** What the gateway learns from a vendor's refusals changes the requests of the same tenant alone, and is bounded. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { FIXTURES } from '../support/recording.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

interface Sent {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

const KEYS = {
  one: 'gateway-key-of-one',
  other: 'gateway-key-of-other',
  member: 'gateway-key-of-member',
  colleague: 'gateway-key-of-colleague',
} as const;
type Caller = keyof typeof KEYS;

const MODEL = 'someone/a-model';
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const MESSAGES = [{ role: 'user', content: 'Hi' }];

let upstream: TestUpstream;
let gateway: TestGateway;
function formatAt(url: string): FormatName {
  if (url.includes('/messages')) return 'messages';
  if (url.includes('/models/')) return 'generate-content';
  return url.includes('/responses') ? 'responses' : 'chat-completions';
}

/** What the vendor says against a request; undefined if it answers. */
let refuses: (sent: Sent) => string | undefined;

const sent = (): readonly Sent[] =>
  upstream.received.map(({ body, headers }) => {
    const value = parseJson(body.toString());
    const betas = String(headers['anthropic-beta'] ?? '').split(/,\s*/);
    return { body: isObject(value) ? value : {}, betas: betas.filter((beta) => beta !== '') };
  });

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    const request = sent().at(-1);
    const message = request && refuses(request);
    if (message !== undefined)
      return json(response, { error: { type: 'invalid_request_error', message } }, 400);
    const file = join(FIXTURES, 'replies', formatAt(url), 'plain-text.json');
    response.writeHead(200, { 'content-type': 'application/json' }).end(readFileSync(file));
  });
});
afterAll(() => upstream.close());

beforeEach(async () => {
  upstream.received.length = 0;
  gateway = await startGateway({
    vendors: {
      ...vendorsAtUrl(upstream.url),
      someone: { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key-of-someone' },
    },
    models: [{ id: MODEL, contextWindow: 128_000, maxOutputTokens: 8_000, prices: { input: 1, output: 2 } }],
    groups: [{ name: 'team' }],
    keys: [
      { name: 'one', key: KEYS.one },
      // A key may have the name of a group.
      { name: 'team', key: KEYS.other },
      { name: 'member', key: KEYS.member, group: 'team' },
      { name: 'colleague', key: KEYS.colleague, group: 'team' },
    ],
  });
  return () => gateway.close();
});

/** Asks for an answer, and returns what the vendor was sent for it. */
async function ask(caller: Caller, path: string, body: object, betas = ''): Promise<readonly Sent[]> {
  upstream.received.length = 0;
  const headers = betas === '' ? {} : { 'anthropic-beta': betas };
  const response = await postJson(gateway.url + path, body, { key: KEYS[caller], headers });
  expect(response.status, await response.text()).toBe(200);
  return sent();
}

/** The effort that the vendor was asked for at first, and at last. */
const withEffort = async (caller: Caller, effort: string): Promise<readonly (Json | undefined)[]> => {
  const body = { model: MODEL, messages: MESSAGES, reasoning_effort: effort };
  const requests = await ask(caller, '/v1/chat/completions', body);
  return [requests[0], requests.at(-1)].map((request) => request?.body['reasoning_effort']);
};

test('a value that was refused to one key leaves the settings of other keys as they are', async () => {
  const accepted = ['low', 'high'];
  refuses = ({ body }) => {
    const effort = body['reasoning_effort'];
    return effort === undefined || accepted.includes(String(effort))
      ? undefined
      : "`reasoning_effort` must be one of 'low' or 'high'";
  };
  expect(await withEffort('one', 'minimal')).toEqual(['minimal', undefined]);
  expect(await withEffort('other', 'high')).toEqual(['high', 'high']);
  expect(await withEffort('member', 'high')).toEqual(['high', 'high']);
  // The key itself, as long as that is remembered.
  expect(await withEffort('one', 'minimal')).toEqual([undefined, undefined]);
  // The keys of a group learn together.
  expect(await withEffort('member', 'minimal')).toEqual(['minimal', undefined]);
  expect(await withEffort('colleague', 'minimal')).toEqual([undefined, undefined]);
  expect(await withEffort('other', 'high')).toEqual(['high', 'high']);
});

const MARK = { cache_control: { type: 'ephemeral' } };
/** A schema may have a property of that name. */
const PARAMETERS = { type: 'object', properties: { cache_control: { type: 'string' } } };
const TEXT = { type: 'text', text: 'Hi' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"cache_control":1}' } };
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'x' };
const TOOL = { type: 'function', function: { name: 'f', parameters: PARAMETERS } };
const INPUT_CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const OUTPUT = { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] };

const chatBody = (mark: object): object => ({
  seed: 7,
  ...mark,
  messages: [
    { role: 'system', content: [{ ...TEXT, ...mark }] },
    { role: 'user', content: 'Hi', ...mark },
    { role: 'assistant', content: null, tool_calls: [{ ...CALL, ...mark }] },
    { ...RESULT, ...mark },
  ],
  tools: [{ ...TOOL, ...mark }],
});
const responsesBody = (mark: object): object => ({
  ...mark,
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hi', ...mark }] },
    { ...INPUT_CALL, ...mark },
    { ...OUTPUT, output: [{ type: 'input_text', text: 'x', ...mark }] },
  ],
  tools: [{ type: 'function', name: 'f', parameters: PARAMETERS, strict: false, ...mark }],
});

const firstQuestion = (mark: object): object => ({ ...mark, messages: MESSAGES });
const KEYED = { prompt_cache_key: 's1' };

// The words of OpenAI, Groq, Mistral and Fireworks, and of NVIDIA and Azure for the key.
test.each<[path: string, model: string, refusal: string, body: (mark: object) => object, mark?: object]>([
  ['chat/completions', 'openai/gpt-5', "Unknown parameter: 'cache_control'.", chatBody],
  ['chat/completions', 'openai/gpt-5-mini', "Unknown parameter: 'cache_control'.", firstQuestion],
  ['chat/completions', MODEL, "'messages.0' : property 'cache_control' is unsupported", chatBody],
  [
    'chat/completions',
    'mistralai/mistral-large-latest',
    'body.messages.0.system.content.list.0.cache_control: Extra inputs are not permitted',
    chatBody,
  ],
  [
    'chat/completions',
    'qwen/qwen3-max',
    "Extra inputs are not permitted, field: 'messages[0].cache_control'",
    chatBody,
  ],
  ['responses', 'openai/gpt-5', "Unknown parameter: 'input[0].content[0].cache_control'.", responsesBody],
  [
    'chat/completions',
    'mistralai/mistral-large-latest',
    'Validation: Unsupported parameter(s): `prompt_cache_key`',
    firstQuestion,
    KEYED,
  ],
  [
    'chat/completions',
    'qwen/qwen3-max',
    'Unrecognized request argument supplied: prompt_cache_key',
    chatBody,
    KEYED,
  ],
])(
  'a native request to %s of %s without caching: "%s" is said once, and all else stays',
  async (path, model, refusal, body, mark = MARK) => {
    const said = JSON.stringify(mark).slice(1, -1);
    refuses = ({ body: given }) => (JSON.stringify(given).includes(said) ? refusal : undefined);
    for (const times of [2, 1]) {
      const requests = await ask('one', `/v1/${path}`, { model, ...body(mark) });
      expect(requests).toHaveLength(times);
      expect(requests.at(-1)?.body).toEqual({ ...body({}), model: expect.any(String) });
    }
    expect(await ask('one', `/v1/${path}`, { model, ...body({}) })).toHaveLength(1);
  },
);

test('a limit of tokens under its older name is refused once, and keeps its value', async () => {
  const refusal =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  refuses = ({ body }) => (body['max_tokens'] === undefined ? undefined : refusal);
  const limits = async (model: string, more: object = { max_tokens: 50 }) =>
    (await ask('one', '/v1/chat/completions', { model, messages: MESSAGES, ...more })).map(({ body }) => [
      body['max_tokens'],
      body['max_completion_tokens'],
    ]);
  expect(await limits('openai/gpt-5')).toEqual([
    [50, undefined],
    [undefined, 50],
  ]);
  expect(await limits('openai/gpt-5', { max_tokens: 60 })).toEqual([[undefined, 60]]);
  expect(await limits('openai/gpt-5', { max_completion_tokens: 70 })).toEqual([[undefined, 70]]);
  expect(await limits(MODEL)).toEqual([
    [50, undefined],
    [undefined, 50],
  ]);
});

test('ids of calls that Gemini has no field for are refused once, and never again for ten minutes', async () => {
  refuses = ({ body }) =>
    JSON.stringify(body).includes('"id"')
      ? `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`
      : undefined;
  const call = { functionCall: { id: 'a', name: 'f', args: {} } };
  const result = { functionResponse: { id: 'a', name: 'f', response: { output: '5' } } };
  const contents = [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts: [call] },
    { role: 'user', parts: [result] },
    // A repeated field may be the one value that it has.
    { role: 'model', parts: call },
  ];
  const path = '/v1beta/models/gemini-3.8-flash:generateContent';
  expect(await ask('one', path, { contents })).toHaveLength(2);
  const [once, ...more] = await ask('one', path, { contents });
  expect(more).toEqual([]);
  expect(once?.body['contents']).toEqual([
    contents[0],
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '5' } } }] },
    { role: 'model', parts: { functionCall: { name: 'f', args: {} } } },
  ]);
});

const withBetas = async (caller: Caller, betas: string): Promise<readonly (readonly string[])[]> =>
  (await ask(caller, '/v1/messages', { model: CLAUDE, max_tokens: 10, messages: MESSAGES }, betas)).map(
    (request) => request.betas,
  );

test('a beta that one key made up takes no beta from another', async () => {
  refuses = ({ betas }) => (betas.includes('made-up') ? 'invalid beta flag' : undefined);
  expect(await withBetas('one', 'context-1m-2025-08-07,made-up')).toEqual([
    ['context-1m-2025-08-07', 'made-up'],
    [],
  ]);
  expect(await withBetas('other', 'context-1m-2025-08-07')).toEqual([['context-1m-2025-08-07']]);
});

test('a format that a vendor wants for the requests of one key is not that of another', async () => {
  const model = 'openai/gpt-5';
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  const paths = async (caller: Caller): Promise<readonly string[]> => {
    await ask(caller, '/v1/chat/completions', { model, messages: MESSAGES, tools });
    return upstream.received.map(({ url }) => url);
  };
  refuses = ({ body }) =>
    body['messages'] === undefined ? undefined : 'To use function tools, use /v1/responses';
  expect(await paths('one')).toEqual(['/v1/chat/completions', '/v1/responses']);
  refuses = () => undefined;
  expect(await paths('other')).toEqual(['/v1/chat/completions']);
  expect(await paths('one')).toEqual(['/v1/responses']);
});

test('of the betas that a vendor has refused, only so many are remembered', async () => {
  refuses = ({ betas }) => {
    const named = betas.filter((beta) => beta.startsWith('made-up-')).map((beta) => `\`${beta}\``);
    return named.length === 0
      ? undefined
      : `Unexpected value(s) ${named.join(', ')} for the \`anthropic-beta\` header.`;
  };
  const rounds = 8;
  const betas = Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: 50 }, (__, at) => `made-up-${round}-${at}`).join(),
  );
  for (const some of betas)
    expect((await withBetas('one', some)).map(({ length }) => length)).toEqual([50, 0]);
  // The last ones are known. Of all others, the vendor is asked again.
  expect(await withBetas('one', betas.at(-1) ?? '')).toEqual([[]]);
  refuses = () => undefined;
  const [first] = await withBetas('one', betas.slice(0, 6).join());
  expect(first).toHaveLength(300);
});
