/** Services that refuse a field about caching: a breakpoint where it stands, or a key. */

import { describe, expect, test } from 'vitest';
import { usePlaces } from '../faults/upstream-places.ts';
import { wholeAnswer } from '../faults/upstream-ways.ts';
import { KEY, startRecorded } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';

const vendors = usePlaces();

const marked = { cache_control: { type: 'ephemeral' } };

test.each([
  // OpenAI's words, those of Groq, and those of Mistral's validator.
  "Unknown parameter: 'messages[0].content[0].cache_control'.",
  "'messages.0' : property 'cache_control' is unsupported",
  'body.messages.0.user.content.list.0.cache_control: Extra inputs are not permitted',
])('%s: only breakpoints are left out, at once from then on', async (message) => {
  const [upstream] = await vendors.upstreams(1);
  if (upstream === undefined) throw new Error('There is no upstream.');
  upstream.script((wire, { body }) => {
    if (body.includes('cache_control')) wire.answer(400, JSON.stringify({ error: { message } }));
    else wire.answer(200, wholeAnswer('chat-completions'));
  });
  const gateway = await startRecorded({ vendors: { qwen: { baseUrl: `${upstream.url}/v1`, apiKey: 'k' } } });
  vendors.open.push(gateway);
  const body = {
    model: 'qwen/qwen3.8-max',
    max_tokens: 9,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...marked }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'A greeting.', signature: '' },
          { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'x' },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
  };
  for (let at = 0; at < 2; at += 1) {
    const answer = await postJson(`${gateway.url}/v1/messages`, body, { key: KEY });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  const [first, ...later] = upstream.requests.map(({ body: sent }) => JSON.parse(sent.toString()));
  expect(later).toHaveLength(2);
  const plain = JSON.parse(
    JSON.stringify(first)
      .replaceAll(`,"cache_control":{"type":"ephemeral"}`, '')
      .replaceAll(`"cache_control":{"type":"ephemeral"},`, ''),
  );
  const said = (list: readonly { content: unknown; reasoning_content?: unknown }[]) =>
    list.map(({ content, reasoning_content }) => [
      Array.isArray(content) ? content.map(({ text }) => text).join('') : content,
      reasoning_content,
    ]);
  for (const { messages } of later) expect(said(messages)).toEqual(said(plain.messages));
});

test('a caller of chat-completions whose request is translated keeps all but its own breakpoints', async () => {
  const [upstream] = await vendors.upstreams(1);
  if (upstream === undefined) throw new Error('There is no upstream.');
  const message = 'body.messages.0.user.content.list.0.cache_control: Extra inputs are not permitted';
  upstream.script((wire, { body }) => {
    if (body.includes('cache_control')) wire.answer(400, JSON.stringify({ error: { message } }));
    else wire.answer(200, wholeAnswer('chat-completions'));
  });
  const gateway = await startRecorded({
    vendors: { qwen: { baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
    hooks: { onRequest: (prompt) => ({ prompt }) },
  });
  vendors.open.push(gateway);
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const body = {
    model: 'qwen/qwen3.8-max',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...marked }] },
      { role: 'assistant', content: null, reasoning_content: 'A greeting.', tool_calls: [call], ...marked },
      { role: 'tool', tool_call_id: 'call_1', content: 'x', ...marked },
      { role: 'assistant', content: 'Hm.', ...marked },
      { role: 'user', content: [{ type: 'text', text: 'And?', ...marked }] },
      { role: 'system', content: 'Briefly.', ...marked },
      { role: 'user', content: 'So?', ...marked },
    ],
    ...marked,
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } }, ...marked }],
  };
  for (let at = 0; at < 2; at += 1) {
    const answer = await postJson(`${gateway.url}/v1/chat/completions`, body, { key: KEY });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  const [, ...later] = upstream.requests.map(({ body: sent }) => JSON.parse(sent.toString()));
  expect(later).toHaveLength(2);
  for (const { messages } of later)
    expect(messages[1]).toMatchObject({ reasoning_content: 'A greeting.', tool_calls: [call] });
  await expect
    .poll(() => gateway.records.map(({ repairs }) => repairs))
    .toEqual([['without-service-fields'], undefined]);
});

