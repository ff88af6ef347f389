/** Checklist, section 2: ids of tool calls, and what tools answered. */

import { describe, expect, test } from 'vitest';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  claudeMessage,
  completion,
  GEMINI,
  GEMINI_3,
  gemini,
  geminiStream,
  json,
  listAt,
  OPENAI,
  QWEN,
  RESPONDER,
  useDoor,
} from './support.ts';

const door = useDoor();

const sayOk = (model: string): void =>
  door.answers(
    json(
      model.startsWith('anthropic/')
        ? claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')
        : model.startsWith('google/')
          ? gemini([{ text: 'Ok.' }], 'STOP')
          : completion({ content: 'Ok.' }, 'stop'),
    ),
  );

/** What the vendor of `model` is sent for a request. */
async function sentFor(from: Caller, model: string, more: JsonObject): Promise<JsonObject> {
  if (model === RESPONDER) door.answers((_, response) => response.writeHead(400).end('{}'));
  else sayOk(model);
  const { status, text } = await door.whole(from, model, more);
  expect(status, text).toBe(model === RESPONDER ? 400 : 200);
  return door.sent();
}

const call = (name: string, args: JsonObject, id?: string): JsonObject => ({
  functionCall: { ...(id !== undefined && { id }), name, args },
});
const result = (name: string, output: string): JsonObject => ({
  functionResponse: { name, response: { output } },
});

/** Gemini contents without ids: parallel calls of A, B, A, B, answered in the same order. */
const withoutIds: JsonObject = {
  contents: [
    { role: 'user', parts: [{ text: 'Go.' }] },
    {
      role: 'model',
      parts: [call('a', { n: 1 }), call('b', { n: 2 }), call('a', { n: 3 }), call('b', { n: 4 })],
    },
    {
      role: 'user',
      parts: [result('a', 'one'), result('b', 'two'), result('a', 'three'), result('b', 'four')],
    },
  ],
};

/** Gemini contents as chat messages. */
function asChat(contents: JsonObject): readonly JsonObject[] {
  const prompt = formats['generate-content'].inbound.parseRequest(contents, unreported);
  return listAt(
    formats['chat-completions'].outbound.renderRequest(prompt, PERMISSIVE, unreported),
    'messages',
  );
}

/** The result of each call, by its arguments; calls and results are paired by id. */
function paired(messages: readonly JsonObject[]): unknown[] {
  const calls = messages.flatMap((message) => (message['tool_calls'] ? listAt(message, 'tool_calls') : []));
  return calls.map((made) => [
    at(made, 'function.arguments'),
    messages.find((message) => message['tool_call_id'] === made['id'])?.['content'],
  ]);
}

const pairs = [
  ['{"n":1}', 'one'],
  ['{"n":2}', 'two'],
  ['{"n":3}', 'three'],
  ['{"n":4}', 'four'],
];

test('checklist 13: a result without an id in generate-content answers the oldest call with its name', () => {
  expect(paired(asChat(withoutIds))).toEqual(pairs);
});

describe('checklist 14: generated ids', () => {
  test('checklist 14: are deterministic, and stay the same as a conversation grows', () => {
    const idsOf = (contents: JsonObject) =>
      asChat(contents)
        .flatMap((message) => (message['tool_calls'] ? listAt(message, 'tool_calls') : []))
        .map(({ id }) => id);
    const first = idsOf(withoutIds);
    expect(idsOf(withoutIds)).toEqual(first);
    const grown = {
      contents: [
        ...listAt(withoutIds, 'contents'),
        { role: 'model', parts: [call('a', { n: 5 })] },
        { role: 'user', parts: [result('a', 'five')] },
      ],
    };
    expect(idsOf(grown).slice(0, 4)).toEqual(first);
    expect(new Set(idsOf(grown)).size).toBe(5);
    expect(paired(asChat(grown))).toEqual([...pairs, ['{"n":5}', 'five']]);
  });

  test.each(CALLERS)('checklist 14: are the same in a streamed and a whole answer (%s)', async (from) => {
    const parts = [call('a', {}), call('b', {}), call('a', {})];
    const idsOf = (reply: ReturnType<Awaited<ReturnType<typeof door.whole>>['reply']>) =>
      (reply.choices[0]?.parts ?? []).flatMap((part) => (part.kind === 'tool-call' ? part.id : []));
    door.answers(json(gemini(parts, 'STOP')));
    const whole = idsOf((await door.whole(from, GEMINI)).reply());
    door.answers(geminiStream(gemini(parts.slice(0, 2)), gemini(parts.slice(2), 'STOP')));
    const streamed = idsOf((await door.stream(from, GEMINI)).reply());
    expect(whole).toHaveLength(3);
    expect(streamed).toEqual(whole);
  });
});

