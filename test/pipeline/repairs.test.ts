/**
 * A vendor that refuses something in a dialogue, in the words of public reports: the gateway sends it once more without
 * that, natively and translated, streamed and whole, from every caller's format.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { FIXTURES } from '../support/recording.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';
import { answersIn, dialogueWith, holds } from './refused-dialogues.ts';
import { type RepairWording, repairWordings } from './repair-wordings.ts';

type Refuses = (body: JsonObject) => { readonly status: number; readonly body: Json } | undefined;

let upstream: TestUpstream;
let refuses: Refuses;
let gateway: Awaited<ReturnType<typeof startRecorded>>;

beforeAll(async () => {
  upstream = await startUpstream(({ body, url }, response) => {
    const request = parseJson(body.toString('utf8'));
    if (!isObject(request)) throw new TypeError('The vendor is sent no JSON object.');
    const refusal = refuses(request);
    if (refusal !== undefined) {
      const isText = typeof refusal.body === 'string';
      response
        .writeHead(refusal.status, { 'content-type': isText ? 'text/plain' : 'application/json' })
        .end(isText ? refusal.body : JSON.stringify(refusal.body));
      return;
    }
    const format = formatAt(url);
    const streamed = request['stream'] === true || url.includes('stream');
    const file = join(FIXTURES, 'replies', format, `plain-text.${streamed ? 'sse' : 'json'}`);
    response
      .writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' })
      .end(readFileSync(file));
  });
});
afterAll(() => upstream.close());

const MODEL = {
  created: 1_700_000_000,
  contextWindow: 128_000,
  maxOutputTokens: 32_000,
  prices: { input: 1, output: 2 },
};

/** A model at a vendor of each format. The services of chat-completions and responses are ones that nobody knows. */
const MODELS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'someone/a-model',
  responses: 'responder/a-model',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'google/gemini-3-flash-preview',
};

/** A model of a family whose calls need reasoning: nothing else tells it if a refusal says nothing. */
const DEEPSEEK = 'someone/deepseek-v4-pro';

/** A model at a service whose API is older than the newer name of the limit. */
const OLD_AZURE = 'old-azure/a-model';

beforeEach(async () => {
  upstream.received.length = 0;
  gateway = await startRecorded({
    vendors: {
      ...vendorsAtUrl(upstream.url),
      someone: { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key-someone' },
      responder: { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key-responder', formats: ['responses'] },
      'old-azure': { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key-azure', dialect: 'azure' },
    },
    models: [
      { ...MODEL, id: OLD_AZURE, name: 'A model' },
      { ...MODEL, id: MODELS['chat-completions'], name: 'A model' },
      { ...MODEL, id: DEEPSEEK, name: 'A model of DeepSeek behind a service' },
      {
        ...MODEL,
        id: MODELS.responses,
        name: 'A model',
        thinking: { kinds: ['effort'], efforts: ['low', 'high'], canDisable: false },
      },
    ],
    generateContent: { models: 'all' },
  });
});
afterEach(() => gateway.close());

function formatAt(url: string): FormatName {
  if (url.includes('/responses')) return 'responses';
  if (url.includes('/messages')) return 'messages';
  return url.includes('/chat/completions') ? 'chat-completions' : 'generate-content';
}

async function ask(from: FormatName, model: string, body: JsonObject, streamed: boolean): Promise<Response> {
  const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const [path, more] =
    from === 'generate-content'
      ? [`/v1beta/models/${model}:${method}`, {}]
      : [
          {
            'chat-completions': '/v1/chat/completions',
            responses: '/v1/responses',
            messages: '/v1/messages',
          }[from],
          { model, ...(streamed && { stream: true }) },
        ];
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...more }),
  });
}

const sent = (): JsonObject[] =>
  upstream.received.map(({ body }) => {
    const request = parseJson(body.toString('utf8'));
    return isObject(request) ? request : {};
  });

