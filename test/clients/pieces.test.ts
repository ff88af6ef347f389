/**
 * Clients that keep an answer in pieces of their own, and send it back from them. OpenAI's Agents SDK has all that stood
 * beside the content on the part it makes of the content, what stood beside a call on the call and on the message.
 * Crush, Kimi Code and Zed have one block of all thinking in a row, with the signature that came last.
 */

import { expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/json.ts';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

async function post(path: string, body: JsonObject): Promise<JsonObject> {
  const response = await fetch(gateway().url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = asObject(parseJson(await response.text())) ?? {};
  expect([response.status, answer['error']]).toEqual([200, undefined]);
  return answer;
}

/** The message of the answer to these messages. */
async function ask(model: string, messages: readonly JsonObject[], more: JsonObject): Promise<JsonObject> {
  const body = await post('/v1/chat/completions', { model, messages, ...more });
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

function withThoughtsMerged(content: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const block of content) {
    const last = merged.at(-1);
    if (block['type'] !== 'thinking' || last?.['type'] !== 'thinking') {
      merged.push(block);
      continue;
    }
    const thinking = `${asText(last['thinking'])}${asText(block['thinking'])}`;
    merged[merged.length - 1] = {
      ...last,
      thinking,
      signature: block['signature'] || last['signature'] || '',
    };
  }
  return merged;
}

const translated = SUBJECTS.filter(({ model, thinks }) => thinks && !model.startsWith('anthropic/'));

test.each(translated)('thoughts in one block go on with $model', async ({ model }) => {
  const more = {
    model,
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    tools: tools.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
  };
  const asked = { role: 'user', content: 'Call get_weather and get_time for Oslo.' };
  const called = asObjects((await post('/v1/messages', { ...more, messages: [asked] }))['content']);
  const calls = called.filter(({ type }) => type === 'tool_use');
  expect(calls).toHaveLength(2);
  const content = calls.map(({ id = '' }) => ({ type: 'tool_result', tool_use_id: id, content: 'Fine.' }));
  const messages = [
    asked,
    { role: 'assistant', content: withThoughtsMerged(called) },
    { role: 'user', content },
  ];
  const told = asObjects((await post('/v1/messages', { ...more, messages }))['content']);
  expect(asText(told.at(-1)?.['text'])).toContain('Fine.');
});
