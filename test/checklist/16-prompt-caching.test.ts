/** Checklist, section 16: prompt caching. */

import { describe, expect, test } from 'vitest';
import { type Note, reportInto, unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asObject, isList, isObject, tryParseJson } from '../../src/lib/json.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { postJson } from '../support/post-json.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  cityTool,
  GEMINI,
  GEMINI_3,
  listAt,
  OPENAI,
  QWEN,
  RESPONDER,
  tool,
  useDoor,
} from './support.ts';

const door = useDoor();

/** What the vendor of `model` is sent for a request, byte for byte. Its answer does not matter. */
async function bytesFor(from: Caller, model: string, more: JsonObject): Promise<string> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  const { text } = await door.whole(from, model, more);
  const sent = door.upstream().received.at(-1)?.body.toString();
  expect(sent, text).toBeDefined();
  return sent ?? '';
}
async function sentFor(from: Caller, model: string, more: JsonObject): Promise<JsonObject> {
  await bytesFor(from, model, more);
  return door.sent();
}

const mark = { cache_control: { type: 'ephemeral' } };

/** All cache marks in a body. */
function marksIn(value: Json | undefined): number {
  if (isList(value)) return value.reduce<number>((sum, inner) => sum + marksIn(inner), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value['cache_control']) ? 1 : 0;
  return (
    own +
    Object.entries(value).reduce(
      (sum, [key, inner]) => sum + (key === 'cache_control' ? 0 : marksIn(inner)),
      0,
    )
  );
}

describe('checklist 123: cache marks are kept where the vendor knows them', () => {
  const body = {
    model: 'm',
    max_tokens: 10,
    system: [{ type: 'text', text: 'Be brief.', ...mark }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A long book.', ...mark },
          { type: 'text', text: 'What is it about?' },
        ],
      },
    ],
  };
  const prompt = formats.messages.inbound.parseRequest(body, unreported);
  const written = (dialect: string) => {
    const notes: Note[] = [];
    const sent = formats['chat-completions'].outbound.renderRequest(
      prompt,
      { ...PERMISSIVE, dialect },
      reportInto(notes),
    );
    return { sent, notes };
  };

  test.each(['openrouter', 'litellm', 'vercel', 'alibaba'])('checklist 123: by %s', (dialect) => {
    expect(marksIn(written(dialect).sent)).toBe(2);
  });

  test.each(['openai', 'deepseek', 'mistral', 'nobody-knows-it'])(
    'checklist 123: and left out for %s, which would reject them',
    (dialect) => {
      expect(marksIn(written(dialect).sent)).toBe(0);
    },
  );

  test('checklist 123: those of a chat client reach Anthropic', async () => {
    const content = [
      { type: 'text', text: 'A long book.', ...mark },
      { type: 'text', text: 'And?' },
    ];
    const sent = await sentFor('chat-completions', CLAUDE, { messages: [{ role: 'user', content }] });
    expect(listAt(sent, 'messages.0.content')).toEqual(content);
  });

  test('checklist 123: a mark on a message of any role becomes one on its last part', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } };
    const messages = [
      { role: 'system', content: 'Be brief.', ...mark },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Wait.', ...mark },
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: 'I look.', tool_calls: [call], ...mark },
      { role: 'tool', tool_call_id: 'call_1', content: 'found', ...mark },
    ];
    const sent = await sentFor('chat-completions', CLAUDE, { messages });
    expect(sent['system']).toEqual([{ type: 'text', text: 'Be brief.', ...mark }]);
    expect(sent['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Wait.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'call_1', name: 'a', input: {}, ...mark },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'found' }],
            ...mark,
          },
        ],
      },
    ]);
  });
});

