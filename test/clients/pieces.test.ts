/**
 * OpenAI's Agents SDK keeps an answer of chat-completions in pieces, and sends it back from them: all that stood beside
 * the content on the part it makes of the content, what stood beside a call on the call and on the message.
 */

import { expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/json.ts';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

/** The message of the answer to these messages. */
async function ask(model: string, messages: readonly JsonObject[], more: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${gateway().url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...more }),
  });
  const body = asObject(parseJson(await response.text())) ?? {};
  expect([response.status, body['error']]).toEqual([200, undefined]);
  return asObject(asObjects(body['choices'])[0]?.['message']) ?? {};
}

function fromPieces(message: JsonObject): JsonObject {
  const { content, tool_calls: calls, reasoning } = message;
  const { content: _, ...beside } = message;
  const ofCalls = asObjects(calls).map(({ id: _, type: __, function: ___, ...rest }) => rest);
  return {
    role: 'assistant',
    content: content === null ? null : [{ ...beside, type: 'text', text: content ?? '' }],
    ...(reasoning !== undefined && { reasoning }),
    ...(calls !== undefined && { tool_calls: calls }),
    ...Object.assign({}, ...ofCalls),
  };
}

const tools = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}));

test.each(SUBJECTS)('a dialogue goes on with $model', async ({ model, thinks }) => {
  const more = { tools, ...(thinks && { reasoning_effort: 'medium' }) };
  const asked = { role: 'user', content: 'Call get_weather and get_time for Oslo.' };
  const called = await ask(model, [asked], more);
  const calls = asObjects(called['tool_calls']);
  expect(calls).toHaveLength(2);
  const results = calls.map(({ id = '' }) => ({ role: 'tool', tool_call_id: id, content: 'Fine.' }));
  const told = await ask(model, [asked, fromPieces(called), ...results], more);
  expect(asText(told['content'])).toContain('Fine.');
  const dialogue = [asked, fromPieces(called), ...results, fromPieces(told)];
  const next = await ask(model, [...dialogue, { role: 'user', content: 'Say hello.' }], more);
  expect(asText(next['content'])).toContain('> Say hello.');
});
