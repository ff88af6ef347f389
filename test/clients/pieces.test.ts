/**
 * Clients that store an answer in pieces of their own, and send it back from them. OpenAI's Agents SDK puts
 * all fields next to the content on the content part, and the fields next to a call on the call and on the
 * message. Crush, Kimi Code and Zed join adjacent thoughts into one block, with the last signature.
 */

import { expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { postJson } from '../support/post-json.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

async function post(path: string, body: JsonObject): Promise<JsonObject> {
  const response = await postJson(gateway().url + path, body);
  const answer = asObject(parseJson(await response.text())) ?? {};
  expect([response.status, answer['error'] ?? undefined]).toEqual([200, undefined]);
  return answer;
}

/** The message that answers these messages. */
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

test.each(SUBJECTS)('a dialogue continues with $model', async ({ model, thinks }) => {
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

const question = { role: 'user', content: 'Call get_weather and get_time for Oslo.' };

/** The blocks of an answer that thinks and calls both tools, as such a client stores them. */
async function thinksAndCalls(model: string): Promise<readonly JsonObject[]> {
  const answer = await post('/v1/messages', { ...asking(model), messages: [question] });
  const blocks = withThoughtsMerged(asObjects(answer['content']));
  expect(callsIn(blocks)).toHaveLength(2);
  return blocks;
}

const asking = (model: string): JsonObject => ({
  model,
  max_tokens: 4000,
  thinking: { type: 'enabled', budget_tokens: 2000 },
  tools: tools.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
});

const callsIn = (blocks: readonly JsonObject[]) => blocks.filter(({ type }) => type === 'tool_use');

test.each(translated)('joined thoughts continue with $model', async ({ model }) => {
  const called = await thinksAndCalls(model);
  const content = callsIn(called).map(({ id = '' }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'Fine.',
  }));
  const messages = [question, { role: 'assistant', content: called }, { role: 'user', content }];
  const told = asObjects((await post('/v1/messages', { ...asking(model), messages }))['content']);
  expect(asText(told.at(-1)?.['text'])).toContain('Fine.');
});

/**
 * Kimi Code keeps the proof of a thought from any format, and sends it in the format in which it continues.
 */
function asItem({ type, thinking, signature, id, name, input, text }: JsonObject): JsonObject {
  switch (type) {
    case 'thinking': {
      const summary = thinking === '' ? [] : [{ type: 'summary_text', text: thinking ?? '' }];
      return { type: 'reasoning', summary, ...(signature && { encrypted_content: signature }) };
    }
    case 'tool_use':
      return { type: 'function_call', call_id: id ?? '', name: name ?? '', arguments: JSON.stringify(input) };
    default:
      return { role: 'assistant', content: text ?? '' };
  }
}

test.each(translated)('they continue in another format with $model', async ({ model }) => {
  const called = await thinksAndCalls(model);
  const outputs = callsIn(called).map(({ id = '' }) => ({
    type: 'function_call_output',
    call_id: id,
    output: 'Fine.',
  }));
  const told = await post('/v1/responses', {
    model,
    store: false,
    reasoning: { effort: 'medium' },
    tools: tools.map(({ function: offered }) => ({ type: 'function', ...offered })),
    input: [question, ...called.map(asItem), ...outputs],
  });
  expect(JSON.stringify(told['output'])).toContain('Fine.');
});
