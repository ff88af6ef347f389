/** Fields by which callers of other gateways and of Google's OpenAI-compatible endpoint say more in chat-completions. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let callers: FourCallers;

beforeAll(async () => {
  callers = await startFourCallers();
});

afterAll(() => callers.close());

/** What the vendor of a model receives for a request. The gateway cannot read the vendor's answer, and need not. */
async function sent(model: string, more: JsonObject): Promise<JsonObject> {
  await callers.ask('chat-completions', model, false, more).catch(() => undefined);
  return Object(parseJson(`${callers.received.at(-1)?.body}`));
}

const image = (image_url: JsonObject): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
});

const PDF = { url: 'https://a.example/report.pdf?v=2' };
const STORED = { url: 'gs://bucket/clip', format: 'video/mp4' };

test("Gemini gets the type that LiteLLM's format says, without which Vertex AI refuses a file", async () => {
  const fileData = { mimeType: 'video/mp4', fileUri: STORED.url };
  expect(await sent(MODELS['generate-content'], image(STORED))).toMatchObject({
    contents: [{ role: 'user', parts: [{ fileData }] }],
  });
});

test('a PDF in the place of an image is a document to those who tell the two apart', async () => {
  expect(await sent(MODELS.messages, image(PDF))).toMatchObject({
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url: PDF.url } }] }],
  });
  expect(await sent(MODELS.responses, image(PDF))).toMatchObject({
    input: [{ role: 'user', content: [{ type: 'input_file', file_url: PDF.url }] }],
  });
});

test.each([PDF, STORED])('a service of the same format gets %j as it was written', async (link) => {
  expect(await sent(MODELS['chat-completions'], image(link))).toMatchObject(image(link));
});

test.each<[JsonObject]>([
  [{ max_uses: 3 }],
  [{ max_uses: 3, allowed_domains: ['a.example'] }],
  [{ blocked_domains: ['b.example'], user_location: { type: 'approximate', country: 'NO' } }],
])("a search of Anthropic's in LiteLLM's chat-completions keeps its settings %j", async (settings) => {
  const search = { type: 'web_search_20250305', name: 'web_search', ...settings };
  expect(await sent(MODELS.messages, { tools: [search] })).toMatchObject({ tools: [search] });
});

const BASH = { type: 'bash_20250124', name: 'bash' };
const EDITOR = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 99 };
const SCREEN = { display_width_px: 640, display_height_px: 480 };
const COMPUTER = { type: 'computer_20250124', name: 'computer', ...SCREEN };
/** LiteLLM's shape of it. */
const WRAPPED = { type: COMPUTER.type, function: { name: COMPUTER.name, parameters: SCREEN } };

test.each([
  ['shell', BASH, BASH, undefined],
  ['editor', EDITOR, EDITOR, undefined],
  ['computer', COMPUTER, COMPUTER, 'computer-use-2025-01-24'],
  ["computer in LiteLLM's shape", WRAPPED, COMPUTER, 'computer-use-2025-01-24'],
])("Claude gets Anthropic's own tool for a %s, which the caller runs", async (_, given, tool, beta) => {
  expect((await sent(MODELS.messages, { tools: [given] }))['tools']).toEqual([tool]);
  expect(callers.received.at(-1)?.headers['anthropic-beta']).toBe(beta);
});

test('another model gets it as a function with its input', async () => {
  expect(await sent(MODELS['generate-content'], { tools: [WRAPPED] })).toMatchObject({
    tools: [
      {
        functionDeclarations: [
          { name: 'computer', description: expect.stringContaining('640 x 480'), parametersJsonSchema: {} },
        ],
      },
    ],
  });
});

const signed = (id: string, fields: JsonObject, fn: JsonObject = {}): JsonObject => ({
  messages: [
    { role: 'user', content: 'What is the time?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'clock', arguments: '{}', ...fn }, ...fields }],
    },
    { role: 'tool', tool_call_id: id, content: '12:00' },
  ],
});
const of = (thought_signature: string): JsonObject => ({ provider_specific_fields: { thought_signature } });

test.each([
  ['the id', signed('call_1__thought__R29vZ2xl', {})],
  ['the call', signed('call_1', of('R29vZ2xl'))],
  ['the function', signed('call_1', {}, of('R29vZ2xl'))],
  [
    'extra_content, before the others',
    signed('call_1__thought__TGl0ZUxMTQ==', {
      extra_content: { google: { thought_signature: 'R29vZ2xl' } },
      ...of('TGl0ZUxMTQ=='),
    }),
  ],
])("Gemini gets its signature of a call from LiteLLM's dialogues, where it is in %s", async (_, dialogue) => {
  expect(await sent(MODELS['generate-content'], dialogue)).toMatchObject({
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'clock' }, thoughtSignature: 'R29vZ2xl' }] },
      { role: 'user' },
    ],
  });
});

test("Claude gets its signature of a thought from agentgateway's dialogues", async () => {
  const thought = { reasoning_content: 'Hm.', reasoning_signature: 'EqQB' };
  const { messages } = await sent(MODELS.messages, {
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y', ...thought },
      { role: 'user', content: 'z' },
    ],
  });
  expect(messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
        { type: 'text', text: 'y' },
      ],
    },
    { role: 'user' },
  ]);
});

test("Gemini gets the safety settings of Google's OpenAI-compatible endpoint as its own", async () => {
  const safety_settings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
  const body = await sent(MODELS['generate-content'], { extra_body: { google: { safety_settings } } });
  expect(body).toMatchObject({ safety_settings });
  expect(body).not.toHaveProperty('extra_body');
});