describe('checklist 15: no two calls of an answer share an id', () => {
  const idsOf = (body: JsonObject): unknown[] => listAt(body, 'content').map(({ id }) => id);

  test('checklist 15: if a service uses the name of the function as the id', async () => {
    const twice = [0, 1].map((index) => ({
      index,
      id: 'get_weather',
      type: 'function',
      function: { name: 'get_weather', arguments: `{"n":${index}}` },
    }));
    door.answers(json(completion({ content: null, tool_calls: twice }, 'tool_calls')));
    expect(new Set(idsOf((await door.whole('messages', QWEN)).json)).size).toBe(2);
    door.answers(chatStream(chunk({ tool_calls: twice }), chunk({}, 'tool_calls')));
    const { reply } = await door.stream('messages', QWEN);
    const ids = (reply().choices[0]?.parts ?? []).map((part) => (part.kind === 'tool-call' ? part.id : ''));
    expect(new Set(ids).size).toBe(2);
  });

  test.each(CALLERS)(
    'checklist 15: if Gemini, or a proxy before it, gives two calls the same id (%s)',
    async (from) => {
      const parts = [
        call('get_weather', { n: 0 }, 'get_weather'),
        call('get_weather', { n: 1 }, 'get_weather'),
      ];
      door.answers(json(gemini(parts, 'STOP')));
      const { reply } = await door.whole(from, GEMINI_3);
      const ids = (reply().choices[0]?.parts ?? []).map((part) => (part.kind === 'tool-call' ? part.id : ''));
      expect(new Set(ids).size).toBe(2);
      door.answers(geminiStream(...parts.map((part) => gemini([part])), gemini([], 'STOP')));
      expect((await door.stream(from, GEMINI_3)).reply().choices[0]?.parts).toHaveLength(2);
    },
  );

  test('checklist 15: different answers of a conversation have different ids, too', async () => {
    door.answers(json({ ...gemini([call('a', {})], 'STOP'), responseId: 'one' }));
    const one = idsOf((await door.whole('messages', GEMINI)).json);
    door.answers(json({ ...gemini([call('a', {})], 'STOP'), responseId: 'two' }));
    expect(idsOf((await door.whole('messages', GEMINI)).json)).not.toEqual(one);
  });
});

describe('checklist 16: a missing id does not become the text "null" or "undefined"', () => {
  test.each([[null], [''], [undefined]])('checklist 16: an answer whose call has the id %j', async (id) => {
    const made = {
      ...(id !== undefined && { id }),
      type: 'function',
      function: { name: 'now', arguments: '{}' },
    };
    door.answers(json(completion({ content: null, tool_calls: [made] }, 'tool_calls')));
    const { json: body } = await door.whole('messages', QWEN);
    expect(at(body, 'content.0.id')).toMatch(/^(?!.*(?:null|undefined)).+$/);
    door.answers(chatStream(chunk({ tool_calls: [{ index: 0, ...made }] }), chunk({}, 'tool_calls')));
    const { data } = await door.stream('messages', QWEN);
    const started = data.find(({ type }) => type === 'content_block_start');
    expect(at(started, 'content_block.id')).toBe(at(body, 'content.0.id'));
  });

  test.each([[null], [undefined]])(
    'checklist 16: a result with the id %j is the mistake of the caller',
    async (id) => {
      const messages = [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
        },
        { role: 'tool', ...(id !== undefined && { tool_call_id: id }), content: 'noon' },
      ];
      for (const model of [CLAUDE, GEMINI, RESPONDER]) {
        const { status, json: body } = await door.whole('chat-completions', model, { messages });
        expect(status).toBe(400);
        expect(at(body, 'error.param')).toBe('messages[2].tool_call_id');
      }
      expect(door.upstream().received).toHaveLength(0);
    },
  );
});