describe('checklist 123: Anthropic gets no mark of an hour behind a shorter one, which it refuses', () => {
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const short = { cache_control: { type: 'ephemeral', ttl: '5m' } };
  const said = (text: string, more: JsonObject = {}): JsonObject => ({ type: 'text', text, ...more });
  const parts = (type: string): JsonObject[] => [
    { type, text: 'A long book.', ...hour },
    { type, text: 'And?', ...short },
  ];

  test.each<[Caller, JsonObject]>([
    [
      'chat-completions',
      {
        // The system prompt goes before the messages, and the tools go before it.
        messages: [
          { role: 'user', content: parts('text') },
          { role: 'system', content: [said('Be brief.', mark)] },
        ],
        tools: [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } }, ...mark }],
      },
    ],
    [
      'responses',
      {
        input: [
          { role: 'user', content: parts('input_text') },
          { role: 'system', content: [{ type: 'input_text', text: 'Be brief.', ...mark }] },
        ],
        tools: [{ type: 'function', name: 'find', parameters: { type: 'object' }, ...mark }],
      },
    ],
  ])('checklist 123: from %s', async (from, body) => {
    const sent = await sentFor(from, CLAUDE, body);
    expect(sent['system']).toEqual([said('Be brief.', hour)]);
    expect(listAt(sent, 'messages.0.content')).toEqual([said('A long book.', hour), said('And?', short)]);
    expect(at(sent, 'tools.0.cache_control')).toEqual(hour.cache_control);
  });

  test('checklist 123: also behind those on a result and on the request', () => {
    const notes: Note[] = [];
    const prompt = formats.messages.inbound.parseRequest(
      {
        model: 'm',
        max_tokens: 10,
        ...hour,
        messages: [
          { role: 'user', content: [said('Find it.', short)] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'x', ...mark }] },
        ],
      },
      unreported,
    );
    const sent = formats.messages.outbound.renderRequest(prompt, PERMISSIVE, reportInto(notes));
    expect(at(sent, 'messages.0.content.0.cache_control')).toEqual(hour.cache_control);
    expect(at(sent, 'messages.2.content.0.cache_control')).toEqual(hour.cache_control);
    expect(notes.map(({ field }) => field)).toContain('turns[].mark');
  });
});

describe('checklist 123: a mark within a result is on the result for Anthropic, which refuses it within', () => {
  const text = { type: 'text', text: 'found' };
  const last = { type: 'text', text: 'elsewhere' };
  const result = (content: JsonObject[]): JsonObject => ({
    type: 'tool_result',
    tool_use_id: 'call_1',
    content,
    ...mark,
  });

  test('checklist 123: of a chat client', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: [{ ...text, ...mark }, last] },
    ];
    const sent = await sentFor('chat-completions', CLAUDE, { messages });
    expect(at(sent, 'messages.2.content')).toEqual([result([text, last])]);
  });

  test('checklist 123: of a responses client', async () => {
    const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const found = { type: 'input_text', text: 'found', ...breakpoint };
    const input = [
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 'call_1', name: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: [found] },
    ];
    const sent = await sentFor('responses', CLAUDE, { input });
    expect(at(sent, 'messages.2.content')).toEqual([result([text])]);
  });
});

const parameters = {
  type: 'object',
  properties: { zebra: { type: 'string' }, apple: { type: 'integer' }, '10': { type: 'string' } },
  required: ['zebra'],
};

/** A conversation with this many tool rounds, as each kind of caller writes it. */
function conversation(from: Caller, rounds: number): JsonObject {
  const tools = { tools: [tool(from, 'b_second', parameters), cityTool(from, 'a_first')] };
  const turns = Array.from({ length: rounds }, (_, round) => turnsOf(from, round)).flat();
  const last = { role: 'user', content: 'The last question' };
  return from === 'responses'
    ? { ...tools, input: [...turns, last] }
    : { ...tools, messages: [...turns, last] };
}

