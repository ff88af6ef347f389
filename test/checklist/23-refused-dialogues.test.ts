/** Checklist, section 23: turns and calls that the caller's format allows and a vendor rejects. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  cityTool,
  completion,
  GEMINI,
  GEMINI_3,
  listAt,
  MUSE,
  QWEN,
  RESPONDER,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

describe('checklist 151: a conversation may end with the assistant', () => {
  const said = (role: string, text: string): JsonObject => ({ role, content: [{ type: 'text', text }] });
  const messages = [
    { role: 'user', content: 'Tell me.' },
    { role: 'assistant', content: 'Once upon' },
  ];
  const written = [said('user', 'Tell me.'), said('assistant', 'Once upon')];

  test.each([
    [CLAUDE, written],
    [CLAUDE_ADAPTIVE, [...written, said('user', 'Continue.')]],
  ])('checklist 151: to %s', async (model, expected) => {
    expect((await sentFor('chat-completions', model, { messages }))['messages']).toEqual(expected);
    expect((await sentFor('responses', model, { input: messages }))['messages']).toEqual(expected);
  });

  test('checklist 151: to Claude, if its answer must follow a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const response_format = { type: 'json_schema', json_schema: { name: 'story', schema } };
    const sent = await sentFor('chat-completions', CLAUDE, { messages, response_format });
    expect(sent['messages']).toEqual([...written, said('user', 'Continue.')]);
    expect(sent).toHaveProperty('output_config.format.type', 'json_schema');
  });

  const spoken = (role: string, text: string): JsonObject => ({ role, parts: [{ text }] });
  const contents = [spoken('user', 'Tell me.'), spoken('model', 'Once upon')];

  test.each<readonly [string, readonly JsonObject[]]>([
    [GEMINI, contents],
    [GEMINI_3, contents],
    ['google/gemini-3.5-flash', contents],
    ...['3.5-flash-lite', '3.6-flash', '3.7-flash', '3.8-flash', '4-argon'].map(
      (name) => [`google/gemini-${name}`, [...contents, spoken('user', 'Continue.')]] as const,
    ),
  ])('checklist 151: to %s', async (model, expected) => {
    for (const [from, more] of [
      ['chat-completions', { messages }],
      ['responses', { input: messages }],
      ['messages', { messages }],
    ] as const) {
      expect((await sentFor(from, model, more))['contents']).toEqual(expected);
    }
  });

  test('checklist 151: but not if the last message is of the system', async () => {
    const remark = { role: 'system', content: 'Be quick.' };
    const said = ['<system>', 'Be quick.', '</system>'].map((text) => ({ text }));
    for (const model of [GEMINI, 'google/gemini-3.8-flash']) {
      const sent = await sentFor('chat-completions', model, { messages: [...messages, remark] });
      expect(sent['contents']).toEqual([...contents, { role: 'user', parts: said }]);
    }
  });

  test.each([
    [CLAUDE_ADAPTIVE, 'messages'],
    ['google/gemini-3.6-flash', 'contents'],
  ])('checklist 151: but not with unanswered calls, and the vendor says so (%s)', async (model, turns) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } };
    const open = [messages[0] ?? {}, { role: 'assistant', content: null, tool_calls: [call] }];
    const sent = await sentFor('chat-completions', model, { messages: open });
    expect(listAt(sent, turns)).toHaveLength(2);
  });
});

describe('checklist 153: calls of one turn may share an id, as with services that use the name', () => {
  test.each([GEMINI, GEMINI_3])('checklist 153: %s is sent no id twice', async (model) => {
    const call = (id: string, name: string): JsonObject => ({
      id,
      type: 'function',
      function: { name, arguments: '{}' },
    });
    const result = (tool_call_id: string, content: string): JsonObject => ({
      role: 'tool',
      tool_call_id,
      content,
    });
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call('f', 'f'), call('f', 'g'), call('h', 'h')] },
      result('f', 'one'),
      result('f', 'two'),
      result('h', 'three'),
    ];
    const sent = await sentFor('chat-completions', model, { messages });
    const calls = listAt(sent, 'contents.1.parts').map((part) => part['functionCall']);
    expect(calls).toEqual([
      { name: 'f', args: {} },
      { name: 'g', args: {} },
      { id: 'h', name: 'h', args: {} },
    ]);
    expect(listAt(sent, 'contents.2.parts').map((part) => part['functionResponse'])).toEqual([
      { name: 'f', response: { output: 'one' } },
      { name: 'g', response: { output: 'two' } },
      { id: 'h', name: 'h', response: { output: 'three' } },
    ]);
  });
});

describe('checklist 154: text after tool results is a separate content for Gemini', () => {
  const reminder = '<system-reminder>Be quick.</system-reminder>';
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const requests: Readonly<Record<Caller, JsonObject>> = {
    'chat-completions': {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'done' },
        { role: 'user', content: reminder },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'done' },
        { role: 'user', content: reminder },
      ],
    },
    messages: {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'done' },
            { type: 'text', text: reminder },
          ],
        },
      ],
    },
  };

  test.each(CALLERS.flatMap((from) => [GEMINI, GEMINI_3].map((model) => [from, model] as const)))(
    'checklist 154: %s to %s',
    async (from, model) => {
      const sent = await sentFor(from, model, requests[from]);
      expect(listAt(sent, 'contents').slice(2)).toEqual([
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'done' } } }] },
        { role: 'user', parts: [{ text: reminder }] },
      ]);
    },
  );
});

describe('checklist 156: a tool_choice without tools is dropped, as from Codex when it compacts its dialogue', () => {
  const none = { tools: [], parallel_tool_calls: false };
  const CALLED: readonly JsonObject[] = [
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'x' },
  ];

  test.each(['auto', 'none'])('checklist 156: %s from responses', async (tool_choice) => {
    for (const model of [QWEN, CLAUDE, GEMINI]) {
      const sent = await sentFor('responses', model, { ...none, tool_choice });
      for (const field of ['tools', 'tool_choice', 'parallel_tool_calls', 'toolConfig']) {
        expect(sent).not.toHaveProperty(field);
      }
    }
  });

  test.each(['auto', 'none'])('checklist 156: %s to a service that speaks responses', async (choice) => {
    // xAI: "A tool_choice was set on the request but no tools were specified."
    for (const model of [RESPONDER, 'x-ai/grok-4.6', 'openai/gpt-5.4', MUSE]) {
      const sent = await sentFor('messages', model, {
        tools: [],
        tool_choice: { type: choice, ...(choice === 'auto' && { disable_parallel_tool_use: true }) },
      });
      expect(sent).toHaveProperty('input');
      for (const field of ['tools', 'tool_choice', 'parallel_tool_calls']) {
        expect(sent).not.toHaveProperty(field);
      }
    }
  });

  test('checklist 156: a forced call without tools is for the vendor to reject', async () => {
    const must = { ...none, tool_choice: 'required' };
    expect(await sentFor('responses', QWEN, must)).toHaveProperty('tool_choice', 'required');
    expect(at(await sentFor('responses', GEMINI, must), 'toolConfig.functionCallingConfig.mode')).toBe('ANY');
    const forced = await sentFor('messages', RESPONDER, { tools: [], tool_choice: { type: 'any' } });
    expect(forced).toHaveProperty('tool_choice', 'required');
    for (const more of [{}, { input: [...CALLED, { role: 'user', content: 'Go.' }] }]) {
      const sent = await sentFor('responses', CLAUDE, { ...must, ...more });
      expect(at(sent, 'tool_choice.type')).toBe('any');
      expect(sent).not.toHaveProperty('tools');
    }
  });
});

describe('checklist 160: a call that was cut off, or is not JSON, does not end a dialogue', () => {
  const written: readonly (readonly [arguments: string, sent: string])[] = [
    ['{"a": 12345678901234567890}', '{"a": 12345678901234567890}'],
    ['', '{}'],
    ['null', '{}'],
    ['{"a":', '{"arguments":"{\\"a\\":"}'],
    ['[1]', '{"arguments":"[1]"}'],
  ];
  const sentArguments = (sent: JsonObject): unknown[] =>
    listAt(sent, 'messages.1.tool_calls').map((call) => at(call, 'function.arguments'));
  const expected = written.map(([, sent]) => sent);

  test('checklist 160: from responses, to a service that parses arguments', async () => {
    const calls = written.map(([text], place) => ({
      type: 'function_call',
      call_id: `call_${place}`,
      name: 'f',
      arguments: text,
    }));
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'x' }));
    const input = [{ role: 'user', content: 'Go.' }, ...calls, ...results];
    expect(sentArguments(await sentFor('responses', QWEN, { input }))).toEqual(expected);
  });

  test('checklist 160: natively, after the service has rejected it unchanged', async () => {
    const tool_calls = written.map(([text], place) => ({
      id: `call_${place}`,
      type: 'function',
      function: { name: 'f', arguments: text },
    }));
    const results = tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const messages = [{ role: 'user', content: 'Go.' }, { role: 'assistant', tool_calls }, ...results];
    door.answers((received, response) => {
      const isFirst = received.body.includes('"arguments":"[1]"');
      response.writeHead(isFirst ? 400 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isFirst
            ? { error: { message: 'Extra data' } }
            : completion({ content: 'Done.', refusal: null }, 'stop'),
        ),
      );
    });
    expect((await door.whole('chat-completions', QWEN, { messages })).status).toBe(200);
    expect(sentArguments(door.sent())).toEqual(expected);
  });
});

describe('checklist 190: no tool is forced on a Claude that rejects forced tools', () => {
  const REFUSING = ['opus-5-5', 'sonnet-5-5', 'fable-5-1', 'fable-5-2'].map(
    (name) => `anthropic/claude-${name}`,
  );
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Rome?' },
  ];
  const tools = ['a', 'b', 'c'].map((name) => cityTool('chat-completions', name));
  const question = { type: 'text', text: 'Rome?' };
  const one = (name: string): JsonObject => ({ type: 'function', function: { name } });
  const several = { mode: 'required', tools: [one('a'), one('c')] };

  test.each(
    REFUSING.flatMap((model) =>
      [
        ['required', 'one of the tools', ['a', 'b', 'c']] as const,
        [one('b'), 'the tool "b"', ['b']] as const,
        [{ type: 'allowed_tools', allowed_tools: several }, 'one of the tools', ['a', 'c']] as const,
      ].map(([tool_choice, whom, offered]) => ({ model, tool_choice, whom, offered })),
    ),
  )('checklist 190: $model is asked for a call of $whom', async ({ model, tool_choice, whom, offered }) => {
    const sent = await sentFor('chat-completions', model, {
      messages,
      tools,
      tool_choice,
      parallel_tool_calls: false,
    });
    expect(sent['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(listAt(sent, 'tools').map((offer) => at(offer, 'name'))).toEqual(offered);
    expect(sent['system']).toBe('Be brief.');
    const asked = { type: 'text', text: `Answer with a call of ${whom}, not with text.` };
    expect(listAt(sent, 'messages').at(-1)).toEqual({ role: 'user', content: [question, asked] });
  });

  test.each(REFUSING)('checklist 190: nor for a response schema (%s)', async (model) => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    const sent = await sentFor('chat-completions', model, {
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    expect(sent['tools']).toBeUndefined();
    expect(sent['tool_choice']).toBeUndefined();
    expect(JSON.stringify(sent['system'])).toContain('JSON schema');
  });

  test.each(['fable-5', 'haiku-5-5', 'opus-5'])('checklist 190: Claude %s accepts them', async (name) => {
    const model = `anthropic/claude-${name}`;
    const sent = await sentFor('chat-completions', model, { messages, tools, tool_choice: 'required' });
    expect(sent['tool_choice']).toEqual({ type: 'any' });
    expect(listAt(sent, 'messages.0.content')).toEqual([question]);
  });
});
