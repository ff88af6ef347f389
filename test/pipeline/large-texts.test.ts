/** Large texts of a dialogue reach a vendor of another format unread, and what it gets is what it would get otherwise. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { incoming } from '../../bench/support/instant.ts';
import { configSchema } from '../../src/config/schema.ts';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { isList, isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { authenticate } from '../../src/pipeline/authenticate.ts';
import { withLargeStrings } from '../../src/pipeline/body/scanned.ts';
import { decode } from '../../src/pipeline/decode.ts';
import type { Incoming, Routed } from '../../src/pipeline/exchange.ts';
import { resolveModel } from '../../src/pipeline/resolve-model.ts';
import { prepareRequest } from '../../src/pipeline/translate-request.ts';
import { openGateway } from '../../src/server/open-gateway.ts';
import { hashKey } from '../../src/store/keys/key-secret.ts';
import { chain } from '../../src/streams/chain.ts';
import { FIXTURES } from '../support/recording.ts';

const KEY = 'gw-a-key-that-is-only-for-this-test-0123456789';
const MODELS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'deepseek/deepseek-v4-pro',
  responses: 'openai/gpt-5',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'google/gemini-2.5-flash',
};
const PATHS: Readonly<Record<FormatName, string>> = {
  'chat-completions': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  'generate-content': `/v1beta/models/m:generateContent`,
};

const config = configSchema.parse({
  keys: [{ name: 'test', hash: hashKey(KEY) }],
  generateContent: { models: 'all' },
  vendors: Object.fromEntries(
    ['openai', 'deepseek', 'anthropic', 'google'].map((name) => [
      name,
      { apiKey: 'sk-test', baseUrl: 'http://127.0.0.1:1' },
    ]),
  ),
});

let opened: Awaited<ReturnType<typeof openGateway>>;
beforeAll(async () => {
  opened = await openGateway(config);
});
afterAll(() => opened.close());

/** A request before its translation. */
async function route(from: FormatName, to: FormatName, text: string): Promise<Routed> {
  const { options, mode } = opened.gateway;
  const path = PATHS[from].replace('/m:', `/${MODELS[to]}:`);
  return chain<Incoming>(mode)
    .to(decode({ format: from, operation: 'generate' }, options))
    .to(authenticate(opened.gateway))
    .to(resolveModel(opened.gateway, options))
    .run(incoming(KEY, path, Buffer.from(text)));
}

/** What the vendor gets, or the error that the caller gets. */
function prepared(routed: Routed): string {
  try {
    const { upstreamFormat, payload } = prepareRequest(opened.gateway.options)(routed);
    return `${upstreamFormat} ${payload}`;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.fault} ${error.param} ${error.message}`;
  }
}

interface Both {
  /** With large strings that stay unread, and how many there are. */
  readonly light: string;
  readonly unread: number;
  readonly full: string;
}

async function bothWays(from: FormatName, to: FormatName, body: JsonObject): Promise<Both> {
  const text = JSON.stringify({ ...body, ...(from !== 'generate-content' && { model: MODELS[to] }) });
  const routed = { ...(await route(from, to, text)), mustTranslate: true as const };
  const [light, full] = [prepared(routed), prepared(withLargeStrings(routed))];
  return { light, unread: routed.large()?.middles.length ?? 0, full };
}

const PROSE = 'The harbour lies still, and only two boats have gone out to sea. ';
/** What a text goes on with. */
const MORE: Readonly<Record<string, string>> = {
  prose: PROSE.repeat(100),
  code: ' if (a < b) {\n\treturn "x\\\\y" + \'z\'; // ünïcödé\n}\n'.repeat(120),
  Chinese: '今天的港口很安静，只有两艘船出海了。\n'.repeat(150),
  emoji: ' 🎉 and 👩‍👩‍👧 '.repeat(300),
  'halves of surrogate pairs': `${PROSE.repeat(60)}\ud83d${PROSE.repeat(60)}`,
  'the word JSON': `${PROSE.repeat(60)} as json ${PROSE.repeat(60)}`,
  'white space': ' \n\t'.repeat(2_000),
  'white space beyond ASCII': '\u00a0\u3000'.repeat(3_000),
  base64: 'abcd+/09'.repeat(800),
};

/** Strings that a text has become part of, or that hold JSON. */
function enlarged(value: Json, more: string): Json {
  if (typeof value === 'string') {
    if (/^\s*\{.*\}\s*$/s.test(value)) {
      const inner = asJson(value);
      return inner === undefined ? value : JSON.stringify(enlarged(inner, more));
    }
    return /\s/.test(value) ? value + more : value;
  }
  if (isList(value)) return value.map((item) => enlarged(item, more));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inner === undefined ? inner : enlarged(inner, more)]),
  );
}

function asJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const requests = FORMAT_NAMES.flatMap((from) =>
  readdirSync(join(FIXTURES, 'requests', from)).map((name) => {
    const body = parseJson(readFileSync(join(FIXTURES, 'requests', from, name), 'utf8'));
    if (!isObject(body)) throw new TypeError(`${name} is no request.`);
    return { from, name, body };
  }),
);

describe.each(Object.entries(MORE))('texts with %s', (kind, more) => {
  test.each(FORMAT_NAMES)('to %s', async (to) => {
    let unread = 0;
    for (const { from, name, body } of requests) {
      const large = enlarged(body, more);
      if (!isObject(large)) throw new TypeError('A request stays one.');
      const both = await bothWays(from, to, large);
      expect(both.light, `${from}: ${name}`).toBe(both.full);
      unread += both.unread;
    }
    if (kind === 'prose' || kind === 'code' || kind === 'Chinese') expect(unread).toBeGreaterThan(100);
  });
});

const code = `const a = "x\\\\y";\n// ünï\n`.repeat(300);
const call = { id: 'call_1', type: 'function', function: { name: 'write', arguments: '{"path":"a"}' } };

/** Dialogues of which something else than the ends of a text matters. */
const DIALOGUES: Readonly<Record<string, readonly [FormatName, JsonObject]>> = {
  'an answer that ends with white space': [
    'chat-completions',
    {
      messages: [
        { role: 'user', content: 'Go on.' },
        { role: 'assistant', content: `${PROSE}${' '.repeat(9_000)}` },
      ],
    },
  ],
  'a blank text': [
    'chat-completions',
    {
      messages: [
        { role: 'user', content: `\u3000${' '.repeat(9_000)}` },
        { role: 'user', content: 'Go on.' },
      ],
    },
  ],
  'a result that is JSON': [
    'chat-completions',
    {
      messages: [
        { role: 'user', content: 'Write.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify({ written: PROSE.repeat(90) }) },
      ],
    },
  ],
  'arguments that become a text': [
    'messages',
    {
      max_tokens: 99,
      messages: [
        { role: 'user', content: 'Write.' },
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'write',
              input: { path: 'a b', content: `a = ${code}` },
            },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: `b = ${code}`, is_error: true }],
        },
      ],
    },
  ],
  'a thought that is left out': [
    'generate-content',
    {
      contents: [
        { role: 'user', parts: [{ text: `a ${code}` }] },
        { role: 'model', parts: [{ text: PROSE.repeat(90), thought: true }, { text: 'Yes.' }] },
        { role: 'user', parts: [{ text: 'Go on.' }] },
      ],
    },
  ],
  'settings that the answer repeats': [
    'responses',
    { instructions: `Answer as ${code}`, input: `a ${code}`, metadata: { text: PROSE.repeat(7) } },
  ],
  'the word JSON in the middle of a text': [
    'generate-content',
    {
      contents: [{ role: 'user', parts: [{ text: `${PROSE.repeat(60)} as JSON. ${PROSE.repeat(60)}` }] }],
      generationConfig: { responseMimeType: 'application/json' },
    },
  ],
  'outputs that are cut': [
    'responses',
    {
      input: [
        { role: 'user', content: 'Look.' },
        {
          type: 'shell_call',
          call_id: 'call_1',
          action: { commands: ['cat a'], max_output_length: 5_000 },
        },
        {
          type: 'shell_call_output',
          call_id: 'call_1',
          max_output_length: 5_000,
          output: [
            { stdout: PROSE.repeat(200), stderr: '', outcome: { type: 'exit', exit_code: 0 }, text: PROSE },
          ],
        },
      ],
    },
  ],
};

