/** Images that a model draws reach callers of every format, and go back to it as its own. */

import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  chatStream,
  chunk,
  completion,
  GEMINI,
  GEMINI_3,
  gemini,
  geminiStream,
  json,
  listAt,
  OPENAI,
  RESPONDER,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/';
const SIGNATURE = 'Q2lRQjNZ';
const URL_OF_PNG = `data:image/png;base64,${PNG}`;

const drawn = (data: string, mimeType: string, more: JsonObject = {}) => ({
  inlineData: { mimeType, data },
  ...more,
});
const png = drawn(PNG, 'image/png', { thoughtSignature: SIGNATURE });
const jpeg = drawn(JPEG, 'image/jpeg');
const signed = { extra_content: { google: { thought_signature: SIGNATURE } } };

const IMAGES: readonly JsonObject[] = [
  { index: 0, type: 'image_url', image_url: { url: URL_OF_PNG }, ...signed },
  { index: 1, type: 'image_url', image_url: { url: `data:image/jpeg;base64,${JPEG}` } },
];

/** An answer of Gemini's with two images between its texts. */
const PARTS = [{ text: 'First' }, png, { text: 'then' }, jpeg];

/** Asks in Google's format. */
async function askAsGoogle(model: string, method: string): Promise<string> {
  const response = await fetch(`${door.url()}/v1beta/models/${model}:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'draw' }] }] }),
  });
  return response.text();
}

test('callers of chat-completions get what Gemini draws in `images`', async () => {
  door.answers(json(gemini(PARTS, 'STOP')));
  const { json: whole } = await door.whole('chat-completions', GEMINI);
  expect(at(whole, 'choices.0.message')).toMatchObject({ content: 'First\n\nthen', images: IMAGES });
  expect(at(whole, 'choices.0.message.provider_specific_fields')).toBeUndefined();
  expect(at(whole, 'choices.0.finish_reason')).toBe('stop');
});

test('and in the deltas of a stream, each as it comes', async () => {
  door.answers(geminiStream(...PARTS.map((part) => gemini([part])), gemini([], 'STOP')));
  const { data } = await door.stream('chat-completions', GEMINI);
  const deltas = data.map((one) => at(one, 'choices.0.delta'));
  const said = deltas.flatMap((delta): Json[] => {
    const [text, images] = [at(delta, 'content'), at(delta, 'images')];
    return [...(text ? [text] : []), ...(images ? [images] : [])];
  });
  expect(said).toEqual(['First', IMAGES.slice(0, 1), '\n\nthen', IMAGES.slice(1)]);
});

test('an image alone is an answer', async () => {
  door.answers(json(gemini([png], 'STOP')));
  const { json: whole } = await door.whole('chat-completions', GEMINI);
  expect(at(whole, 'choices.0')).toMatchObject({
    message: { content: null, images: IMAGES.slice(0, 1) },
    finish_reason: 'stop',
  });
});

test('a sketch among the thoughts is no image of the answer', async () => {
  const sketch = drawn(JPEG, 'image/jpeg', { thought: true });
  door.answers(json(gemini([sketch, png], 'STOP')));
  const { json: whole } = await door.whole('chat-completions', GEMINI);
  expect(at(whole, 'choices.0.message.images')).toEqual(IMAGES.slice(0, 1));
  expect(at(whole, 'choices.0.message.provider_specific_fields.generate-content')).toEqual([sketch]);
});

test('callers of responses get an `image_generation_call`, whole and streamed', async () => {
  const items = [
    { type: 'message', content: [{ text: 'First' }] },
    { type: 'reasoning', encrypted_content: `google#i.${SIGNATURE}` },
    {
      type: 'image_generation_call',
      id: expect.stringMatching(/^ig_/),
      status: 'completed',
      output_format: 'png',
      result: PNG,
    },
    { type: 'message', content: [{ text: 'then' }] },
    { type: 'image_generation_call', status: 'completed', output_format: 'jpeg', result: JPEG },
  ];
  door.answers(json(gemini(PARTS, 'STOP')));
  const { json: whole } = await door.whole('responses', GEMINI);
  expect(whole['output']).toMatchObject(items);
  door.answers(geminiStream(...PARTS.map((part) => gemini([part])), gemini([], 'STOP')));
  const { data } = await door.stream('responses', GEMINI);
  expect(at(data.at(-1), 'response.output')).toMatchObject(items);
  const added = data.filter(({ type }) => type === 'response.output_item.added').map(({ item }) => item);
  expect(added.filter((item) => at(item, 'type') === 'image_generation_call')).toMatchObject([
    { status: 'in_progress', result: null },
    { status: 'in_progress', result: null },
  ]);
  expect(data.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'response.image_generation_call.completed',
    ]),
  );
});

