/** What is left of a conversation in which models of other vendors took part. */

import { expect, test } from 'vitest';
import { stripForeignContent } from '../../../src/formats/responses/outbound/strip-foreign-content.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObjects, type JsonObject } from '../../../src/lib/json.ts';

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
  ['without a signature', reasoning('none#')],
  ['not encrypted', reasoning()],
  ['neither', reasoning(null)],
])('removes reasoning that is %s', (_, item) => {
  expect(stripForeignContent({ model: 'm', input: [user, item, call] })).toEqual({
    model: 'm',
    input: [user, call],
  });
});

test("keeps OpenAI's own reasoning if another vendor's may be what it refuses", () => {
  const refusal = new GatewayError('invalid-request', 'The encrypted content AbC= could not be verified.', {
    code: 'invalid_encrypted_content',
  });
  const own = [user, reasoning('gAAAAAbC'), call];
  expect(
    stripForeignContent({ input: [...own, reasoning('anthropic#AbC='), call] }, 'openai', refusal),
  ).toEqual({
    input: [...own, call],
  });
  expect(stripForeignContent({ input: own }, 'openai', refusal)).toEqual({ input: [user, call] });
});

test("removes DeepSeek's thoughts, which have text beside the encrypted content, once OpenAI refuses them", () => {
  const told = { ...reasoning('gAAAAAbC'), content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const input = [user, reasoning('gAAAAAbD'), call, told, call];
  const refusal = new GatewayError(
    'invalid-request',
    "Invalid 'input[3].content': array too long. Expected an array with maximum length 0, but got an array with " +
      'length 1 instead.',
    { code: 'array_above_max_length' },
  );
  expect(stripForeignContent({ input }, 'openai', refusal)).toEqual({
    input: [user, reasoning('gAAAAAbD'), call, call],
  });
  expect(
    stripForeignContent({ input }, 'openai', new GatewayError('invalid-request', 'No.')),
  ).toBeUndefined();
});

test("removes what OpenAI's SDK has parsed out of an answer", () => {
  const said = { type: 'output_text', text: '{}', annotations: [] };
  const answer = (part: JsonObject): JsonObject => ({ type: 'message', role: 'assistant', content: [part] });
  const parsed = [
    answer({ ...said, parsed: {} }),
    answer({ ...said, parsed: null }),
    { ...call, parsed_arguments: {} },
  ];
  expect(stripForeignContent({ input: [user, ...parsed] })).toEqual({
    input: [user, answer(said), answer(said), call],
  });
  expect(stripForeignContent({ input: [user, answer(said), call] })).toBeUndefined();
});

test('removes an option of a tool that the service refuses, and keeps the tool', () => {
  const search = { type: 'web_search', search_context_size: 'low' };
  const request = { input: [user], tools: [{ ...search, external_web_access: false }, search] };
  const refusal = (message: string): GatewayError => new GatewayError('invalid-request', message);
  const named = refusal('Argument not supported: external_web_access');
  expect(stripForeignContent(request, 'xai', named)).toEqual({ input: [user], tools: [search, search] });
  expect(
    stripForeignContent(request, 'xai', refusal('Argument not supported: instructions')),
  ).toBeUndefined();
  expect(stripForeignContent({ input: [user], tools: [search] }, 'xai', named)).toBeUndefined();
});

test("keeps OpenAI's own thoughts", () => {
  expect(stripForeignContent({ input: [user, reasoning('gAAAAAbC'), call] })).toBeUndefined();
});

const long = 'call-94cd3890-d2bb-41ae-8c39-9613c70a322c-24'.repeat(2);
const said: JsonObject = { role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] };

test.each<[name: string, item: JsonObject, id: string]>([
  ["a message's that another service numbered", { type: 'message', ...said }, '019f629b-43ee-7a82-acb1'],
  ["one of the Agents SDK's", said, '__fake_id__'],
  ["a user's", { type: 'message', ...user }, 'review_rollout_user'],
  ['an empty one', said, ''],
  ['one of other letters', said, 'msg_a.b'],
  ["a call's", call, 'item_c270d5511c7129adc7475632'],
  [
    "a function's for a free-form call",
    { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: '' },
    'fc_1',
  ],
  ["that of a call's result", { type: 'custom_tool_call_output', call_id: 'c1', output: 'x' }, 'tco_1'],
  ["a thought's", { ...reasoning('gAAAAAbC'), id: undefined }, '06b2506d_rs'],
  ['a search too long a one', { type: 'web_search_call', status: 'completed' }, `ws_${long}`],
])('removes an id that OpenAI refuses: %s', (_, item, id) => {
  const { id: none, ...rest } = item;
  expect(none).toBeUndefined();
  expect(stripForeignContent({ input: [user, { ...rest, id }] })).toEqual({ input: [user, rest] });
});

