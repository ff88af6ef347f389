/** Checklist, section 7: roles, system messages, and messages without text. */

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import {
  at,
  CLAUDE,
  claudeBoth,
  GEMINI,
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
const { sentFor } = door;

const cached = { cache_control: { type: 'ephemeral' } };

describe('checklist 64: every system text is kept, in order, with its cache mark', () => {
  const messages = [
    { role: 'system', content: 'One.' },
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'Two.', ...cached },
        { type: 'text', text: 'Three.' },
      ],
    },
    { role: 'user', content: 'Hi.' },
    { role: 'system', content: 'Four.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content: 'Five.' },
    { role: 'user', content: 'Go.' },
  ];

  test('checklist 64: to Anthropic', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, { messages });
    expect(sent['system']).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.', ...cached },
      { type: 'text', text: 'Three.' },
      { type: 'text', text: 'Four.' },
    ]);
    expect(said(sent)).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', '<system>\nFive.\n</system>\nGo.'],
    ]);
  });

  test('checklist 64: to Google', async () => {
    const sent = await sentFor('chat-completions', GEMINI, { messages });
    expect(listAt(sent, 'systemInstruction.parts').map(({ text }) => text)).toEqual([
      'One.',
      'Two.',
      'Three.',
      'Four.',
    ]);
    expect(listAt(sent, 'contents.2.parts').map(({ text }) => text)).toEqual([
      '<system>',
      'Five.',
      '</system>',
      'Go.',
    ]);
  });

  test('checklist 64: from instructions and items of a responses client', async () => {
    const sent = await sentFor('responses', CLAUDE, {
      instructions: 'One.',
      input: [
        { role: 'system', content: 'Two.' },
        { role: 'developer', content: 'Three.' },
        { role: 'user', content: 'Hi.' },
      ],
    });
    expect(listAt(sent, 'system').map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('checklist 64: from the blocks of a messages client', async () => {
    const system = [
      { type: 'text', text: 'One.', ...cached },
      { type: 'text', text: 'Two.' },
    ];
    const sent = await sentFor('messages', OPENAI, { system });
    const told = listAt(sent, 'messages').filter(({ role }) => role !== 'user');
    expect(JSON.stringify(told).match(/One\.|Two\./g)).toEqual(['One.', 'Two.']);
  });
});

/** Roles and texts of chat messages, without the gateway's own tags. */
const said = (body: JsonObject): unknown[] =>
  listAt(body, 'messages').map(({ role, content }) => [role, flat(content)]);
const flat = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listAt({ content: content ?? [] }, 'content')
        .map(({ text }) => text)
        .join('\n');

describe('checklist 65: a system message inside a messages conversation', () => {
  const messages = [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content: 'Be brief from now on.' },
    { role: 'user', content: 'Go.' },
  ];

  test('checklist 65: passes natively', async () => {
    const body = JSON.stringify({ model: CLAUDE, max_tokens: 10, messages });
    door.answers((_, response) => response.writeHead(418).end('{}'));
    await fetch(`${door.url()}/v1/messages`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-api-key': KEY,
        'anthropic-beta': 'mid-conversation-system-2026-04-07',
      },
    });
    const [received] = door.upstream().received;
    expect(received?.headers['anthropic-beta']).toBe('mid-conversation-system-2026-04-07');
    expect(at(door.sent(), 'messages')).toEqual(messages);
  });

  test('checklist 65: never becomes a message of the assistant', async () => {
    expect(said(await sentFor('messages', OPENAI, { messages }))).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['system', 'Be brief from now on.'],
      ['user', 'Go.'],
    ]);
    const toGemini = await sentFor('messages', GEMINI, { messages });
    expect(toGemini['systemInstruction']).toBeUndefined();
    expect(toGemini['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Hi.' }] },
      { role: 'model', parts: [{ text: 'Hello.' }] },
      {
        role: 'user',
        parts: [
          { text: '<system>' },
          { text: 'Be brief from now on.' },
          { text: '</system>' },
          { text: 'Go.' },
        ],
      },
    ]);
    const toResponder = await sentFor('messages', RESPONDER, { messages });
    expect(
      listAt(toResponder, 'input').find((item) => JSON.stringify(item).includes('brief'))?.['role'],
    ).toMatch(/^(?:system|developer)$/);
  });
});