describe.each(repairWordings.map((wording, at) => ({ ...wording, at })))(
  '$at: $format refuses $refuses with $status (named: $names)',
  (wording) => {
    const ways = FORMAT_NAMES.flatMap((from) => [true, false].map((streamed) => ({ from, streamed })));

    test.each(ways)('from $from, streamed: $streamed', async ({ from, streamed }) => {
      const { format, refuses: thing, names } = wording;
      refuses = (body) => (holds(thing, format, body) ? wording : undefined);
      const isUnsaidFamily = thing === 'missing reasoning_content' && !names;
      const model = isUnsaidFamily ? DEEPSEEK : MODELS[format];
      const response = await ask(from, model, dialogueWith(thing, from), streamed);
      const told = await response.text();
      expect(response.status, told).toBe(200);
      const bodies = sent();
      expect(bodies.length).toBeLessThanOrEqual(4);
      const last = bodies.at(-1) ?? {};
      // Nothing that was said is lost. Two answers with nothing between them are one.
      expect(answersIn(format, last)).toBeGreaterThanOrEqual(
        format === 'responses' || thing === 'order' ? 1 : 2,
      );
      for (const said of ['Rome?', 'Rainy.']) expect(JSON.stringify(last)).toContain(said);
      await expect.poll(() => gateway.records.length).toBe(1);
      const { repairs = [] } = gateway.records[0] ?? {};
      if (bodies.length > 1) expect(repairs).not.toEqual([]);
      else expect(repairs).toEqual([]);
    });
  },
);

const refusalOf = (refusesThing: RepairWording['refuses'], words: RegExp): RepairWording => {
  const found = repairWordings.find(
    ({ format, refuses: thing, body }) =>
      format === 'chat-completions' && thing === refusesThing && words.test(JSON.stringify(body)),
  );
  if (found === undefined) throw new Error(`No wording has ${words}.`);
  return found;
};