test.each([
  ['chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['responses', { input: 'Hi' }],
])('a translated request to %s keeps all but a cache key that the service refuses', async (path, asked) => {
  const [upstream] = await vendors.upstreams(1);
  if (upstream === undefined) throw new Error('There is no upstream.');
  const message = "property 'prompt_cache_key' is unsupported";
  const format = path === 'responses' ? 'responses' : 'chat-completions';
  upstream.script((wire, { body }) => {
    if (body.includes('prompt_cache_key')) wire.answer(400, JSON.stringify({ error: { message } }));
    else wire.answer(200, wholeAnswer(format));
  });
  const gateway = await startRecorded({
    vendors: { openai: { baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
    hooks: { onRequest: (prompt) => ({ prompt }) },
  });
  vendors.open.push(gateway);
  const body = { model: 'openai/gpt-5.4', prompt_cache_key: 's1', prompt_cache_retention: '24h', ...asked };
  const answer = await postJson(`${gateway.url}/v1/${path}`, body, { key: KEY });
  expect(answer.status, await answer.text()).toBe(200);
  const sent = upstream.requests.map(({ body: given }) => JSON.parse(given.toString()));
  expect(sent).toHaveLength(2);
  const { prompt_cache_key: key, ...rest } = sent[0];
  expect([key, rest.prompt_cache_retention]).toEqual(['s1', '24h']);
  expect(sent[1]).toEqual(rest);
});

const own = { prompt_cache_breakpoint: { mode: 'explicit' } };
const text = (type: string, fields: object): object => ({ type, text: 'a', ...fields });
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const callItem = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };

/** Requests whose messages are marked, as OpenRouter's and LiteLLM's clients do it, and what OpenAI is to get. */
const WHOLE_MESSAGES = {
  'chat/completions': [
    {
      messages: [
        { role: 'system', content: 'a', ...marked },
        { role: 'user', content: [text('text', {}), text('text', {})], ...marked },
        { role: 'assistant', content: 'a', tool_calls: [call], ...marked },
        { role: 'tool', tool_call_id: 'c', content: 'a', ...marked },
        { role: 'assistant', content: 'a', ...marked },
        { role: 'user', content: '', ...marked },
      ],
    },
    {
      messages: [
        { role: 'system', content: [text('text', own)] },
        { role: 'user', content: [text('text', {}), text('text', own)] },
        { role: 'assistant', content: 'a', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: [text('text', own)] },
        { role: 'assistant', content: [text('text', own)] },
        { role: 'user', content: '' },
      ],
    },
  ],
  responses: [
    {
      input: [
        { role: 'developer', content: 'a', ...marked },
        { role: 'assistant', content: 'a', ...marked },
        { ...callItem, ...marked },
        { type: 'function_call_output', call_id: 'c', output: 'a', ...marked },
      ],
    },
    {
      input: [
        { role: 'developer', content: [text('input_text', own)] },
        { role: 'assistant', content: 'a' },
        callItem,
        { type: 'function_call_output', call_id: 'c', output: [text('input_text', own)] },
      ],
    },
  ],
} as const;

describe.each([
  [
    'chat/completions',
    (mark: object) => ({
      messages: [
        { role: 'system', content: [text('text', mark)] },
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [text('text', mark)] },
        { role: 'user', content: [text('text', mark), text('text', {})] },
      ],
    }),
  ],
  [
    'responses',
    (mark: object) => ({
      input: [
        { role: 'user', content: [text('input_text', mark)] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [text('input_text', mark)] },
      ],
    }),
  ],
] as const)('marks of Anthropic in a native request to %s', (path, asked) => {
  const message = "Unknown parameter: 'messages[0].content[0].cache_control'.";

  async function lastSent(
    model: string,
    refused: readonly string[],
    request: object = asked(marked),
  ): Promise<unknown> {
    const [upstream] = await vendors.upstreams(1);
    if (upstream === undefined) throw new Error('There is no upstream.');
    upstream.script((wire, { body }) => {
      const field = refused.find((name) => body.includes(name));
      if (field !== undefined)
        wire.answer(400, JSON.stringify({ error: { message: message.replace('cache_control', field) } }));
      else wire.answer(200, wholeAnswer(path === 'responses' ? 'responses' : 'chat-completions'));
    });
    const chat = { baseUrl: `${upstream.url}/v1`, apiKey: 'k' };
    const gateway = await startRecorded({
      vendors: { openai: chat },
    });
    vendors.open.push(gateway);
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, ...marked }];
    const body = { ...request, model, ...(path === 'responses' && { tools }) };
    const answer = await postJson(`${gateway.url}/v1/${path}`, body, { key: KEY });
    expect(answer.status, await answer.text()).toBe(200);
    const { tools: _tools, model: _model, ...sent } = JSON.parse(`${upstream.requests.at(-1)?.body}`);
    return sent;
  }

  test('are breakpoints of its own at OpenAI from GPT-5.6 on', async () => {
    expect(await lastSent('openai/gpt-5.6-sol', ['cache_control'])).toEqual(asked(own));
  });

  test('of a whole message are a breakpoint on its last part', async () => {
    const [request, sent] = WHOLE_MESSAGES[path];
    expect(await lastSent('openai/gpt-5.6-sol', ['cache_control'], request)).toEqual(sent);
  });

  test('are left out for earlier models, and where breakpoints are refused as well', async () => {
    expect(await lastSent('openai/gpt-5.5', ['cache_control'])).toEqual(asked({}));
    expect(await lastSent('openai/gpt-5.6-sol', ['cache_control', 'prompt_cache_breakpoint'])).toEqual(
      asked({}),
    );
  });
});
