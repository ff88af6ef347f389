/** What only one of OpenAI's two APIs takes goes by that API, whatever the model's usual one is. */

import { expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  at,
  completion,
  json,
  listAt,
  namedStream,
  OPENAI,
  type Said,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const CHAT_MODEL = 'openai/gpt-4.1';
/** A model that is reached through responses. */
const THINKER = 'openai/gpt-5.4';
const PDF = 'https://d.example/a.pdf';

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'ok', annotations: [] }],
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'x',
  output: [message],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};
const byResponses: Readonly<Record<'whole' | 'stream', Said>> = {
  whole: json(response),
  stream: namedStream(
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item: message },
    { type: 'response.completed', response },
  ),
};

const document = { type: 'document', source: { type: 'url', url: PDF } };
const question = { type: 'text', text: 'x' };
const lastPath = (): string => door.upstream().received.at(-1)?.url ?? '';

async function google(model: string, body: JsonObject): Promise<JsonObject> {
  const answer = await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return Object(parseJson(await answer.text()));
}

test.each(['whole', 'stream'] as const)('a document by its address, %s', async (way) => {
  door.answers(byResponses[way]);
  const messages = [{ role: 'user', content: [document, question] }];
  const answer = await door[way]('messages', CHAT_MODEL, { messages });
  expect(answer.reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: 'ok' }]);
  expect(lastPath()).toBe('/v1/responses');
  expect(at(door.sent(), 'input.0.content')).toEqual([
    { type: 'input_file', file_url: PDF },
    { type: 'input_text', text: 'x' },
  ]);
});

test.each([
  ['application/pdf', PDF],
  [undefined, PDF],
  [undefined, 'https://d.example/no-ending'],
])("Google's fileData of the type %s at %s", async (mimeType, fileUri) => {
  door.answers(byResponses.whole);
  const fileData = { fileUri, ...(mimeType && { mimeType }) };
  const answer = await google(CHAT_MODEL, {
    contents: [{ role: 'user', parts: [{ fileData }, { text: 'x' }] }],
  });
  expect(at(answer, 'candidates.0.content.parts.0.text')).toBe('ok');
  expect(lastPath()).toBe('/v1/responses');
  expect(at(door.sent(), 'input.0.content.0')).toEqual({ type: 'input_file', file_url: fileUri });
});

test('a document in a result of a tool', async () => {
  const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'a', content: [document] };
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [use] },
    { role: 'user', content: [result] },
  ];
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const sent = await door.sentFor('messages', CHAT_MODEL, { messages, tools });
  expect(lastPath()).toBe('/v1/responses');
  expect(at(sent, 'input.2.output.0')).toEqual({ type: 'input_file', file_url: PDF });
});

test.each<[string, JsonObject]>([
  ['an image by its address', { fileData: { fileUri: 'https://i.example/a.png' } }],
  ['a document by its data', { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }],
])('%s goes by chat-completions, which takes it', async (_, part) => {
  door.answers(json(completion({ role: 'assistant', content: 'ok' }, 'stop')));
  await google(CHAT_MODEL, { contents: [{ role: 'user', parts: [part, { text: 'x' }] }] });
  expect(lastPath()).toBe('/v1/chat/completions');
});

const search = { type: 'web_search_20250305', name: 'web_search' };

test.each([
  [CHAT_MODEL, {}, '/v1/responses'],
  [OPENAI, {}, '/v1/responses'],
  [OPENAI, { tool_choice: { type: 'none' } }, '/v1/chat/completions'],
  // Neither of the two searches the web ("Web search" guide).
  ['openai/gpt-4.1-nano', {}, '/v1/chat/completions'],
  ['openai/gpt-3.5-turbo', {}, '/v1/chat/completions'],
])('a web search of %s with %j goes by %s', async (model, more, path) => {
  await door.sentFor('messages', model, { tools: [search], ...more });
  expect(lastPath()).toBe(path);
  const isSent = JSON.stringify(door.sent()).includes('"web_search"');
  expect(isSent).toBe(path === '/v1/responses');
});

test('several answers of a model of responses', async () => {
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } };
  door.answers(json({ ...completion({}, 'stop'), choices: [choice, { ...choice, index: 1 }] }));
  const generationConfig = { candidateCount: 2 };
  const answer = await google(THINKER, {
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    generationConfig,
  });
  expect(listAt(answer, 'candidates')).toHaveLength(2);
  expect([lastPath(), at(door.sent(), 'n')]).toEqual(['/v1/chat/completions', 2]);
});

test('what neither takes is refused as before', async () => {
  const film = { fileData: { fileUri: 'https://f.example/a.mp4' } };
  const answer = await google(CHAT_MODEL, { contents: [{ role: 'user', parts: [film] }] });
  expect(at(answer, 'error.code')).toBe(400);
  expect(door.upstream().received).toHaveLength(0);
});

test('a native request stays in its format', async () => {
  const file = { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } };
  await door.sentFor('chat-completions', CHAT_MODEL, { messages: [{ role: 'user', content: [file] }] });
  expect(lastPath()).toBe('/v1/chat/completions');
});