function turnsOf(from: Caller, round: number): readonly JsonObject[] {
  const id = `call_${round}`;
  const args = { zebra: 'z', apple: round };
  const name = 'b_second';
  // As Claude Code and Codex report changes.
  const reminder = { role: 'system', content: `Reminder ${round}` };
  switch (from) {
    case 'chat-completions':
      return [
        { role: 'user', content: `Question ${round}` },
        reminder,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
        },
        { role: 'tool', tool_call_id: id, content: `Result ${round}` },
        { role: 'assistant', content: `Answer ${round}` },
      ];
    case 'responses':
      return [
        { role: 'user', content: `Question ${round}` },
        reminder,
        { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) },
        { type: 'function_call_output', call_id: id, output: `Result ${round}` },
        { role: 'assistant', content: `Answer ${round}` },
      ];
    case 'messages':
      return [
        { role: 'user', content: `Question ${round}` },
        reminder,
        { role: 'assistant', content: [{ type: 'tool_use', id, name, input: args }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: `Result ${round}` }] },
        { role: 'assistant', content: `Answer ${round}` },
      ];
  }
}

describe('a key for the cache, which OpenAI fills by itself', () => {
  const KEYED = { prompt_cache_key: 'thread-1' };

  test.each(['chat-completions', 'responses'] as const)(
    '%s: all of the request is marked for Anthropic, and OpenAI has the key',
    async (from) => {
      const sent = await sentFor(from, CLAUDE, KEYED);
      expect(sent).toMatchObject(mark);
      expect(sent['prompt_cache_key']).toBeUndefined();
      expect(marksIn(await sentFor(from, CLAUDE, {}))).toBe(0);
      expect(await bytesFor(from, GEMINI, KEYED)).not.toContain('cache');
    },
  );

  test.each<[model: string, path: string, body: JsonObject, sent: JsonObject]>([
    [CLAUDE, 'chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }, mark],
    [CLAUDE, 'responses', { input: 'Hi' }, mark],
    [
      'openai/gpt-6.2-sol',
      'messages',
      { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
      { prompt_cache_key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
  ])('so it is where a header names the session (to %s by %s)', async (model, path, body, sent) => {
    door.answers((_, response) => response.writeHead(418).end('{}'));
    for (const session of [{ 'x-session-id': 'one' }, {}]) {
      await postJson(`${door.url()}/v1/${path}`, { model, ...body }, { headers: session });
    }
    const [named, unnamed] = door
      .upstream()
      .received.map(({ body }) => asObject(tryParseJson(body.toString())));
    expect(named).toEqual({ ...unnamed, ...sent });
    expect(Object.keys(unnamed ?? {})).not.toContain(Object.keys(sent)[0]);
  });

  test.each<[name: string, more: JsonObject]>([
    ['a message', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Long.', ...mark }] }] }],
    ['a tool', { tools: [{ ...tool('chat-completions', 'f', { type: 'object' }), ...mark }] }],
  ])('a mark of its own on %s is left as it is, and is the only one', async (_, more) => {
    const sent = await sentFor('chat-completions', CLAUDE, { ...KEYED, ...more });
    expect(sent['cache_control']).toBeUndefined();
    expect(marksIn(sent)).toBe(1);
  });
});

describe('checklist 124: earlier turns are sent byte for byte as before', () => {
  const native: Readonly<Record<Caller, readonly string[]>> = {
    'chat-completions': [OPENAI, QWEN],
    responses: [OPENAI, RESPONDER],
    messages: [CLAUDE],
  };
  const cases = CALLERS.flatMap((from) =>
    [CLAUDE, GEMINI, GEMINI_3, OPENAI, QWEN, RESPONDER]
      .filter((model) => !native[from].includes(model))
      .map((model) => ({ from, model })),
  );
  test.each(cases)('checklist 124: $from to $model', async ({ from, model }) => {
    const first = await bytesFor(from, model, conversation(from, 3));
    expect(await bytesFor(from, model, conversation(from, 3))).toBe(first);
    const grown = await bytesFor(from, model, conversation(from, 5));
    // Up to the last question, both are the same.
    const upTo = first.indexOf('"Answer 2"');
    expect(upTo).toBeGreaterThan(100);
    expect(grown.slice(0, upTo)).toBe(first.slice(0, upTo));
    expect(headOf(grown)).toEqual(headOf(first));
    const toolsOf = (text: string): string => text.slice(text.indexOf('"tools"'));
    expect(toolsOf(grown).includes('b_second')).toBe(true);
    expect(toolsOf(grown).slice(0, 100)).toBe(toolsOf(first).slice(0, 100));
  });
});

function objectIn(body: string): JsonObject {
  return asObject(tryParseJson(body)) ?? {};
}

/** What precedes a conversation, wherever it is in the body. */
function headOf(body: string): readonly unknown[] {
  const { system, systemInstruction, instructions } = objectIn(body);
  return [system, systemInstruction, instructions];
}

describe('checklist 125: at most four marks, those on results included', () => {
  const marked = (count: number) =>
    Array.from({ length: count }, (_, place) => [
      { role: 'user', content: [{ type: 'text', text: `Question ${place}`, ...mark }] },
      { role: 'assistant', content: `Answer ${place}` },
    ]).flat();

  test('checklist 125: a mark on a result reaches Anthropic', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, {
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'noon', ...mark },
        { role: 'user', content: 'Well?' },
      ],
    });
    expect(marksIn(at(sent, 'messages.2'))).toBe(1);
  });

  test.each([1, 3, 4, 5, 9])(
    'checklist 125: of %d marks, the first of the system prompt and the last ones stay',
    async (count) => {
      const messages = [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...mark }] },
        ...marked(count),
        { role: 'user', content: 'Go.' },
      ];
      const sent = await sentFor('chat-completions', CLAUDE, { messages });
      expect(marksIn(sent)).toBe(Math.min(4, count + 1));
      expect(marksIn(sent['system'])).toBe(1);
      expect(marksIn(listAt(sent, 'messages').findLast((message) => marksIn(message) > 0))).toBe(1);
    },
  );

  test('checklist 125: marks on dropped content do not count', async () => {
    const empty = { role: 'user', content: [{ type: 'text', text: '', ...mark }] };
    const messages = [empty, empty, empty, ...marked(4), { role: 'user', content: 'Go.' }];
    expect(marksIn(await sentFor('chat-completions', CLAUDE, { messages }))).toBe(4);
  });
});