test('callers of messages, which has no images in answers, find it beside the content', async () => {
  door.answers(json(gemini(PARTS, 'STOP')));
  const { json: whole } = await door.whole('messages', GEMINI);
  expect(at(whole, 'content')).toMatchObject([
    { type: 'text', text: 'First' },
    { type: 'text', text: 'then' },
  ]);
  expect(at(whole, 'provider_specific_fields.generate-content')).toEqual([png, jpeg]);
});

const OPENROUTER = 'openrouter/a-model';
const entry = { type: 'image_url', image_url: { url: URL_OF_PNG } };
const FROM_ROUTER = { whole: json(completion({ content: 'Here', images: [entry] }, 'stop')) };
const ROUTER_STREAM = chatStream(
  chunk({ role: 'assistant', content: 'Here' }),
  chunk({ content: '', images: [{ ...entry, index: 0 }] }),
  chunk({}, 'stop'),
);

test('what OpenRouter writes in `images` is a part for callers of generate-content', async () => {
  const parts = [{ text: 'Here' }, drawn(PNG, 'image/png')];
  door.answers(FROM_ROUTER.whole);
  const whole: Json = JSON.parse(await askAsGoogle(OPENROUTER, 'generateContent'));
  expect(at(whole, 'candidates.0.content.parts')).toEqual(parts);
  door.answers(ROUTER_STREAM);
  const text = await askAsGoogle(OPENROUTER, 'streamGenerateContent?alt=sse');
  const chunks = text
    .split('\n')
    .flatMap((line): Json[] => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  const got = chunks.flatMap((one) => listAt(one, 'candidates.0.content.parts'));
  expect(got.filter((part) => part['text'] !== '')).toEqual(parts);
});

test('and an item for callers of responses', async () => {
  const items = [{ type: 'message' }, { type: 'image_generation_call', result: PNG }];
  door.answers(FROM_ROUTER.whole);
  expect((await door.whole('responses', OPENROUTER)).json['output']).toMatchObject(items);
  door.answers(ROUTER_STREAM);
  const { data } = await door.stream('responses', OPENROUTER);
  expect(at(data.at(-1), 'response.output')).toMatchObject(items);
});

test.each(['data:image/png;base64', `data:${'a'.repeat(2000)}`, 7, ''])(
  'an image of a vendor without an address that can be read ends no answer',
  async (url) => {
    const odd = { type: 'image_url', image_url: { url } };
    door.answers(json(completion({ content: 'Here', images: [odd] }, 'stop')));
    const { status, json: whole } = await door.whole('messages', OPENROUTER);
    expect(status).toBe(200);
    expect(at(whole, 'content.0.text')).toBe('Here');
  },
);

const asked = { role: 'user', content: 'draw' };
const again = { role: 'user', content: 'again' };
/** A dialogue with an answer of the assistant, as its caller sends it back. */
const dialogue = (answer: JsonObject): JsonObject => ({
  messages: [asked, { role: 'assistant', ...answer }, again],
});

test("an image goes back to Gemini with its signature, and without it to other vendors' models", async () => {
  const sent = dialogue({ content: 'Here', images: IMAGES.slice(0, 1) });
  expect(at(await door.sentFor('chat-completions', GEMINI_3, sent), 'contents.1.parts')).toEqual([
    { text: 'Here' },
    png,
  ]);
  const claude = await door.sentFor('chat-completions', CLAUDE, sent);
  expect(JSON.stringify(claude)).not.toContain(SIGNATURE);
  expect(at(claude, 'messages.2.content.0.source.data')).toBe(PNG);
  const responder = await door.sentFor('chat-completions', RESPONDER, sent);
  expect(JSON.stringify(responder)).not.toContain(SIGNATURE);
  expect(JSON.stringify(responder)).toContain(URL_OF_PNG);
});

test('Gemini 3 is not sent an image in its own turn without a signature, which it would refuse', async () => {
  const sent = dialogue({ content: 'Here', images: [entry] });
  const skip = { thoughtSignature: 'skip_thought_signature_validator' };
  expect(at(await door.sentFor('chat-completions', GEMINI_3, sent), 'contents.1.parts.1')).toEqual(
    drawn(PNG, 'image/png', skip),
  );
  expect(at(await door.sentFor('chat-completions', GEMINI, sent), 'contents.1.parts.1')).toEqual(
    drawn(PNG, 'image/png'),
  );
});

test("a caller's own images are never signed", async () => {
  const messages = [{ role: 'user', content: [entry] }];
  expect(at(await door.sentFor('chat-completions', GEMINI_3, { messages }), 'contents.0.parts')).toEqual([
    drawn(PNG, 'image/png'),
  ]);
});

test('so does an item of responses, with the signature before it', async () => {
  door.answers(json(gemini([{ text: 'Here' }, png], 'STOP')));
  const { json: answer } = await door.whole('responses', GEMINI_3);
  const input = [asked, ...listAt(answer, 'output'), again];
  expect(at(await door.sentFor('responses', GEMINI_3, { input }), 'contents.1.parts')).toEqual([
    { text: 'Here' },
    png,
  ]);
  const claude = await door.sentFor('responses', CLAUDE, { input });
  expect(at(claude, 'messages.2.content.0')).toMatchObject({ type: 'image', source: { data: PNG } });
  const chat = await door.sentFor('responses', OPENAI, { input });
  expect(JSON.stringify(chat)).toContain(PNG);
});

test('an image that OpenAI drew is shown to the models of other vendors', async () => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PNG };
  const input = [asked, item, again];
  const parts = at(await door.sentFor('responses', GEMINI, { input }), 'contents.1.parts');
  expect(parts).toEqual([drawn(PNG, 'image/png')]);
  expect(at(await door.sentFor('responses', CLAUDE, { input }), 'messages')).toMatchObject([
    { role: 'user', content: [{ text: 'draw' }, { type: 'image' }, { text: 'again' }] },
  ]);
});

