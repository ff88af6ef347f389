/** What remains of a conversation in which other vendors' models took part. */

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

describe('thinking', () => {
  test.each<[name: string, block: JsonObject]>([
    ["sealed with Google's mark", thought('google#AbC=')],
    ["sealed with OpenAI's", thought('openai#AbC=')],
    ['of its own, sealed in another format', thought('anthropic#AbC=')],
    ['without a signature', thought()],
    ['with an empty signature', thought('')],
    ['with a placeholder for a signature', thought('none#')],
    ["redacted ones of another's", redacted('openai#AbC=')],
  ])('%s go', (_, block) => {
    const request = { max_tokens: 1, messages: [user, says(block, text), user] };
    expect(stripForeignContent(request)).toEqual({ max_tokens: 1, messages: [user, says(text), user] });
  });

  test("Anthropic's own is kept", () => {
    expect(
      stripForeignContent({ messages: [user, says(thought('AbC='), redacted('AbC='), text)] }),
    ).toBeUndefined();
  });

  test('a turn of nothing else is removed, and user turns are kept', () => {
    const quoted = { role: 'user', content: [thought('google#AbC=')] };
    expect(stripForeignContent({ messages: [quoted, says(thought('')), user] })).toEqual({
      messages: [quoted, user],
    });
  });
});

describe('white space', () => {
  const blank: JsonObject = { type: 'text', text: '\n\n' };

  test('is removed before a call', () => {
    const messages = [user, says(blank, call('call_1')), results('call_1')];
    expect(stripForeignContent({ messages })).toEqual({
      messages: [user, says(call('call_1')), results('call_1')],
    });
  });

  test.each<[name: string, turn: JsonObject]>([
    ['a blank text', says(blank)],
    ['no blocks', says()],
    ['thinking and a blank text', says(thought(''), blank)],
    ['an empty string', { role: 'assistant', content: '' }],
    ['a blank string', { role: 'assistant', content: '\n' }],
  ])('is no turn: %s', (_, turn) => {
    expect(stripForeignContent({ messages: [user, turn, user] })).toEqual({ messages: [user, user] });
  });

  test('of the user is left for the vendor to refuse', () => {
    expect(
      stripForeignContent({ messages: [{ role: 'user', content: [blank] }, says(text), user] }),
    ).toBeUndefined();
  });
});

describe('a request for thinking with a budget', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };

  test('is removed during a round of calls that began without thinking', () => {
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
    ['a round that is over', [user, says(call('call_1')), results('call_1'), says(text), user]],
    ['no round', [user]],
  ])('stays where the round is %s', (_, messages) => {
    expect(stripForeignContent({ thinking, messages })).toBeUndefined();
  });

  test('is removed together with the clearing of thinking', () => {
    const messages = [user, says(call('toolu_1')), results('toolu_1')];
    const [clear, other] = [
      { type: 'clear_thinking_20251015', keep: 'all' },
      { type: 'clear_tool_uses_20250919' },
    ];
    const managed = { thinking, messages, context_management: { edits: [clear, other] } };
    expect(stripForeignContent(managed)).toEqual({ messages, context_management: { edits: [other] } });
  });

  test('is kept if the model decides how much to think', () => {
    const messages = [user, says(call('call_1')), results('call_1')];
    expect(stripForeignContent({ thinking: { type: 'adaptive' }, messages })).toBeUndefined();
  });
});

test('a body without messages is left alone', () => {
  for (const messages of [undefined, null, 'x', [null, 1, 'x', {}, { role: 'assistant' }]])
    expect(stripForeignContent({ messages, thinking: { type: 'enabled' } })).toBeUndefined();
});

describe('the citations of a text', () => {
  const own: JsonObject = {
    type: 'web_search_result_location',
    url: 'https://a.example',
    encrypted_index: 'AbC=',
  };
  const others: JsonObject = { ...own, encrypted_index: '' };

  test('of another model are removed, and those of Anthropic are kept', () => {
    const messages = (...citations: JsonObject[]) => [
      user,
      says({ ...text, ...(citations.length > 0 && { citations }) }),
    ];
    expect(stripForeignContent({ messages: messages(own, others) })).toEqual({ messages: messages(own) });
    expect(stripForeignContent({ messages: messages(others) })).toEqual({ messages: messages() });
    expect(stripForeignContent({ messages: messages(own) })).toBeUndefined();
  });

  test('of anything but a text are ignored', () => {
    const block = { type: 'document', source: {}, citations: [others] };
    expect(stripForeignContent({ messages: [user, says(block, text)] })).toBeUndefined();
  });
});

test('a search of another model is removed with its result, and one of Anthropic is kept', () => {
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