describe('checklist 126: the fields of objects keep their order', () => {
  const keys = ['zebra', 'apple', 'Mango', '_', 'a.b-c'];
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
    required: ['Mango', 'apple'],
    additionalProperties: false,
  };
  const input = Object.fromEntries(keys.map((key) => [key, key]));
  const cases: [from: Caller, model: string][] = [
    ['chat-completions', CLAUDE],
    ['chat-completions', GEMINI],
    ['messages', OPENAI],
    ['messages', GEMINI],
    ['messages', RESPONDER],
    ['responses', CLAUDE],
  ];
  test.each(cases)('checklist 126: %s to %s', async (from, model) => {
    const call = { id: 'c1', name: 'f', arguments: JSON.stringify(input) };
    const messages =
      from === 'messages'
        ? [
            { role: 'user', content: 'Go.' },
            { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
          ]
        : [
            { role: 'user', content: 'Go.' },
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c1', type: 'function', function: { name: 'f', arguments: call.arguments } },
              ],
            },
            { role: 'tool', tool_call_id: 'c1', content: 'ok' },
          ];
    const items = [
      { role: 'user', content: 'Go.' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: call.arguments },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ];
    const sent = await bytesFor(from, model, {
      tools: [tool(from, 'f', schema)],
      ...(from === 'responses' ? { input: items } : { messages }),
    });
    expect(sent).toContain(JSON.stringify(schema));
    const isText = model === OPENAI || model === RESPONDER;
    expect(sent).toContain(isText ? JSON.stringify(call.arguments) : call.arguments);
  });

  test('checklist 126: a native body is edited, not rebuilt', async () => {
    const body =
      '{"messages":[{"role":"user","content":"Hi"}],"z":1,"model":"openai/gpt-4o" ,"a":{"c":1,"b":2},"n":1.0}';
    door.answers((_, response) => response.writeHead(418).end('{}'));
    await postJson(`${door.url()}/v1/chat/completions`, body);
    expect(door.upstream().received[0]?.body.toString()).toBe(body.replace('openai/gpt-4o', 'gpt-4o'));
  });
});

