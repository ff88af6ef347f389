/** Images, files and sounds in the model's own turns reach every vendor's model that reads them, and end no dialogue. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  DEEPSEEK,
  GEMINI,
  OLLAMA,
  OPENAI,
  RESPONDER,
  THINKING,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const URL_OF_PNG = `data:image/png;base64,${PNG}`;
const TEXT = Buffer.from('a,b').toString('base64');

const image = { inlineData: { mimeType: 'image/png', data: PNG } };
const sound = { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } };
const film = { fileData: { mimeType: 'video/mp4', fileUri: 'https://films.example/a.mp4' } };
const table = { inlineData: { mimeType: 'text/csv', data: TEXT } };
const call = { functionCall: { id: 'a', name: 'f', args: {} } };
const response = { functionResponse: { id: 'a', name: 'f', response: { output: 'ok' } } };

/** What a vendor is sent for a dialogue in Google's format. */
async function sentFor(model: string, ...contents: readonly JsonObject[]): Promise<JsonObject> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      contents,
      tools: [{ functionDeclarations: [{ name: 'f', description: 'F' }] }],
    }),
  });
  return door.sent();
}

const asks = { role: 'user', parts: [{ text: 'draw' }] };
const draws = (...parts: readonly JsonObject[]) => ({ role: 'model', parts: [{ text: 'here' }, ...parts] });
const goesOn = { role: 'user', parts: [{ text: 'again, in blue' }] };

const IN_MESSAGES = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PNG },
};
const IN_CHAT = { type: 'image_url', image_url: { url: URL_OF_PNG } };
const IN_RESPONSES = { type: 'input_image', image_url: URL_OF_PNG, detail: 'auto' };

test("Claude sees the model's image in the user's next turn", async () => {
  expect(at(await sentFor(CLAUDE, asks, draws(image), goesOn), 'messages')).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'draw' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'here' }] },
    { role: 'user', content: [IN_MESSAGES, { type: 'text', text: 'again, in blue' }] },
  ]);
});

test.each([OPENAI, THINKING, OLLAMA])('%s sees it there, too', async (model) => {
  expect(at(await sentFor(model, asks, draws(image), goesOn), 'messages')).toEqual([
    { role: 'user', content: 'draw' },
    { role: 'assistant', content: 'here' },
    { role: 'user', content: [IN_CHAT, { type: 'text', text: 'again, in blue' }] },
  ]);
});

test('and so does a model of responses', async () => {
  expect(at(await sentFor(RESPONDER, asks, draws(image), goesOn), 'input')).toMatchObject([
    { role: 'user', content: 'draw' },
    { role: 'assistant', content: 'here' },
    { role: 'user', content: [IN_RESPONSES] },
    { role: 'user', content: 'again, in blue' },
  ]);
});

test.each([
  ['the last turn', [asks, draws(image)]],
  ['an answer of its own', [asks, { role: 'model', parts: [image] }]],
])('an image in %s', async (_, contents) => {
  const last = (sent: JsonObject) => [at(sent, 'messages')].flat().at(-1);
  const [one] = contents.slice(-1);
  const isAlone = one?.parts.length === 1;
  const alike = (shown: JsonObject, text: JsonObject) => ({
    role: 'user',
    content: isAlone ? [text, shown] : [shown],
  });
  const text = { type: 'text', text: 'draw' };
  expect(last(await sentFor(CLAUDE, ...contents))).toEqual(alike(IN_MESSAGES, text));
  expect(last(await sentFor(OPENAI, ...contents))).toEqual(alike(IN_CHAT, text));
});

test('beside calls, it comes after their results', async () => {
  const contents = [asks, draws(image, call), { role: 'user', parts: [response] }, goesOn];
  expect(at(await sentFor(CLAUDE, ...contents), 'messages.2.content')).toMatchObject([
    { type: 'tool_result', tool_use_id: 'a' },
    IN_MESSAGES,
    { type: 'text', text: 'again, in blue' },
  ]);
  const roles = [at(await sentFor(OPENAI, ...contents), 'messages')].flat().map((one) => at(one, 'role'));
  expect(roles).toEqual(['user', 'assistant', 'tool', 'user']);
});

test.each([
  ['a film', film, CLAUDE],
  ['a film', film, OPENAI],
  ['a film', film, RESPONDER],
  ['a sound', sound, CLAUDE],
  ['a sound', sound, RESPONDER],
  // The catalog knows that these models do not listen, or do not see.
  ['a sound', sound, OPENAI],
  ['an image', image, DEEPSEEK],
])('$0 that $2 cannot take is left out', async (_, medium, model) => {
  const sent = await sentFor(model, asks, draws(medium), goesOn);
  expect(door.upstream().received).toHaveLength(1);
  expect(at(sent, model === RESPONDER ? 'input' : 'messages')).toHaveLength(3);
  expect(JSON.stringify(sent)).not.toContain('UklGRg==');
});

test('a document is read as text where it is one', async () => {
  const sent = await sentFor(CLAUDE, asks, draws(table), goesOn);
  expect(at(sent, 'messages.2.content.0')).toMatchObject({ type: 'document', source: { data: 'a,b' } });
});

test("an image in an assistant's message, or beside it as OpenRouter writes it, goes to Gemini as its own", async () => {
  const said = [{ type: 'text', text: 'here' }];
  for (const drawn of [
    { role: 'assistant', content: [...said, IN_CHAT] },
    { role: 'assistant', content: said, images: [{ ...IN_CHAT, index: 0 }] },
  ]) {
    const messages = [{ role: 'user', content: 'draw' }, drawn, { role: 'user', content: 'again' }];
    const sent = await door.sentFor('chat-completions', GEMINI, { messages });
    expect(at(sent, 'contents.1')).toEqual({ role: 'model', parts: [{ text: 'here' }, image] });
    const claude = await door.sentFor('chat-completions', CLAUDE, { messages });
    expect(at(claude, 'messages.2.content.0')).toEqual(IN_MESSAGES);
  }
});

test('what the model spoke in chat-completions goes to other vendors as its text', async () => {
  const audio = { id: 'audio_1', data: 'UklGRg==', expires_at: 1, transcript: 'spoken' };
  const messages = [
    { role: 'user', content: 'say it' },
    { role: 'assistant', content: null, audio },
    { role: 'user', content: 'again' },
  ];
  const sent = (model: string) => door.sentFor('chat-completions', model, { messages });
  const text = { text: 'spoken' };
  expect(at(await sent(CLAUDE), 'messages.1')).toEqual({
    role: 'assistant',
    content: [{ type: 'text', ...text }],
  });
  expect(at(await sent(GEMINI), 'contents.1')).toEqual({ role: 'model', parts: [text] });
  expect(at(await sent(RESPONDER), 'input.1')).toMatchObject({ role: 'assistant', content: [text] });
  expect(at(await sent(OPENAI), 'messages.1')).toEqual({ role: 'assistant', content: null, audio });
});
