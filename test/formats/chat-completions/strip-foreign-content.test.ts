/** What remains of a dialogue with other vendors' models, by the service that continues it. */

import { describe, expect, test } from 'vitest';
import { stripForeignContent } from '../../../src/formats/chat-completions/outbound/strip-foreign-content.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const user: JsonObject = { role: 'user', content: 'Hi' };
const call: JsonObject = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const signed: JsonObject = { google: { thought_signature: 'AbC=' } };

/** A dialogue as SDKs send it back. */
const answer: JsonObject = {
  role: 'assistant',
  content: 'Hello.',
  refusal: null,
  annotations: [],
  reasoning_content: 'Hm.',
  reasoning_signature: 'AbC=',
  reasoning: 'Hm.',
  reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
  thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'AbC=' }],
  extra_content: { google: { thought_signature: 'DeF=' } },
  provider_specific_fields: { messages: [] },
  tool_calls: [{ ...call, index: 0, extra_content: signed }],
};

const kept = (dialect: string): string[] => {
  const request = stripForeignContent({ model: 'm', messages: [user, answer] }, dialect);
  expect(request).toMatchObject({ model: 'm', messages: [user, { role: 'assistant', content: 'Hello.' }] });
  const [, told] = Object(request).messages;
  return Object.keys(told).filter((name) => !['role', 'content', 'tool_calls'].includes(name));
};

describe('additional fields of answers', () => {
  test.each<[dialect: string, fields: string[]]>([
    ['openai', ['refusal', 'annotations']],
    ['mistral', []],
    ['compatible', []],
    ['groq', ['reasoning']],
    ['deepseek', ['reasoning_content']],
    ['openrouter', ['reasoning', 'reasoning_details']],
    ['google', ['extra_content']],
    ['litellm', ['thinking_blocks', 'extra_content']],
  ])('%s has of them %j', (dialect, fields) => {
    expect(kept(dialect)).toEqual(fields);
  });

  test('of calls', () => {
    const calls = (dialect: string) =>
      stripForeignContent(
        { messages: [{ role: 'assistant', tool_calls: [{ ...call, index: 0, extra_content: signed }] }] },
        dialect,
      );
    expect(calls('openai')).toEqual({ messages: [{ role: 'assistant', tool_calls: [call] }] });
    expect(calls('google')).toEqual({
      messages: [{ role: 'assistant', tool_calls: [{ ...call, extra_content: signed }] }],
    });
  });

  test.each<[name: string, message: JsonObject, openai: JsonObject, other: JsonObject]>([
    ['refused', { content: '', refusal: 'No.' }, { content: '', refusal: 'No.' }, { content: 'No.' }],
    [
      'spoke',
      { content: null, audio: { id: 'a', transcript: 'Hi.' } },
      { content: null, audio: { id: 'a', transcript: 'Hi.' } },
      { content: 'Hi.' },
    ],
    [
      'said nothing',
      { content: null, tool_calls: [] },
      { content: '', tool_calls: [] },
      { content: '', tool_calls: [] },
    ],
    ['only thought', { reasoning_content: 'Hm.' }, { content: '' }, { content: '' }],
    [
      'only called',
      { content: null, tool_calls: [call] },
      { content: null, tool_calls: [call] },
      { content: null, tool_calls: [call] },
    ],
  ])('what the model said if it %s', (_, message, openai, other) => {
    const told = (dialect: string) => {
      const request = { messages: [user, { role: 'assistant', ...message }] };
      return (stripForeignContent(request, dialect) ?? request)['messages'];
    };
    expect(told('openai')).toEqual([user, { role: 'assistant', ...openai }]);
    expect(told('compatible')).toEqual([user, { role: 'assistant', ...other }]);
  });

  test('messages of the user and of tools stay unchanged', () => {
    const messages = [
      { ...user, reasoning_content: 'Hm.' },
      { role: 'tool', tool_call_id: 'call_1', content: 'x', extra_content: {} },
    ];
    expect(stripForeignContent({ messages }, 'openai')).toBeUndefined();
  });
});

test('fields of the message are removed from the part that a client made of the content', () => {
  const part = { type: 'text', text: 'Hello.', role: 'assistant', annotations: [], reasoning_content: 'Hm.' };
  const messages = [user, { role: 'assistant', content: [part], extra_content: signed }];
  const content = [{ type: 'text', text: 'Hello.' }];
  const message = { role: 'assistant', content };
  const sent = (dialect: string) => Object(stripForeignContent({ messages }, dialect)).messages[1];
  expect(sent('openai')).toEqual({ ...message, annotations: [] });
  expect(sent('groq')).toEqual(message);
  expect(sent('google')).toEqual({ ...message, extra_content: signed });
});