// GPT-6.2 caches nothing of the instructions: an agent paid its whole system prompt with every step.
test('checklist 205: the system prompt is a message for models of OpenAI, which cache messages', async () => {
  const sent = await sentFor('messages', 'openai/gpt-6.2-sol', {
    system: [
      { type: 'text', text: 'Be brief.', ...mark },
      { type: 'text', text: 'Be kind.', ...mark },
    ],
  });
  expect(sent).not.toHaveProperty('instructions');
  expect(listAt(sent, 'input')).toMatchObject([
    { type: 'message', role: 'developer', content: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
    { role: 'user' },
  ]);
});

test('checklist 206: the session id of the caller becomes the cache key for models of OpenAI', async () => {
  const key = async (user_id: string) =>
    (await sentFor('messages', 'openai/gpt-6.2-sol', { metadata: { user_id } }))['prompt_cache_key'];
  const session = (id: string) => JSON.stringify({ device_id: 'd'.repeat(64), session_id: id });
  expect(await key(session('one'))).toMatch(/^[0-9a-f]{64}$/);
  expect(await key(session('one'))).toBe(await key(session('one')));
  expect(await key(session('one'))).not.toBe(await key(session('two')));
  expect(await sentFor('messages', OPENAI, { metadata: { user_id: 'somebody' } })).toMatchObject({
    prompt_cache_key: await key('somebody'),
  });
  const other = await sentFor('messages', QWEN, { metadata: { user_id: 'somebody' } });
  expect(other).not.toHaveProperty('prompt_cache_key');
});

describe('checklist 220: a service with a cache header gets the session in it', () => {
  const GROK = 'x-ai/grok-4.7';
  const header = async (from: Caller, model: string, more: JsonObject): Promise<unknown> => {
    await bytesFor(from, model, more);
    return door.upstream().received.at(-1)?.headers['x-grok-conv-id'];
  };
  const ways: [from: Caller, of: (session: string) => JsonObject][] = [
    ['chat-completions', (session) => ({ prompt_cache_key: session })],
    ['responses', (session) => ({ prompt_cache_key: session })],
    ['messages', (session) => ({ metadata: { user_id: JSON.stringify({ session_id: session }) } })],
  ];

  test.each(ways)('%s', async (from, of) => {
    const one = await header(from, GROK, of('one'));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await header(from, GROK, of('one'))).toBe(one);
    expect(await header(from, GROK, of('two'))).not.toBe(one);
    expect(await header(from, GROK, {})).toBeUndefined();
    expect(await header(from, OPENAI, of('one'))).toBeUndefined();
    expect(await header(from, CLAUDE, of('one'))).toBeUndefined();
  });

  test.each([
    ['openrouter/a-model', 'x-session-id'],
    ['fireworks/a-model', 'x-session-affinity'],
  ])('%s: %s', async (model, name) => {
    await bytesFor('messages', model, { metadata: { user_id: 'somebody' } });
    expect(door.upstream().received.at(-1)?.headers[name]).toMatch(/^[0-9a-f]{64}$/);
  });

  test('whoever speaks to the service as it does says it in their own words', async () => {
    door.answers((_, response) => response.writeHead(418).end('{}'));
    const ask = (headers: Record<string, string>) =>
      postJson(
        `${door.url()}/v1/chat/completions`,
        {
          model: GROK,
          messages: [{ role: 'user', content: 'Hi' }],
          prompt_cache_key: 'k',
        },
        { headers },
      );
    await ask({ 'x-grok-conv-id': 'mine', 'x-session-id': 'yours' });
    expect(door.upstream().received[0]?.headers).toMatchObject({
      'x-grok-conv-id': 'mine',
      'x-session-id': 'yours',
    });
  });
});
