/** What is left of a dialogue that other vendors' models took part in. */

import { expect, test } from 'vitest';
import { withoutOthers } from '../../../src/formats/responses/without-others.ts';
import type { JsonObject } from '../../../src/json.ts';

const reasoning = (encrypted?: string | null): JsonObject => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  ...(encrypted !== undefined && { encrypted_content: encrypted }),
});
const call: JsonObject = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
const user: JsonObject = { role: 'user', content: 'Hi' };

test.each<[name: string, item: JsonObject]>([
  ["sealed with Anthropic's mark", reasoning('anthropic#AbC=')],
  ["sealed with Google's", reasoning('google#c.AbC=')],
  ["OpenAI's own, from another format", reasoning('openai#gAAAAAbC')],
  ['not proved by anything', reasoning('none#')],
  ['not encrypted', reasoning()],
  ['neither', reasoning(null)],
])('reasoning that is %s goes', (_, item) => {
  expect(withoutOthers({ model: 'm', input: [user, item, call] })).toEqual({
    model: 'm',
    input: [user, call],
  });
});

test("what OpenAI's SDK has made of an answer goes", () => {
  const said = { type: 'output_text', text: '{}', annotations: [] };
  const answer = (part: JsonObject): JsonObject => ({ type: 'message', role: 'assistant', content: [part] });
  const parsed = [
    answer({ ...said, parsed: {} }),
    answer({ ...said, parsed: null }),
    { ...call, parsed_arguments: {} },
  ];
  expect(withoutOthers({ input: [user, ...parsed] })).toEqual({
    input: [user, answer(said), answer(said), call],
  });
  expect(withoutOthers({ input: [user, answer(said), call] })).toBeUndefined();
});

test("OpenAI's own stays", () => {
  expect(withoutOthers({ input: [user, reasoning('gAAAAAbC'), call] })).toBeUndefined();
});

test('what is no dialogue is left alone', () => {
  for (const input of [undefined, null, 'Hi', [null, 1, 'x', {}]])
    expect(withoutOthers({ input })).toBeUndefined();
});