test('checklist 17: parallel calls with one name and without ids keep their own results from generate-content', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'model', parts: [call('a', { n: 1 }), call('a', { n: 2 }), call('a', { n: 3 })] },
    { role: 'user', parts: [result('a', 'one'), result('a', 'two')] },
    { role: 'user', parts: [result('a', 'three')] },
  ];
  expect(paired(asChat({ contents }))).toEqual(pairs.slice(0, 3));
});

/** A history in which `id` was called and answered, as each kind of caller writes it. */
function history(from: Caller, calls: readonly [id: string, name: string, answer: string][]): JsonObject {
  const asked = { role: 'user', content: 'Go.' };
  switch (from) {
    case 'chat-completions':
      return {
        messages: [
          asked,
          {
            role: 'assistant',
            content: null,
            tool_calls: calls.map(([id, name]) => ({
              id,
              type: 'function',
              function: { name, arguments: '{}' },
            })),
          },
          ...calls.map(([id, , content]) => ({ role: 'tool', tool_call_id: id, content })),
        ],
      };
    case 'responses':
      return {
        input: [
          asked,
          ...calls.map(([call_id, name]) => ({ type: 'function_call', call_id, name, arguments: '{}' })),
          ...calls.map(([call_id, , output]) => ({ type: 'function_call_output', call_id, output })),
        ],
      };
    case 'messages':
      return {
        messages: [
          asked,
          {
            role: 'assistant',
            content: calls.map(([id, name]) => ({ type: 'tool_use', id, name, input: {} })),
          },
          {
            role: 'user',
            content: calls.map(([tool_use_id, , content]) => ({ type: 'tool_result', tool_use_id, content })),
          },
        ],
      };
  }
}

test.each(CALLERS)(
  'checklist 18: an id that Gemini gives reaches the client and comes back to Gemini (%s)',
  async (from) => {
    door.answers(json(gemini([call('get_weather', { city: 'Rom' }, 'x8k2m1')], 'STOP')));
    const { reply } = await door.whole(from, GEMINI_3);
    const made = reply().choices[0]?.parts.find((part) => part.kind === 'tool-call');
    expect(made?.id).toBe('x8k2m1');
    const sent = await sentFor(from, GEMINI_3, history(from, [['x8k2m1', 'get_weather', 'sunny']]));
    expect(at(sent, 'contents.1.parts.0.functionCall.id')).toBe('x8k2m1');
    expect(at(sent, 'contents.2.parts.0.functionResponse.id')).toBe('x8k2m1');
  },
);

test.each(CALLERS)(
  'checklist 19: Gemini gets the name of the function with its result (%s)',
  async (from) => {
    const sent = await sentFor(
      from,
      GEMINI,
      history(from, [
        ['call_1', 'get_weather', 'sunny'],
        ['call_2', 'get_time', 'noon'],
      ]),
    );
    expect(listAt(sent, 'contents.2.parts')).toEqual([
      result('get_weather', 'sunny'),
      result('get_time', 'noon'),
    ]);
  },
);

const PNG = 'iVBORw0KGgo=';
const shot = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };

