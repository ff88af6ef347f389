/** Whole answers without content: an end makes one an empty answer, and without an end it is none. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { at, type Caller, CLAUDE, GEMINI, json, QWEN, RESPONDER, useDoor } from '../checklist/support.ts';

const door = useDoor();

const usage: JsonObject = { input_tokens: 3, output_tokens: 0 };
const message: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  usage,
};
const response: JsonObject = { id: 'resp_1', object: 'response', model: 'm', output: [] };
const choice = (fields: JsonObject): JsonObject => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, ...fields }],
});
const nothing: JsonObject = { role: 'assistant', content: null };
const short = { incomplete_details: { reason: 'max_output_tokens' } };

describe('without an end, 502', () => {
  test.each<[string, Caller, JsonObject]>([
    [RESPONDER, 'messages', { output: [] }],
    [RESPONDER, 'messages', response],
    [RESPONDER, 'chat-completions', { ...response, status: null, incomplete_details: null }],
    [RESPONDER, 'messages', { object: 'response' }],
    [QWEN, 'messages', { choices: [] }],
    [QWEN, 'messages', choice({})],
    [QWEN, 'messages', choice({ message: {} })],
    [QWEN, 'responses', choice({ message: nothing, finish_reason: null })],
    [QWEN, 'messages', choice({ message: { role: 'assistant', content: '' } })],
    [CLAUDE, 'responses', { content: [] }],
    [CLAUDE, 'chat-completions', message],
    [CLAUDE, 'responses', { ...message, stop_reason: null }],
    [GEMINI, 'messages', { candidates: [] }],
    [GEMINI, 'messages', { candidates: [{ content: {} }] }],
  ])('%s to %s: %j', async (model, from, body) => {
    door.answers(json(body));
    const { status, json: said } = await door.whole(from, model);
    expect(status).toBe(502);
    expect(at(said, 'error.message')).toEqual(expect.any(String));
  });
});

describe('with an end, an empty answer', () => {
  test.each<[string, Caller, JsonObject, string, string]>([
    [RESPONDER, 'messages', { output: [], status: 'completed' }, 'stop_reason', 'end_turn'],
    [RESPONDER, 'messages', { ...response, ...short }, 'stop_reason', 'max_tokens'],
    [RESPONDER, 'messages', { ...response, status: 'incomplete', ...short }, 'stop_reason', 'max_tokens'],
    [QWEN, 'messages', choice({ message: nothing, finish_reason: 'stop' }), 'stop_reason', 'end_turn'],
    [QWEN, 'messages', choice({ finish_reason: 'length' }), 'stop_reason', 'max_tokens'],
    [CLAUDE, 'responses', { ...message, stop_reason: 'end_turn' }, 'status', 'completed'],
    [CLAUDE, 'responses', { ...message, stop_reason: 'max_tokens' }, 'status', 'incomplete'],
    [GEMINI, 'messages', { candidates: [{ finishReason: 'STOP' }] }, 'stop_reason', 'end_turn'],
  ])('%s to %s: %j', async (model, from, body, field, word) => {
    door.answers(json(body));
    const { status, json: said } = await door.whole(from, model);
    expect(status).toBe(200);
    expect(at(said, field)).toBe(word);
  });
});

test('content without an end stays an answer', async () => {
  door.answers(json(choice({ message: { role: 'assistant', content: 'Yes.' } })));
  expect(at((await door.whole('messages', QWEN)).json, 'content.0.text')).toBe('Yes.');
  const text = { type: 'output_text', text: 'Yes.', annotations: [] };
  door.answers(json({ output: [{ type: 'message', role: 'assistant', content: [text] }] }));
  expect(at((await door.whole('messages', RESPONDER)).json, 'content.0.text')).toBe('Yes.');
  door.answers(json({ ...message, content: [{ type: 'text', text: 'Yes.' }] }));
  expect(at((await door.whole('chat-completions', CLAUDE)).json, 'choices.0.message.content')).toBe('Yes.');
});
