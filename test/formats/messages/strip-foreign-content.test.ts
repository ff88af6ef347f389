/** What is left of a dialogue that other vendors' models took part in. */

import { describe, expect, test } from 'vitest';
import { stripForeignContent } from '../../../src/formats/messages/outbound/strip-foreign-content.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const thought = (signature?: string): JsonObject => ({
  type: 'thinking',
  thinking: 'Hm.',
  ...(signature !== undefined && { signature }),
});
const redacted = (data: string): JsonObject => ({ type: 'redacted_thinking', data });
const text: JsonObject = { type: 'text', text: 'Hello.' };
const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} });
const results = (id: string): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: '' }],
});
const user: JsonObject = { role: 'user', content: 'Hi' };
const says = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });

describe('thoughts', () => {
  test.each<[name: string, block: JsonObject]>([
    ["sealed with Google's mark", thought('google#AbC=')],
    ["sealed with OpenAI's", thought('openai#AbC=')],
    ['its own, from another format', thought('anthropic#AbC=')],
    ['without a signature', thought()],
    ['with an empty one', thought('')],
    ['that nothing proves', thought('none#')],
    ["redacted ones of another's", redacted('openai#AbC=')],
  ])('%s go', (_, block) => {
    const request = { max_tokens: 1, messages: [user, says(block, text), user] };
    expect(stripForeignContent(request)).toEqual({ max_tokens: 1, messages: [user, says(text), user] });
  });

  test("Anthropic's own stay", () => {
    expect(
      stripForeignContent({ messages: [user, says(thought('AbC='), redacted('AbC='), text)] }),
    ).toBeUndefined();
  });

  test('a turn of nothing else goes with them; what the user says stays', () => {
    const quoted = { role: 'user', content: [thought('google#AbC=')] };
    expect(stripForeignContent({ messages: [quoted, says(thought('')), user] })).toEqual({
      messages: [quoted, user],
    });
  });
});

describe('white space', () => {
  const blank: JsonObject = { type: 'text', text: '\n\n' };

  test('before a call goes', () => {
    const messages = [user, says(blank, call('call_1')), results('call_1')];
    expect(stripForeignContent({ messages })).toEqual({
      messages: [user, says(call('call_1')), results('call_1')],
    });
  });

  test.each<[name: string, turn: JsonObject]>([
    ['a text of nothing else', says(blank)],
    ['no block at all', says()],
    ['thoughts and a line', says(thought(''), blank)],
    ['nothing, said plainly', { role: 'assistant', content: '' }],
    ['a line, said plainly', { role: 'assistant', content: '\n' }],
  ])('is no turn: %s', (_, turn) => {
    expect(stripForeignContent({ messages: [user, turn, user] })).toEqual({ messages: [user, user] });
  });

  test('of the user is for the user to hear of', () => {
    expect(
      stripForeignContent({ messages: [{ role: 'user', content: [blank] }, says(text), user] }),
    ).toBeUndefined();
  });
});

describe('thinking by a budget, asked for', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };

  test('in the midst of a round of calls that began without, goes', () => {
    const cut = [user, says(text, call('toolu_1')), results('toolu_1')];
    expect(stripForeignContent({ thinking, messages: cut })).toEqual({ messages: cut });
    const messages = [user, says(text, call('call_1')), results('call_1')];
    expect(stripForeignContent({ thinking, messages })).toEqual({ messages });
    const thoughts = [user, says(thought('google#AbC='), call('call_1')), results('call_1')];
    expect(stripForeignContent({ thinking, messages: thoughts })).toEqual({
      messages: [user, says(call('call_1')), results('call_1')],
    });
  });

  test.each<[name: string, messages: JsonObject[]]>([
    ["Anthropic's own", [user, says(thought('AbC='), call('toolu_1')), results('toolu_1')]],
    ['one that is over', [user, says(call('call_1')), results('call_1'), says(text), user]],
    ['none', [user]],
  ])('stays where the round is %s', (_, messages) => {
    expect(stripForeignContent({ thinking, messages })).toBeUndefined();
  });

  test('takes with it what is to be done with thoughts', () => {
    const messages = [user, says(call('toolu_1')), results('toolu_1')];
    const [clear, other] = [
      { type: 'clear_thinking_20251015', keep: 'all' },
      { type: 'clear_tool_uses_20250919' },
    ];
    const managed = { thinking, messages, context_management: { edits: [clear, other] } };
    expect(stripForeignContent(managed)).toEqual({ messages, context_management: { edits: [other] } });
  });

  test('stays where the model decides how much', () => {
    const messages = [user, says(call('call_1')), results('call_1')];
    expect(stripForeignContent({ thinking: { type: 'adaptive' }, messages })).toBeUndefined();
  });
});

test('what is no dialogue is left alone', () => {
  for (const messages of [undefined, null, 'x', [null, 1, 'x', {}, { role: 'assistant' }]])
    expect(stripForeignContent({ messages, thinking: { type: 'enabled' } })).toBeUndefined();
});

describe('what a text cites', () => {
  const own: JsonObject = {
    type: 'web_search_result_location',
    url: 'https://a.example',
    encrypted_index: 'AbC=',
  };
  const others: JsonObject = { ...own, encrypted_index: '' };

  test('of another model goes, and of Anthropic stays', () => {
    const messages = (...citations: JsonObject[]) => [
      user,
      says({ ...text, ...(citations.length > 0 && { citations }) }),
    ];
    expect(stripForeignContent({ messages: messages(own, others) })).toEqual({ messages: messages(own) });
    expect(stripForeignContent({ messages: messages(others) })).toEqual({ messages: messages() });
    expect(stripForeignContent({ messages: messages(own) })).toBeUndefined();
  });

  test('in anything but a text is not looked at', () => {
    const block = { type: 'document', source: {}, citations: [others] };
    expect(stripForeignContent({ messages: [user, says(block, text)] })).toBeUndefined();
  });
});

test('a search that another model made goes with its result, and one of Anthropic stays', () => {
  const search = (id: string, encrypted_content: string): JsonObject[] => [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: '' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: [{ type: 'web_search_result', encrypted_content }],
    },
  ];
  const own = search('srvtoolu_1', 'AbC=');
  const messages = [user, says(...own, ...search('srvtoolu_2', ''), text)];
  expect(stripForeignContent({ messages })).toEqual({ messages: [user, says(...own, text)] });
  expect(stripForeignContent({ messages: [user, says(...own, text)] })).toBeUndefined();
});