test('an image of megabytes is not cut', async () => {
  const data = PNG + 'A'.repeat(3_000_000);
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: data };
  const sent = await door.sentFor('responses', GEMINI, { input: [asked, item, again] });
  expect(at(sent, 'contents.1.parts.0.inlineData.data') === data).toBe(true);
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }];
  const chat = await door.sentFor('chat-completions', GEMINI_3, dialogue({ content: '', images }));
  expect(at(chat, 'contents.1.parts.0.inlineData.data') === data).toBe(true);
});

test.each([
  [
    ['text', 'image'],
    ['TEXT', 'IMAGE'],
  ],
  [
    ['image', 'text'],
    ['TEXT', 'IMAGE'],
  ],
  [['image'], ['IMAGE']],
])('`modalities` %j asks Gemini for %j', async (modalities, responseModalities) => {
  const image_config = { aspect_ratio: '16:9', image_size: '2K' };
  const sent = await door.sentFor('chat-completions', GEMINI, { modalities, image_config });
  expect(sent['generationConfig']).toMatchObject({
    responseModalities,
    imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
  });
  expect(sent['image_config']).toBeUndefined();
  expect(sent['modalities']).toBeUndefined();
});

test('other vendors, which draw nothing, are not asked for images beside a text, and images alone are a 400', async () => {
  const both = { modalities: ['text', 'image'], image_config: { aspect_ratio: '1:1' } };
  const sent = await door.sentFor('chat-completions', CLAUDE, both);
  expect(sent).not.toHaveProperty('modalities');
  expect(sent).not.toHaveProperty('image_config');
  const { status, json: error } = await door.whole('chat-completions', CLAUDE, { modalities: ['image'] });
  expect(status).toBe(400);
  expect(at(error, 'error.param')).toBe('modalities');
});