describe('what a service has refused is left out of its next requests', () => {
  test.each<[RepairWording['refuses'], RegExp, FormatName]>([
    ['thoughts', /reasoning is not supported/, 'messages'],
    ['thinking setting', /is unsupported/, 'messages'],
    ['stream_options', /Unknown parameter/, 'messages'],
    ['stream_options', /extra_forbidden/, 'generate-content'],
    ['json_schema', /unavailable now/, 'responses'],
    ['strict tools', /mixed values/, 'responses'],
    ['user after tool', /Unexpected role/, 'messages'],
    ['missing reasoning_content', /must be passed back/, 'messages'],
  ])('%s (%s), from %s', async (thing, words, from) => {
    const wording = refusalOf(thing, words);
    refuses = (body) => (holds(thing, 'chat-completions', body) ? wording : undefined);
    const counts: number[] = [];
    for (let at = 0; at < 3; at++) {
      upstream.received.length = 0;
      expect((await ask(from, MODELS['chat-completions'], dialogueWith(thing, from), true)).status).toBe(200);
      counts.push(upstream.received.length);
    }
    expect(counts).toEqual([2, 1, 1]);
  });

  test.each([
    ['max_tokens', 'max_completion_tokens', MODELS['chat-completions']],
    ['max_completion_tokens', 'max_tokens', OLD_AZURE],
  ])('%s, which goes by the name %s then', async (refused, other, model) => {
    // OpenAI's words, which vLLM and LiteLLM copy.
    const message = `Unsupported parameter: '${refused}' is not supported with this model. Use '${other}' instead.`;
    refuses = (body) =>
      refused in body ? { status: 400, body: { error: { message, param: refused } } } : undefined;
    const body = { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
    for (let at = 0; at < 2; at++) expect((await ask('messages', model, body, false)).status).toBe(200);
    expect(sent().map((request) => [request[refused], request[other]])).toEqual([
      [100, undefined],
      [undefined, 100],
      [undefined, 100],
    ]);
  });

  test('but nothing is learned from a repair that did not help', async () => {
    const wording = refusalOf('thinking setting', /is unsupported/);
    refuses = () => wording;
    const dialogue = dialogueWith('thinking setting', 'messages');
    expect((await ask('messages', MODELS['chat-completions'], dialogue, false)).status).toBe(400);
    refuses = () => undefined;
    upstream.received.length = 0;
    expect((await ask('messages', MODELS['chat-completions'], dialogue, false)).status).toBe(200);
    expect(sent()[0]).toHaveProperty('reasoning_effort');
  });
});

test.each<[refused: string, field: string, body: JsonObject]>([
  [
    'an output schema, at OpenAI',
    'json_schema',
    {
      error: {
        message:
          "Invalid schema for response_format 'answer': In context=('properties','BAD'), 'propertyNames' is not permitted.",
        type: 'invalid_request_error',
        param: 'text.format.schema',
        code: 'invalid_json_schema',
      },
    },
  ],
  [
    'an output schema, in the words of Anthropic',
    'json_schema',
    { error: { message: 'output_config.format.schema: Schema is too complex for compilation.' } },
  ],
  [
    'the schema of a function, at OpenAI',
    'strict',
    {
      error: {
        message:
          "Invalid schema for function 'find': In context=('properties', 'BAD'), 'propertyNames' is not permitted in strict mode.",
        type: 'invalid_request_error',
        param: 'tools[0].function.parameters',
        code: 'invalid_function_parameters',
      },
    },
  ],
])('the next schema is sent as it is after a refusal of one: %s', async (_, field, refusal) => {
  const dialogueOf = (name: string): JsonObject => {
    const schema = {
      type: 'object',
      properties: { [name]: { type: 'string' } },
      required: [name],
      additionalProperties: false,
    };
    return {
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...(field === 'strict'
        ? { tools: [{ name: 'find', input_schema: schema, strict: true }] }
        : { output_config: { format: { type: 'json_schema', schema } } }),
    };
  };
  const hasField = (body: JsonObject): boolean => JSON.stringify(body).includes(`"${field}":`);
  refuses = (body) =>
    hasField(body) && JSON.stringify(body).includes('BAD') ? { status: 400, body: refusal } : undefined;
  const ofModel = (name: string): Promise<Response> =>
    ask('messages', MODELS['chat-completions'], dialogueOf(name), false);
  expect((await ofModel('BAD')).status).toBe(200);
  expect(sent().map(hasField)).toEqual([true, false]);
  upstream.received.length = 0;
  expect((await ofModel('good')).status).toBe(200);
  expect(sent().map(hasField)).toEqual([true]);
});

test('a service that demands the thoughts before calls gets those that there are', async () => {
  const wording = refusalOf('missing reasoning_content', /must be passed back/);
  const call = (id: string, more: JsonObject): JsonObject[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      ...more,
    },
    { role: 'tool', tool_call_id: id, content: 'Rainy.' },
  ];
  const messages = [
    { role: 'user', content: 'Rome?' },
    ...call('call_1', {}),
    ...call('call_2', { reasoning_content: 'Once more.' }),
  ];
  const tools = [
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
  ];
  refuses = (body) => (holds('missing reasoning_content', 'chat-completions', body) ? wording : undefined);
  const response = await ask('chat-completions', MODELS['chat-completions'], { messages, tools }, false);
  expect(response.status).toBe(200);
  expect(sent()).toHaveLength(2);
  expect(JSON.stringify(sent().at(-1))).toContain('"reasoning_content":"Once more."');
});