describe('checklist 66: a system message where a strict service accepts none', () => {
  const messages = [
    { role: 'system', content: 'One.' },
    { role: 'system', content: 'Two.' },
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content: 'Three.' },
    { role: 'user', content: 'Go.' },
  ];
  test('checklist 66: between a call and its result, it is moved behind the result', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
    const dialogue = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'system', content: 'Be brief.' },
      { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
      { role: 'system', content: '' },
    ];
    const toClaude = await sentFor('chat-completions', CLAUDE, { messages: dialogue });
    expect(listAt(toClaude, 'messages').map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(listAt(toClaude, 'messages.2.content').map(({ type, text }) => text ?? type)).toEqual([
      'tool_result',
      '<system>',
      'Be brief.',
      '</system>',
    ]);
    const toGemini = await sentFor('chat-completions', GEMINI, { messages: dialogue });
    expect(listAt(toGemini, 'contents').map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user']);
    expect(at(toGemini, 'contents.2.parts.0.functionResponse.name')).toBe('now');
    expect(at(toGemini, 'contents.3.parts.1.text')).toBe('Be brief.');
  });

  test.each([QWEN, 'mistralai/mistral-large-2512'])(
    'checklist 66: to %s the first ones are merged, and a later one is a marked user message',
    async (model) => {
      const sent = await sentFor('responses', model, { input: messages });
      const roles = listAt(sent, 'messages').map(({ role }) => role);
      expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
      const texts = listAt(sent, 'messages').map(({ content }) => flat(content));
      expect(texts[0]).toMatch(/^One\.\s+Two\.$/);
      expect(texts[3]).toMatch(/^<system>\s*Three\.\s*<\/system>\s+Go\.$/);
    },
  );
});

describe('checklist 67: the developer role is system for services that do not know it', () => {
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Hi.' },
  ];
  test('checklist 67: to Anthropic, Google, and an unknown service', async () => {
    expect((await sentFor('chat-completions', CLAUDE, { messages }))['system']).toBe('Be brief.');
    expect(
      at(await sentFor('chat-completions', GEMINI, { messages }), 'systemInstruction.parts.0.text'),
    ).toBe('Be brief.');
    expect(at(await sentFor('responses', QWEN, { input: messages }), 'messages.0')).toEqual({
      role: 'system',
      content: 'Be brief.',
    });
  });
});

describe('checklist 68: consecutive messages of one role are merged if the vendor requires alternating turns', () => {
  const messages = [
    { role: 'user', content: 'One.' },
    { role: 'user', content: 'Two.' },
    { role: 'assistant', content: 'Three.' },
    { role: 'assistant', content: 'Four.' },
    { role: 'user', content: 'Five.' },
  ];
  test('checklist 68: Anthropic', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, { messages });
    expect(said(sent)).toEqual([
      ['user', 'One.\nTwo.'],
      ['assistant', 'Three.\nFour.'],
      ['user', 'Five.'],
    ]);
  });
  test('checklist 68: Google', async () => {
    const sent = await sentFor('chat-completions', GEMINI, { messages });
    expect(
      listAt(sent, 'contents').map(({ role, parts }) => [
        role,
        listAt({ parts: parts ?? [] }, 'parts').map(({ text }) => text),
      ]),
    ).toEqual([
      ['user', ['One.', 'Two.']],
      ['model', ['Three.', 'Four.']],
      ['user', ['Five.']],
    ]);
  });
});

