/** Tools that share a name go out under names of their own, and come back under the caller's, streamed and whole. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  completion,
  GEMINI,
  geminiBoth,
  json,
  listAt,
  QWEN,
  useDoor,
} from '../checklist/support.ts';

const door = useDoor();

const OBJECT = { type: 'object', properties: {} };

/** What each vendor answers: calls of these names, with these arguments. */
type Call = readonly [name: string, args: JsonObject];
const VENDORS: readonly (readonly [
  string,
  (...calls: readonly Call[]) => Both,
  (sent: JsonObject) => unknown,
])[] = [
  [
    CLAUDE,
    (...calls) =>
      claudeBoth(
        calls.map(([name, input], index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
        'tool_use',
      ),
    (sent) => listAt(sent, 'tools').map(({ name }) => name),
  ],
  [
    GEMINI,
    (...calls) => geminiBoth(calls.map(([name, args]) => ({ functionCall: { name, args } }))),
    (sent) => listAt(sent, 'tools.0.functionDeclarations').map(({ name }) => name),
  ],
  [
    QWEN,
    (...calls) => {
      const made = calls.map(([name, args], index) => ({
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      }));
      return {
        whole: json(completion({ role: 'assistant', content: null, tool_calls: made }, 'tool_calls')),
        stream: chatStream(
          chunk({ role: 'assistant', tool_calls: made.map((call, index) => ({ index, ...call })) }),
          chunk({}, 'tool_calls'),
        ),
      };
    },
    (sent) => listAt(sent, 'tools').map((tool) => at(tool, 'function.name')),
  ],
];

const models = VENDORS.map(([model, answer, namesIn]) => ({ model, answer, namesIn }));
const WAYS = ['whole', 'stream'] as const;

/** The items of an answer in responses. */
function itemsOf(answer: {
  readonly json?: JsonObject;
  readonly data?: readonly JsonObject[];
}): readonly JsonObject[] {
  return answer.json ? listAt(answer.json, 'output') : listAt(answer.data?.at(-1), 'response.output');
}

describe.each(models)('$model, asked in responses', ({ model, answer, namesIn }) => {
  test.each(WAYS)('a custom tool and a function, %s', async (way) => {
    door.answers(answer(['f', { a: 1 }], ['f_2', { input: 'text' }])[way]);
    const tools = [
      { type: 'function', name: 'f', parameters: OBJECT },
      { type: 'custom', name: 'f' },
    ];
    const items = itemsOf(await door[way]('responses', model, { tools }));
    expect(namesIn(door.sent())).toEqual(['f', 'f_2']);
    expect(items).toMatchObject([
      { type: 'function_call', name: 'f', arguments: '{"a":1}' },
      { type: 'custom_tool_call', name: 'f', input: 'text' },
    ]);
  });

  test.each(WAYS)("a namespace's and a plain one, %s", async (way) => {
    door.answers(answer(['crm__find', { a: 1 }], ['crm__find_2', { b: 2 }])[way]);
    const member = { type: 'function', name: 'find', description: 'F', parameters: OBJECT };
    for (const isFirst of [true, false]) {
      const plain = { type: 'function', name: 'crm__find', parameters: OBJECT };
      const group = { type: 'namespace', name: 'crm', description: 'C', tools: [member] };
      const tools = isFirst ? [plain, group] : [group, plain];
      const items = itemsOf(await door[way]('responses', model, { tools }));
      expect(namesIn(door.sent())).toEqual(['crm__find', 'crm__find_2']);
      const calls = [
        { type: 'function_call', name: 'crm__find' },
        { type: 'function_call', name: 'find', namespace: 'crm' },
      ];
      expect(items).toMatchObject(isFirst ? calls : calls.toReversed());
      expect(items[isFirst ? 0 : 1]).not.toHaveProperty('namespace');
    }
  });

  test.each(WAYS)('a custom tool and a function of one namespace, %s', async (way) => {
    door.answers(answer(['crm__find', { input: 'text' }], ['crm__find_2', { a: 1 }])[way]);
    const members = [
      { type: 'custom', name: 'find' },
      { type: 'function', name: 'find', parameters: OBJECT },
    ];
    const tools = [{ type: 'namespace', name: 'crm', description: 'C', tools: members }];
    const items = itemsOf(await door[way]('responses', model, { tools }));
    expect(namesIn(door.sent())).toEqual(['crm__find', 'crm__find_2']);
    expect(items).toMatchObject([
      { type: 'custom_tool_call', name: 'find', namespace: 'crm', input: 'text' },
      { type: 'function_call', name: 'find', namespace: 'crm', arguments: '{"a":1}' },
    ]);
  });

  test.each(WAYS)("OpenAI's shell and a function of that name, %s", async (way) => {
    door.answers(answer(['shell', { a: 1 }], ['shell_2', { commands: ['ls'] }])[way]);
    const tools = [{ type: 'function', name: 'shell', parameters: OBJECT }, { type: 'shell' }];
    const items = itemsOf(await door[way]('responses', model, { tools }));
    expect(namesIn(door.sent())).toEqual(['shell', 'shell_2']);
    expect(items).toMatchObject([
      { type: 'function_call', name: 'shell' },
      { type: 'shell_call', action: { commands: ['ls'] } },
    ]);
  });
});

// A native request is the vendor's to judge.
test.each(models.filter(({ model }) => model !== QWEN))(
  'a custom tool and a function in chat-completions: $model',
  async ({ model, answer, namesIn }) => {
    const tools = [
      { type: 'custom', custom: { name: 'f' } },
      { type: 'function', function: { name: 'f', parameters: OBJECT } },
    ];
    const both = answer(['f', { input: 'text' }], ['f_2', { a: 1 }]);
    const calls = [
      { type: 'custom', custom: { name: 'f', input: 'text' } },
      { type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ];
    door.answers(both.whole);
    const whole = await door.whole('chat-completions', model, { tools });
    expect(namesIn(door.sent())).toEqual(['f', 'f_2']);
    expect(at(whole.json, 'choices.0.message.tool_calls')).toMatchObject(calls);
    door.answers(both.stream);
    const streamed = await door.stream('chat-completions', model, { tools });
    expect(streamed.reply().choices[0]?.parts).toMatchObject([
      { kind: 'tool-call', name: 'f', custom: true, arguments: 'text' },
      { kind: 'tool-call', name: 'f', arguments: '{"a":1}' },
    ]);
  },
);

describe('in the history and the choice', () => {
  const tools = [
    { type: 'function', name: 'crm__find', parameters: OBJECT },
    {
      type: 'namespace',
      name: 'crm',
      tools: [
        { type: 'function', name: 'find', parameters: OBJECT },
        { type: 'custom', name: 'find' },
      ],
    },
    { type: 'custom', name: 'crm__find' },
  ];
  const input = [
    { role: 'user', content: 'x' },
    { type: 'function_call', call_id: 'a', name: 'crm__find', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'find', namespace: 'crm', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'd', name: 'find', namespace: 'crm', input: 'x' },
    { type: 'custom_tool_call', call_id: 'c', name: 'crm__find', input: 'x' },
    { type: 'function_call_output', call_id: 'a', output: '1' },
    { type: 'function_call_output', call_id: 'b', output: '2' },
    { type: 'custom_tool_call_output', call_id: 'd', output: '4' },
    { type: 'custom_tool_call_output', call_id: 'c', output: '3' },
  ];

  test('of responses', async () => {
    const claude = await door.sentFor('responses', CLAUDE, { tools, input });
    expect(listAt(claude, 'messages.1.content').map(({ name }) => name)).toEqual([
      'crm__find',
      'crm__find_2',
      'crm__find_3',
      'crm__find_4',
    ]);
    const gemini = await door.sentFor('responses', GEMINI, { tools, input });
    expect(listAt(gemini, 'contents.2.parts').map((part) => at(part, 'functionResponse.name'))).toEqual([
      'crm__find',
      'crm__find_2',
      'crm__find_3',
      'crm__find_4',
    ]);
  });

  test.each<[JsonObject, string]>([
    [{ type: 'function', name: 'crm__find' }, 'crm__find'],
    [{ type: 'function', name: 'find', namespace: 'crm' }, 'crm__find_2'],
    [{ type: 'function', name: 'crm.find' }, 'crm__find_2'],
    [{ type: 'custom', name: 'find', namespace: 'crm' }, 'crm__find_3'],
    [{ type: 'custom', name: 'crm.find' }, 'crm__find_3'],
    [{ type: 'custom', name: 'crm__find' }, 'crm__find_4'],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'crm__find' }] },
      'crm__find_4',
    ],
  ])('a choice in responses: %j', async (tool_choice, name) => {
    const sent = await door.sentFor('responses', CLAUDE, { tools, tool_choice });
    expect(at(sent, 'tool_choice')).toEqual({ type: 'tool', name });
  });

  test.each<[type: string, name: string]>([
    ['custom', 'crm__find'],
    ['function', 'crm__find_2'],
  ])('a choice in responses among two of one namespace: %s', async (type, name) => {
    const members = ['custom', 'function'].map((kind) => ({ type: kind, name: 'find' }));
    const sent = await door.sentFor('responses', CLAUDE, {
      tools: [{ type: 'namespace', name: 'crm', tools: members }],
      tool_choice: { type, name: 'crm.find' },
    });
    expect(at(sent, 'tool_choice')).toEqual({ type: 'tool', name });
  });

  test('of chat-completions', async () => {
    const nested = [
      { type: 'function', function: { name: 'f', parameters: OBJECT } },
      { type: 'custom', custom: { name: 'f' } },
    ];
    const messages = [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'b', type: 'custom', custom: { name: 'f', input: 'x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const tool_choice = { type: 'custom', custom: { name: 'f' } };
    const sent = await door.sentFor('chat-completions', CLAUDE, { tools: nested, messages, tool_choice });
    expect(listAt(sent, 'messages.1.content')).toMatchObject([
      { name: 'f', input: {} },
      { name: 'f_2', input: { input: 'x' } },
    ]);
    expect(at(sent, 'tool_choice')).toEqual({ type: 'tool', name: 'f_2' });
    const gemini = await door.sentFor('chat-completions', GEMINI, { tools: nested, messages });
    expect(listAt(gemini, 'contents.2.parts').map((part) => at(part, 'functionResponse.name'))).toEqual([
      'f',
      'f_2',
    ]);
  });
});

test('two functions of one name stay, for the vendor to judge', async () => {
  const tools = ['A', 'B'].map((description) => ({ type: 'function', name: 'f', description }));
  const sent = await door.sentFor('responses', CLAUDE, { tools });
  expect(listAt(sent, 'tools').map(({ name }) => name)).toEqual(['f', 'f']);
});

describe("a function with the name of Anthropic's own web search", () => {
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'web_search', parameters: OBJECT }];
  const both = claudeBoth(
    [{ type: 'tool_use', id: 'toolu_1', name: 'web_search_2', input: { a: 1 } }],
    'tool_use',
  );

  test.each(WAYS)('is renamed, and back, %s', async (way) => {
    door.answers(both[way]);
    const items = itemsOf(await door[way]('responses', CLAUDE, { tools }));
    expect(listAt(door.sent(), 'tools').map(({ name }) => name)).toEqual(['web_search', 'web_search_2']);
    expect(items).toMatchObject([{ type: 'function_call', name: 'web_search', arguments: '{"a":1}' }]);
  });

  test('in the history and the choice, too', async () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'function_call', call_id: 'a', name: 'web_search', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '1' },
    ];
    const tool_choice = { type: 'function', name: 'web_search' };
    const sent = await door.sentFor('responses', CLAUDE, { tools, input, tool_choice });
    expect(at(sent, 'messages.1.content.0.name')).toBe('web_search_2');
    expect(at(sent, 'tool_choice')).toEqual({ type: 'tool', name: 'web_search_2' });
    const search = await door.sentFor('responses', CLAUDE, {
      tools,
      input,
      tool_choice: { type: 'web_search' },
    });
    expect(at(search, 'tool_choice')).toEqual({ type: 'tool', name: 'web_search' });
  });

  test('from chat-completions and from Google', async () => {
    const sent = await door.sentFor('chat-completions', CLAUDE, {
      web_search_options: {},
      tools: [{ type: 'function', function: { name: 'web_search', parameters: OBJECT } }],
    });
    expect(new Set(listAt(sent, 'tools').map(({ name }) => name))).toEqual(
      new Set(['web_search', 'web_search_2']),
    );
  });

  test('a name that is free is not taken', async () => {
    const more = [...tools, { type: 'function', name: 'web_search_2', parameters: OBJECT }];
    const sent = await door.sentFor('responses', CLAUDE, { tools: more });
    expect(listAt(sent, 'tools').map(({ name }) => name)).toEqual([
      'web_search',
      'web_search_3',
      'web_search_2',
    ]);
  });
});

test('the tool for a JSON answer has no name that was called before', async () => {
  // Anthropic does not enforce a list whose items differ by position, so the answer is the input of a tool.
  const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] };
  const schema = { type: 'object', properties: { pair }, required: ['pair'], additionalProperties: false };
  const messages = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'json_response', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: '1' },
  ];
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } };
  const sent = await door.sentFor('chat-completions', CLAUDE, { messages, response_format });
  expect(listAt(sent, 'tools').map(({ name }) => name)).toEqual(['json_response', 'json_response_']);
});