test('a native dialogue that is translated for a repair has no calls without results either', async () => {
  const wording = refusalOf('missing reasoning_content', /must be passed back/);
  const messages = [
    { role: 'user', content: 'Rome?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"cut' } }],
    },
    { role: 'user', content: 'And Paris?' },
  ];
  refuses = (body) => (holds('missing reasoning_content', 'chat-completions', body) ? wording : undefined);
  const response = await ask('chat-completions', MODELS['chat-completions'], { messages }, false);
  expect(response.status).toBe(200);
  expect(sent()).toHaveLength(2);
  expect(sent().at(-1)).toMatchObject({
    messages: [
      { role: 'user', content: 'Rome?' },
      { role: 'assistant', tool_calls: [{ function: { arguments: '{"arguments":"{\\"cut"}' } }] },
      { role: 'tool', tool_call_id: 'call_1' },
      { role: 'user', content: 'And Paris?' },
    ],
  });
  await expect.poll(() => gateway.records.length).toBe(1);
  expect(gateway.records[0]?.repairs).toEqual(['without-calls-without-thoughts', 'without-loose-turns']);
});

test('the next thoughts are sent after a refusal of a round that begins without them', async () => {
  const thought = { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'AbC=' }] };
  const messages = [
    { role: 'user', content: 'Rome?' },
    { role: 'assistant', content: 'Rainy.', ...thought },
    { role: 'user', content: 'And now?' },
  ];
  const error = {
    type: 'invalid_request_error',
    message: 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.',
  };
  const hasThought = (body: JsonObject): boolean => JSON.stringify(body).includes('AbC=');
  refuses = (body) => (hasThought(body) ? { status: 400, body: { type: 'error', error } } : undefined);
  for (let at = 0; at < 2; at++)
    expect((await ask('chat-completions', MODELS.messages, { messages }, false)).status).toBe(200);
  expect(sent().map(hasThought)).toEqual([true, false, true, false]);
});

test.each(['messages', 'responses'] as const)(
  'a setting of reasoning is sent after a refusal of one reasoning item, from %s',
  async (from) => {
    const message = "Item 'rs_0c38' of type 'reasoning' was provided without its required following item.";
    const error = { message, type: 'invalid_request_error', param: 'input', code: null };
    const dialogue = {
      ...dialogueWith('thoughts', from),
      ...(from === 'messages'
        ? { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } }
        : { reasoning: { effort: 'low' } }),
    };
    let asked = 0;
    refuses = () => (asked++ === 0 ? { status: 400, body: { error } } : undefined);
    for (let at = 0; at < 2; at++)
      expect((await ask(from, MODELS.responses, dialogue, false)).status).toBe(200);
    expect(sent().map(({ reasoning }) => isObject(reasoning) && reasoning['effort'])).toEqual(
      Array(3).fill('low'),
    );
  },
);