describe('checklist 20: Gemini gets one response per call, in one content', () => {
  test.each(CALLERS)('checklist 20: results one by one (%s)', async (from) => {
    const calls = ['one', 'two', 'three'].map((said, at_): [string, string, string] => [
      `call_${at_}`,
      'f',
      said,
    ]);
    const sent = await sentFor(from, GEMINI, history(from, calls));
    const contents = listAt(sent, 'contents');
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
    expect(listAt(contents[2], 'parts')).toEqual(calls.map(([, , said]) => result('f', said)));
  });

  test.each([GEMINI, GEMINI_3])(
    'checklist 20: images among them and text after them are separate parts (%s)',
    async (model) => {
      const sent = await sentFor('messages', model, {
        messages: [
          { role: 'user', content: 'Go.' },
          {
            role: 'assistant',
            content: ['t1', 't2'].map((id) => ({ type: 'tool_use', id, name: 'screenshot', input: {} })),
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'second' }, shot] },
              { type: 'tool_result', tool_use_id: 't1', content: [shot] },
              { type: 'text', text: 'Well?' },
            ],
          },
        ],
      });
      const [responses = [], others = []] = [2, 3].map((index) => listAt(sent, `contents.${index}.parts`));
      expect(listAt(sent, 'contents').map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user']);
      expect(responses.map((part) => Object.keys(part))).toEqual([
        ['functionResponse'],
        ['functionResponse'],
      ]);
      expect(others.every((part) => part['functionResponse'] === undefined)).toBe(true);
      expect(JSON.stringify([responses, others]).split(PNG)).toHaveLength(3);
      expect(others.at(-1)).toEqual({ text: 'Well?' });
    },
  );
});

describe('checklist 21: Anthropic gets all results of a turn first in the next user message', () => {
  const toolResult = (id: string, text: string): JsonObject => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text }],
  });

  test('checklist 21: followed by the messages of a chat client between and after them', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, {
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: ['c1', 'c2'].map((id) => ({
            id,
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          })),
        },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
        { role: 'user', content: 'Hurry.' },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'user', content: 'Well?' },
      ],
    });
    const messages = listAt(sent, 'messages');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2]?.['content']).toEqual([
      toolResult('c1', 'one'),
      toolResult('c2', 'two'),
      { type: 'text', text: 'Hurry.' },
      { type: 'text', text: 'Well?' },
    ]);
  });

  test('checklist 21: from the items of a responses client', async () => {
    const sent = await sentFor('responses', CLAUDE, {
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'one' },
        { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c2', output: 'two' },
        { role: 'user', content: 'Well?' },
      ],
    });
    for (const [place, { role, content }] of listAt(sent, 'messages').entries()) {
      if (place === 0) continue;
      const kinds = listAt({ content }, 'content').map(({ type }) => type);
      if (role === 'user') expect(kinds[0]).toBe('tool_result');
    }
    const told = JSON.stringify(sent);
    expect(told.indexOf('"one"')).toBeLessThan(told.indexOf('"two"'));
  });
});

describe('checklist 170: a format without a field for a failed tool says the failure in words', () => {
  const failed = (content: Json): JsonObject => ({
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content }],
      },
    ],
  });

  test.each([
    [OPENAI, 'messages.2.content'],
    ['openai/gpt-5.4', 'input.2.output'],
    [RESPONDER, 'input.2.output'],
  ])('checklist 170: %s', async (model, field) => {
    const told = async (content: Json) => at(await door.sentFor('messages', model, failed(content)), field);
    expect(await told('No such file.')).toBe('Error: No such file.');
    expect(await told([])).toBe('Error');
    expect(await told('<tool_use_error>No such file.</tool_use_error>')).toBe(
      '<tool_use_error>No such file.</tool_use_error>',
    );
  });
});

describe('checklist 194: a tool result reaches Gemini, whatever keys it has', () => {
  const schema = '{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{}}}';

  test.each(CALLERS)('checklist 194: a schema, which Gemini would interpret, from %s', async (from) => {
    const sent = await sentFor(
      from,
      GEMINI_3,
      {
        'chat-completions': {
          messages: [
            { role: 'user', content: 'Go.' },
            {
              role: 'assistant',
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
            },
            { role: 'tool', tool_call_id: 'c1', content: schema },
          ],
        },
        responses: {
          input: [
            { role: 'user', content: 'Go.' },
            { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
            { type: 'function_call_output', call_id: 'c1', output: schema },
          ],
        },
        messages: {
          messages: [
            { role: 'user', content: 'Go.' },
            { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: schema }] },
          ],
        },
      }[from],
    );
    expect(at(sent, 'contents.2.parts.0.functionResponse.response')).toEqual({ output: schema });
  });
});
