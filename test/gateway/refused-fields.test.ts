/** What a model has no way to take is refused with the field that its caller has written, and not another format's. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/json.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((_, response) => response.writeHead(500).end());
  gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    generateContent: { models: 'all' },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GPT = 'openai/gpt-4.1';
const GEMINI = 'google/gemini-2.5-flash';
const google = (model: string): string => `/v1beta/models/${model}:generateContent`;

const said = { messages: [{ role: 'user', content: 'Hello.' }] };
const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
const stops = ['1', '2', '3', '4', '5', '6'];
const video = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } };
const file = { type: 'input_file', file_id: 'file-1' };
const uploaded = { type: 'image', source: { type: 'file', file_id: 'file_1' } };

test.each<[string, string, JsonObject, string]>([
  ['more answers than one of Claude', CHAT, { model: CLAUDE, n: 2, ...said }, 'n'],
  [
    'the same in Google’s words',
    google(CLAUDE),
    { contents, generationConfig: { candidateCount: 2 } },
    'generationConfig.candidateCount',
  ],
  [
    'the same as Python writes it',
    google(CLAUDE),
    { contents, generation_config: { candidateCount: 2 } },
    'generation_config.candidateCount',
  ],
  ['more answers than Gemini gives', CHAT, { model: GEMINI, n: 9, ...said }, 'n'],
  ['more stop sequences than Gemini takes', CHAT, { model: GEMINI, stop: stops, ...said }, 'stop'],
  [
    'a video for Claude',
    google(CLAUDE),
    { contents: [{ role: 'user', parts: [video, { text: 'What is it?' }] }] },
    'contents',
  ],
  [
    'a video for GPT',
    google(GPT),
    { contents: [{ role: 'user', parts: [video, { text: 'What is it?' }] }] },
    'contents',
  ],
  [
    'a file that OpenAI has, for Claude',
    RESPONSES,
    { model: CLAUDE, input: [{ role: 'user', content: [file] }] },
    'input',
  ],
  [
    'a file that OpenAI has, for Gemini',
    CHAT,
    {
      model: GEMINI,
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
    },
    'messages',
  ],
  ['cached content', google(CLAUDE), { contents, cachedContent: 'cachedContents/1' }, 'cachedContent'],
  ['the same as Python writes it', google(GPT), { contents, cached_content: 'x' }, 'cached_content'],
  [
    'an answer that Google has begun',
    google(CLAUDE),
    { contents, continuationToken: 'AAAA' },
    'continuationToken',
  ],
  [
    'an image and no text',
    google(GPT),
    { contents, generationConfig: { responseModalities: ['IMAGE'] } },
    'generationConfig.responseModalities',
  ],
  ['sound and no text', CHAT, { model: CLAUDE, modalities: ['audio'], ...said }, 'modalities'],
])('%s', async (_, path, body, field) => {
  const { status, error } = await ask(path, body);
  expect(status).toBe(400);
  const violations = asObjects(error['details']).flatMap((detail) => asObjects(detail['fieldViolations']));
  expect(path.startsWith('/v1beta') ? violations[0]?.['field'] : error['param']).toBe(field);
  expect(upstream.received).toHaveLength(0);
});

test('nor does a sentence name a field that its caller has not', async () => {
  const many = { model: GEMINI, max_tokens: 9, stop_sequences: stops, ...said };
  const foreign = { model: GPT, max_tokens: 9, messages: [{ role: 'user', content: [uploaded] }] };
  const two = { contents, generationConfig: { candidateCount: 2 } };
  const told = [
    await ask('/v1/messages', many),
    await ask('/v1/messages', foreign),
    await ask(google(CLAUDE), two),
  ].map(({ error }) => asText(error['message']));
  expect(told).toEqual([
    expect.stringMatching(/^This model accepts at most \d stop sequences\.$/),
    expect.stringContaining("another vendor's file store"),
    'This model gives one answer at a time: no more can be asked for.',
  ]);
});

async function ask(path: string, body: JsonObject): Promise<{ status: number; error: JsonObject }> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = asObject(parseJson(await response.text()));
  return { status: response.status, error: asObject(answer?.['error']) ?? {} };
}