describe('checklist 69: an empty text is never sent', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
  const nothings: [name: string, fields: JsonObject][] = [
    ['""', { content: '' }],
    ['null', { content: null }],
    ['[]', { content: [] }],
    ['an empty text part', { content: [{ type: 'text', text: '' }] }],
    ['absent', {}],
  ];
  test.each(nothings)('checklist 69: next to a call: %s', async (_, fields) => {
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', ...fields, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
    ];
    const toClaude = await sentFor('chat-completions', CLAUDE, { messages });
    expect(listAt(toClaude, 'messages.1.content').map(({ type }) => type)).toEqual(['tool_use']);
    const toGemini = await sentFor('chat-completions', GEMINI, { messages });
    expect(listAt(toGemini, 'contents.1.parts').map((part) => Object.keys(part))).toEqual([['functionCall']]);
  });

  test.each(nothings.slice(0, 4))('checklist 69: an empty turn: %s', async (_, fields) => {
    const messages = [
      { role: 'user', content: 'One.' },
      { role: 'assistant', ...fields },
      { role: 'user', content: 'Two.' },
      // OpenAI rejects null from a user.
      { role: 'user', ...(fields['content'] === null ? { content: '' } : fields) },
    ];
    const toClaude = await sentFor('chat-completions', CLAUDE, { messages });
    expect(JSON.stringify(toClaude)).not.toMatch(/"text":""|"content":(?:""|\[\])/);
    const toGemini = await sentFor('chat-completions', GEMINI, { messages });
    expect(JSON.stringify(toGemini)).not.toMatch(/"text":""|"parts":\[\]/);
  });

  test.each(nothings.slice(0, 4))('checklist 69: an empty result: %s', async (_, fields) => {
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', ...fields },
    ];
    const toClaude = await sentFor('chat-completions', CLAUDE, { messages });
    expect(listAt(toClaude, 'messages.2.content')).toMatchObject([{ type: 'tool_result' }]);
    expect(JSON.stringify(toClaude)).not.toContain('"text":""');
    const toGemini = await sentFor('chat-completions', GEMINI, { messages });
    expect(at(toGemini, 'contents.2.parts.0.functionResponse')).toMatchObject({
      name: 'now',
      response: expect.any(Object),
    });
  });

  test('checklist 69: an empty system message is left out', async () => {
    const messages = [
      { role: 'system', content: '' },
      { role: 'user', content: 'Hi.' },
    ];
    expect((await sentFor('chat-completions', CLAUDE, { messages }))['system']).toBeUndefined();
    expect((await sentFor('chat-completions', GEMINI, { messages }))['systemInstruction']).toBeUndefined();
  });
});

describe('checklist 70: the content of a chat answer is one string, or null', () => {
  const call = { functionCall: { name: 'now', args: {} } };
  test('checklist 70: several texts are one string', async () => {
    door.answers(
      claudeBoth(
        [
          { type: 'text', text: 'One. ' },
          { type: 'text', text: 'Two.' },
        ],
        'end_turn',
      ).whole,
    );
    expect(at((await door.whole('chat-completions', CLAUDE)).json, 'choices.0.message.content')).toBe(
      'One. Two.',
    );
    door.answers(json(gemini([{ text: 'One. ' }, { text: 'Hm.', thought: true }, { text: 'Two.' }], 'STOP')));
    expect(at((await door.whole('chat-completions', GEMINI)).json, 'choices.0.message.content')).toBe(
      'One. Two.',
    );
  });

  test('checklist 70: no text is null', async () => {
    door.answers(json(gemini([call], 'STOP')));
    expect(at((await door.whole('chat-completions', GEMINI)).json, 'choices.0.message.content')).toBeNull();
  });

  test('checklist 70: a stream has strings', async () => {
    door.answers(geminiStream(gemini([{ text: 'One. ' }]), gemini([call], 'STOP')));
    const { data } = await door.stream('chat-completions', GEMINI);
    for (const event of data) expect(typeof (at(event, 'choices.0.delta.content') ?? '')).toBe('string');
  });
});