test('a reasoning item that is only an id goes with the other thoughts of a translated dialogue', async () => {
  const input = [
    { role: 'user', content: 'Rome?' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { role: 'assistant', content: 'Rainy.' },
    { role: 'user', content: 'And now?' },
  ];
  const isKept = (body: JsonObject): boolean => JSON.stringify(body).includes('rs_1');
  const error = (message: string): JsonObject => ({ error: { message, type: 'invalid_request_error' } });
  refuses = (body) => {
    if ('reasoning' in body) return { status: 400, body: error('reasoning.effort is not supported.') };
    return isKept(body)
      ? { status: 404, body: error("Item with id 'rs_1' not found. Items are not persisted.") }
      : undefined;
  };
  const reasoning = { effort: 'low' };
  expect((await ask('responses', MODELS.responses, { input: 'Hi', reasoning }, false)).status).toBe(200);
  upstream.received.length = 0;
  // What the service refused is left out, so the request is translated.
  expect((await ask('responses', MODELS.responses, { input, reasoning }, false)).status).toBe(200);
  expect(sent().at(-1)).not.toHaveProperty('reasoning');
  expect(isKept(sent().at(-1) ?? {})).toBe(false);
});

describe('what no other form of a request can mend is asked once', () => {
  test.each(FORMAT_NAMES.filter((from) => from !== 'messages'))(
    'a field that nobody knows, from %s: the vendor’s word reaches its caller',
    async (from) => {
      const words = 'response_fromat: Extra inputs are not permitted';
      refuses = (body) =>
        'response_fromat' in body
          ? { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: words } } }
          : undefined;
      const dialogue = { ...dialogueWith('thoughts', from), response_fromat: { type: 'json_object' } };
      const response = await ask(from, MODELS.messages, dialogue, false);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(words)]);
      expect(upstream.received).toHaveLength(1);
    },
  );

  const error = (message: string, code: string | null = null, param: string | null = null): JsonObject => ({
    error: { message, type: 'invalid_request_error', param, code },
  });

  test.each<[string, number, JsonObject]>([
    ['a key', 401, error('Incorrect API key provided.', 'invalid_api_key')],
    ['a quota', 429, error('You exceeded your current quota.', 'insufficient_quota')],
    ['content', 400, error('The request was flagged by our content filter.', 'content_filter')],
    ['content, by its policy', 400, error('Your request violates our usage policies.')],
    ['a context that is too long', 400, error('Too long.', 'context_length_exceeded', 'messages')],
    ['a temperature', 400, error("'temperature' must be at most 2.", null, 'temperature')],
    ['a limit of tokens', 400, error('max_tokens is too large: 99999.', null, 'max_tokens')],
  ])('%s', async (_, status, body) => {
    refuses = () => ({ status, body });
    for (const from of FORMAT_NAMES) {
      upstream.received.length = 0;
      const response = await ask(
        from,
        MODELS['chat-completions'],
        dialogueWith('missing reasoning_content', from),
        true,
      );
      expect(response.ok).toBe(false);
      expect(upstream.received.length).toBe(1);
    }
  });

  test.each(FORMAT_NAMES)('a first question in %s, in its own format', async (from) => {
    const body = error('Something is odd.');
    refuses = () => ({ status: 400, body });
    const question = {
      ...dialogueWith('order', from),
      ...{
        'chat-completions': { messages: [{ role: 'user', content: 'Rome?' }] },
        responses: { input: [{ role: 'user', content: 'Rome?' }] },
        messages: { messages: [{ role: 'user', content: 'Rome?' }] },
        'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Rome?' }] }] },
      }[from],
    };
    const response = await ask(from, MODELS[from], question, false);
    expect([response.status, await response.json()]).toEqual([400, body]);
    expect(upstream.received).toHaveLength(1);
  });

  test('a call without its result: the refusal has the id that the caller gave it', async () => {
    refuses = ({ messages }) => {
      const text = JSON.stringify(messages);
      const [, id] = /"tool_calls":\[\{"id":"(\w+)"/.exec(text) ?? [];
      const message = `The following tool_call_ids did not have response messages: ${id}`;
      return { status: 400, body: error(message, null, 'messages') };
    };
    const call = { id: 'call_of_the_caller', type: 'function', function: { name: 'f', arguments: '{}' } };
    const body = {
      messages: [
        { role: 'user', content: 'Rome?' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
    };
    const response = await ask('chat-completions', MODELS['chat-completions'], body, false);
    expect(upstream.received.length).toBeGreaterThan(1);
    expect(sent().at(-1)).not.toEqual(sent()[0]);
    expect(await response.text()).toContain('messages: call_of_the_caller');
  });

  test('a dialogue that is always refused: three times more, and the vendor’s word is the last', async () => {
    const wordings = ['reasoning_effort', 'strict', 'messages[1].reasoning', 'anything'];
    let at = 0;
    refuses = () => ({
      status: 400,
      body: error(`${wordings[at++] ?? 'it'} is not supported`),
    });
    const dialogue = {
      ...dialogueWith('thoughts', 'messages'),
      ...dialogueWith('strict tools', 'messages'),
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 4000,
    };
    const response = await ask('messages', MODELS['chat-completions'], dialogue, false);
    expect(response.status).toBe(400);
    expect(upstream.received.length).toBeLessThanOrEqual(4);
    expect(upstream.received.length).toBeGreaterThan(1);
  });
});