test.each<JsonObject>([
  { ...said, id: 'msg_0fd5308a94266ded' },
  { ...user, id: 'msg_1' },
  { ...call, id: 'fc_0fd5308a94266ded' },
  { type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'x' },
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'f', input: '' },
  { type: 'web_search_call', id: 'ws_1', status: 'completed' },
  { type: 'item_reference', id: 'whatever it was' },
])("keeps OpenAI's own ids, and those of references: %o", (item) => {
  expect(stripForeignContent({ input: [user, item] })).toBeUndefined();
});

test('removes the status of items only if the service refuses one', () => {
  const items = [user, { ...said, status: 'completed' }, { ...call, status: 'completed' }];
  const refusal = new GatewayError('invalid-request', "Unknown parameter: 'input[2].status'.");
  expect(stripForeignContent({ input: items }, 'openai', refusal)).toEqual({ input: [user, said, call] });
  const other = new GatewayError('invalid-request', "Unknown parameter: 'status'.");
  expect(stripForeignContent({ input: items }, 'openai', other)).toBeUndefined();
});

test("shortens a call's id that is too long for OpenAI, and its result's id alike", () => {
  const sent = stripForeignContent({
    input: [
      { ...call, call_id: long },
      { type: 'function_call_output', call_id: long, output: 'x' },
    ],
  });
  const ids = asObjects(sent?.['input']).map((item) => item['call_id']);
  expect(ids[0]).toMatch(/^.{1,64}$/);
  expect(ids[1]).toBe(ids[0]);
});

test("describes a namespace by its name if the description is empty: Codex's is, and Azure refuses it", () => {
  const find = { type: 'function', name: 'find', description: '', parameters: {} };
  const named = (description: string): JsonObject => ({
    type: 'namespace',
    name: 'functions',
    description,
    tools: [find],
  });
  const lite = (description: string): JsonObject => ({
    type: 'additional_tools',
    role: 'developer',
    tools: [named(description), find],
  });
  expect(stripForeignContent({ tools: [named(''), find], input: [lite(''), user] })).toEqual({
    tools: [named('functions'), find],
    input: [lite('functions'), user],
  });
  expect(stripForeignContent({ tools: [named('x')], input: [lite('x'), user] })).toBeUndefined();
});

test.each(['internal_chat_message_metadata_passthrough', 'metadata'])(
  'removes the notes for OpenAI that Codex adds to items: %s',
  (name) => {
    const noted = (item: JsonObject): JsonObject => ({ ...item, [name]: { turn_id: 't' } });
    expect(stripForeignContent({ metadata: {}, input: [noted(user), call, noted(said)] })).toEqual({
      metadata: {},
      input: [user, call, said],
    });
  },
);

test('removes a choice of tools if there are none: Codex sends one when it compacts a conversation', () => {
  const plain = { model: 'm', input: [user] };
  expect(
    stripForeignContent({ ...plain, tools: [], tool_choice: 'auto', parallel_tool_calls: false }),
  ).toEqual({
    ...plain,
    tools: [],
  });
  expect(stripForeignContent({ model: 'm', input: 'Hi', tool_choice: 'none' })).toEqual({
    model: 'm',
    input: 'Hi',
  });
  for (const given of [
    { ...plain, tools: [{ type: 'function', name: 'f' }], tool_choice: 'auto' },
    { ...plain, tools: [], tool_choice: 'required' },
    { input: [{ type: 'additional_tools', role: 'developer', tools: [] }, user], tool_choice: 'auto' },
  ]) {
    expect(stripForeignContent(given)).toBeUndefined();
  }
});

test('leaves a body without a conversation alone', () => {
  for (const input of [undefined, null, 'Hi', [null, 1, 'x', {}]])
    expect(stripForeignContent({ input })).toBeUndefined();
});
