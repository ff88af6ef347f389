/** Sounds and documents that a caller spells as one service takes them reach other vendors' models. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { at, CLAUDE, GEMINI, useDoor } from '../checklist/support.ts';
import { usePlaces } from '../faults/upstream-places.ts';
import { startRecorded } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';

const door = useDoor();
const places = usePlaces();

/** The part that Gemini, or the content block that Claude is sent for a part of a user's message. */
async function sentFor(model: string, part: JsonObject): Promise<unknown> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] }];
  const sent = await door.sentFor('chat-completions', model, { messages });
  return at(sent, model === GEMINI ? 'contents.0.parts.1' : 'messages.0.content.1');
}

/** The beginnings of files: frames of MP3, with and without a tag before them, and a WAV. */
const SOUNDS = [
  ['audio/mp3', '//NkxAAAAANIAAAAAExBTUU='],
  ['audio/mp3', '//uQxAAAAANIAAAAAExBTUU='],
  ['audio/mp3', 'SUQzBAAAAAAAI1RTU0UAAAA='],
  ['audio/wav', 'UklGRiQAAABXQVZFZm10IBA='],
] as const;

test.each(SOUNDS)("Mistral's input_audio, which is the data itself (%s)", async (mimeType, data) => {
  expect(await sentFor(GEMINI, { type: 'input_audio', input_audio: data })).toEqual({
    inlineData: { mimeType, data },
  });
});

test('or an address', async () => {
  const input_audio = 'https://sounds.example/a.mp3';
  expect(await sentFor(GEMINI, { type: 'input_audio', input_audio })).toMatchObject({
    fileData: { fileUri: input_audio },
  });
});

test('a format that the caller names stands', async () => {
  const input_audio = { data: '//NkxAAAAANIAAAAAExBTUU=', format: 'wav' };
  expect(await sentFor(GEMINI, { type: 'input_audio', input_audio })).toMatchObject({
    inlineData: { mimeType: 'audio/wav' },
  });
});

test("Perplexity's file_url, which is the data without a scheme", async () => {
  const data = 'JVBERi0xLjQKJeLjz9MKMyAwIG9iago8PC9UeXBl';
  const part = { type: 'file_url', file_url: { url: data } };
  expect(await sentFor(GEMINI, part)).toEqual({ inlineData: { mimeType: 'application/pdf', data } });
  expect(await sentFor(CLAUDE, part)).toEqual({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data },
  });
});

test('of a type that is not known', async () => {
  const part = { type: 'file_url', file_url: { url: 'UEsDBBQACAgIAC+HrFwAAAAAAAAAAAAAAAALAAAA' } };
  const messages = [{ role: 'user', content: [part] }];
  const { status, text } = await door.whole('chat-completions', CLAUDE, { messages });
  expect(status, text).toBe(400);
  expect(door.upstream().received).toHaveLength(0);
});

test('an address with a scheme stays one', async () => {
  const part = { type: 'file_url', file_url: { url: 'https://files.example/a.pdf' } };
  expect(await sentFor(GEMINI, part)).toMatchObject({
    fileData: { fileUri: 'https://files.example/a.pdf' },
  });
});

test("vLLM's audio_url, which is an address or the data", async () => {
  const audio_url = { url: 'https://sounds.example/a.mp3' };
  expect(await sentFor(GEMINI, { type: 'audio_url', audio_url })).toMatchObject({
    fileData: { fileUri: audio_url.url },
  });
  const [mimeType, data] = SOUNDS[0];
  const inline = { url: `data:audio/mp3;base64,${data}` };
  expect(await sentFor(GEMINI, { type: 'audio_url', audio_url: inline })).toEqual({
    inlineData: { mimeType, data },
  });
});

const PDF = 'https://files.example/a.pdf';

test("LiteLLM's file_id, which is an address", async () => {
  const part = { type: 'file', file: { file_id: PDF, format: 'application/pdf' } };
  expect(await sentFor(GEMINI, part)).toEqual({
    fileData: { mimeType: 'application/pdf', fileUri: PDF },
  });
  expect(await sentFor(CLAUDE, part)).toEqual({ type: 'document', source: { type: 'url', url: PDF } });
  const film = 'https://www.youtube.com/watch?v=9hE5-98ZeCg';
  expect(await sentFor(GEMINI, { type: 'file', file: { file_id: film, format: 'video/mp4' } })).toEqual({
    fileData: { mimeType: 'video/mp4', fileUri: film },
  });
});

test("LiteLLM's video_metadata, which says what of a film the model sees", async () => {
  const video_metadata = { fps: 5, start_offset: '10s', end_offset: '60s' };
  const file = { file_id: 'gs://bucket/a.mp4', format: 'video/mp4', video_metadata };
  expect(await sentFor(GEMINI, { type: 'file', file })).toEqual({
    fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a.mp4' },
    videoMetadata: { fps: 5, startOffset: '10s', endOffset: '60s' },
  });
  const inline = { file_data: 'data:video/mp4;base64,AAAA', video_metadata: { fps: 1 } };
  expect(await sentFor(GEMINI, { type: 'file', file: inline })).toEqual({
    inlineData: { mimeType: 'video/mp4', data: 'AAAA' },
    videoMetadata: { fps: 1 },
  });
});

test.each(['file_id', 'file_data'])('a file in a bucket at Google: %s', async (field) => {
  const part = { type: 'file', file: { [field]: 'gs://bucket/a.pdf' } };
  expect(await sentFor(GEMINI, part)).toMatchObject({ fileData: { fileUri: 'gs://bucket/a.pdf' } });
  const messages = [{ role: 'user', content: [part] }];
  const { status, text } = await door.whole('chat-completions', CLAUDE, { messages });
  expect(status, text).toBe(400);
});

// llama.cpp's tools/server/server-common.cpp.
const NO_IMAGES =
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj';

test('an image that a model of llama.cpp cannot read is refused at once', async () => {
  const [upstream] = await places.upstreams(1);
  if (upstream === undefined) throw new Error('There is no upstream.');
  const error = { code: 500, message: NO_IMAGES, type: 'server_error' };
  upstream.script((wire) => wire.answer(500, JSON.stringify({ error })));
  const gateway = await startRecorded({ vendors: { qwen: { baseUrl: `${upstream.url}/v1`, apiKey: 'k' } } });
  places.open.push(gateway);
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const answer = await postJson(`${gateway.url}/v1/messages`, {
    model: 'qwen/qwen3.8-max',
    max_tokens: 9,
    messages: [{ role: 'user', content: [{ type: 'image', source }] }],
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', message: NO_IMAGES } });
  expect(upstream.requests).toHaveLength(1);
});
