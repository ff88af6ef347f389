/** Turns of which a vendor gets nothing, because they are empty or only another vendor can read them. */

import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { CLAUDE, GEMINI, GLM, listAt, OPENAI, QWEN, RESPONDER, useDoor } from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

/** An item that OpenAI alone understands. */
const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
const question = { role: 'user', content: 'Hi' };
const called = [
  question,
  { type: 'function_call', call_id: 'call_1', name: 'now', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
];
const ran = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } };

async function google(model: string, contents: readonly JsonObject[]): Promise<[number, JsonObject]> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  const answer = await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents }),
  });
  const body = parseJson(await answer.text());
  return [answer.status, isObject(body) ? body : {}];
}

describe('to services of chat-completions', () => {
  test.each([GLM, QWEN])('%s: nothing is said after a result', async (model) => {
    const sent = await door.sentFor('responses', model, { input: [...called, approval] });
    expect(listAt(sent, 'messages').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test('between two answers', async () => {
    await google(OPENAI, [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'One.' }] },
      { role: 'user', parts: [ran] },
      { role: 'model', parts: [{ text: 'Two.' }] },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ]);
    expect(listAt(door.sent(), 'messages').map(({ role, content }) => [role, typeof content])).toEqual([
      ['user', 'string'],
      ['assistant', 'object'],
      ['user', 'string'],
    ]);
  });

  test('at the end', async () => {
    await google(OPENAI, [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'One.' }] },
      { role: 'user', parts: [ran] },
    ]);
    expect(listAt(door.sent(), 'messages').map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  test('a caller of the format says what it likes', async () => {
    const messages = [question, { role: 'assistant', content: 'Yes?' }, { role: 'user', content: '' }];
    const sent = await door.sentFor('chat-completions', QWEN, { messages });
    expect(sent['messages']).toEqual(messages);
  });
});

describe('a request of which nothing is left is refused, and not sent', () => {
  const refused = { message: expect.stringMatching(/^Nothing /), type: 'invalid_request_error' };

  test.each([GLM, QWEN, CLAUDE, GEMINI])('%s: an item of OpenAI alone', async (model) => {
    const { status, json } = await door.whole('responses', model, { input: [approval] });
    expect([status, json['error']]).toMatchObject([400, { ...refused, param: 'input' }]);
    expect(door.upstream().received).toHaveLength(0);
  });

  test.each([CLAUDE, GEMINI, RESPONDER])('%s: an empty text of chat-completions', async (model) => {
    const messages = [{ role: 'user', content: '' }];
    const { status, json } = await door.whole('chat-completions', model, { messages });
    expect([status, json['error']]).toMatchObject([400, { ...refused, param: 'messages' }]);
    expect(door.upstream().received).toHaveLength(0);
  });

  test.each([OPENAI, GEMINI])('%s: an empty text of messages', async (model) => {
    const { status, json } = await door.whole('messages', model, {
      messages: [{ role: 'user', content: '' }],
    });
    expect([status, json['error']]).toMatchObject([400, refused]);
    expect(door.upstream().received).toHaveLength(0);
  });

  test.each([OPENAI, CLAUDE, RESPONDER])('%s: a block of Gemini alone', async (model) => {
    const [status, { error }] = await google(model, [{ role: 'user', parts: [ran] }]);
    expect([status, error]).toMatchObject([400, { status: 'INVALID_ARGUMENT', message: refused.message }]);
    expect(door.upstream().received).toHaveLength(0);
  });
});