test('a null list is left out, and a field that may be null stays, so that the request counts as unchanged', () => {
  const plain = { role: 'assistant', content: 'Hello.', refusal: null };
  const messages = [user, { ...plain, annotations: null, tool_calls: null }];
  expect(stripForeignContent({ messages }, 'openai')).toEqual({ messages: [user, plain] });
  expect(stripForeignContent({ messages: [user, plain] }, 'openai')).toBeUndefined();
  expect(
    stripForeignContent({ messages: [{ role: 'assistant', content: 'a', tool_calls: null }] }, 'mistral'),
  ).toEqual({
    messages: [{ role: 'assistant', content: 'a' }],
  });
});

test('a refusal becomes text for services without that field', () => {
  const messages = [{ role: 'assistant', content: null, refusal: 'No.' }];
  expect(stripForeignContent({ messages }, 'openai')).toBeUndefined();
  expect(stripForeignContent({ messages }, 'groq')).toEqual({
    messages: [{ role: 'assistant', content: 'No.' }],
  });
});

test('thoughts in the content stay only for Mistral', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
  const text = { type: 'text', text: 'Hello.' };
  const messages = [
    { role: 'assistant', content: [thinking, text] },
    { role: 'assistant', content: [thinking] },
  ];
  expect(stripForeignContent({ messages }, 'mistral')).toBeUndefined();
  expect(stripForeignContent({ messages }, 'openai')).toEqual({
    messages: [
      { role: 'assistant', content: [text] },
      { role: 'assistant', content: '' },
    ],
  });
});

test('call ids fit the service, and are the same for a call and its result', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'x' },
  ];
  expect(stripForeignContent({ messages }, 'openai')).toBeUndefined();
  const [
    {
      tool_calls: [{ id }],
    },
    { tool_call_id },
  ] = Object(stripForeignContent({ messages }, 'mistral')).messages;
  expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(tool_call_id).toBe(id);
});

test.each(['openai', 'xai', 'compatible', 'mistral'])(
  'what is said of tools goes where there are none (%s)',
  (name) => {
    const plain = { model: 'm', messages: [user] };
    for (const said of [
      { tools: [] },
      { tool_choice: 'auto' },
      { tools: [], tool_choice: 'none', parallel_tool_calls: false },
    ]) {
      expect(stripForeignContent({ ...plain, ...said }, name)).toEqual(plain);
    }
    for (const said of [
      { tools: [call], tool_choice: 'auto', parallel_tool_calls: false },
      { tool_choice: 'required' },
      { functions: [], function_call: 'auto' },
    ]) {
      expect(stripForeignContent({ ...plain, ...said }, name)).toBeUndefined();
    }
  },
);

test('anything but a dialogue stays unchanged', () => {
  for (const messages of [
    undefined,
    null,
    'x',
    [null, 1, 'x', {}, { role: 'assistant', tool_calls: [null] }],
  ])
    expect(stripForeignContent({ messages }, 'openai')).toBeUndefined();
});

describe('an earlier call', () => {
  const told = (dialect: string, made: JsonObject): unknown => {
    const given = { messages: [{ role: 'assistant', content: 'x', reasoning: 'Hm.', tool_calls: [made] }] };
    const { messages } = Object(stripForeignContent(given, dialect) ?? given);
    return messages[0].tool_calls[0];
  };
  const cut = { ...call, function: { name: 'f', arguments: '{"a":1' } };

  test('with incomplete arguments gets a complete object, except for OpenAI, which reads none', () => {
    const { arguments: whole } = Object(told('mistral', cut)).function;
    expect(JSON.parse(whole)).toBeInstanceOf(Object);
    expect(told('openai', cut)).toEqual(cut);
  });

  test('of a custom tool stays a custom call', () => {
    const custom = { id: 'call_1', type: 'custom', custom: { name: 'g', input: 'x' } };
    expect(told('compatible', custom)).toEqual(custom);
    expect(told('compatible', { ...call, function: { name: 'f' } })).toEqual({
      ...call,
      function: { name: 'f' },
    });
  });
});