describe.each(Object.entries(DIALOGUES))('%s', (_, [from, body]) => {
  test.each(FORMAT_NAMES)('to %s', async (to) => {
    const { light, full } = await bothWays(from, to, body);
    expect(light).toBe(full);
  });
});

test('what the answer repeats of the request is whole', async () => {
  const parameters = { type: 'object', properties: { a: { default: { text: `a ${code}` } } } };
  const tools = [{ type: 'function', name: 'write', parameters, strict: false }];
  const body = { instructions: `Answer as ${code}`, input: `a ${code}`, model: MODELS.messages, tools };
  const routed = await route('responses', 'messages', JSON.stringify(body));
  const { translation } = prepareRequest(opened.gateway.options)(routed);
  expect(routed.large()?.middles).toHaveLength(1);
  expect(translation?.asked.body).toMatchObject({ instructions: body.instructions, tools });
});

test('tools that are known are not read again, whatever else is large', async () => {
  const file = Buffer.alloc(99_000, 'abc').toString('base64');
  const input_schema = { type: 'object', properties: { a: { type: 'string', default: file } } };
  const tool = { name: 'write', input_schema, description: PROSE.repeat(60) };
  const body = {
    model: MODELS.responses,
    max_tokens: 99,
    tools: [tool],
    messages: [{ role: 'user', content: `a ${code}` }],
  };
  const [one, two] = [
    await route('messages', 'responses', JSON.stringify(body)),
    await route('messages', 'responses', JSON.stringify({ ...body, max_tokens: 98 })),
  ];
  expect(one.tree()['tools']).toEqual([tool]);
  expect(two.tree()['tools']).toBe(one.tree()['tools']);
  expect(two.large()?.middles).toHaveLength(1);
});

test('a number that no double has keeps its digits beside a large text', async () => {
  const text = JSON.stringify({
    model: MODELS['chat-completions'],
    max_tokens: 99,
    messages: [
      { role: 'user', content: `a ${code}` },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: { id: 'X' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'None.' }] },
    ],
  });
  const routed = await route('messages', 'chat-completions', text.replace('"X"', '12345678901234567890'));
  const sent = prepared(routed);
  expect(sent).toContain('12345678901234567890');
  expect(sent).toContain(JSON.stringify(`a ${code}`));
});

test('a line break in a text is no JSON, however large the text is', async () => {
  const text = JSON.stringify({ model: MODELS.messages, input: `a ${code}` }).replace('\\n', '\n');
  const routed = await route('responses', 'messages', text);
  expect(prepared(routed)).toBe('invalid-request undefined The request body is not a valid JSON object.');
});
