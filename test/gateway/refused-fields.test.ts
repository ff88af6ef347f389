/** A setting that a model cannot accept is refused by the caller's own field, not by another format's. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
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
beforeEach(() => void upstream.received.splice(0));
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
const stops = Array.from({ length: 65 }, (_, at) => `END ${at}`);
const video = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } };
const file = { type: 'input_file', file_id: 'file-1' };
const uploaded = { type: 'image', source: { type: 'file', file_id: 'file_1' } };

test.each<[string, string, JsonObject, string]>([
  ['more answers than one of Claude', CHAT, { model: CLAUDE, n: 2, ...said }, 'n'],
  [
    'the same in Google’s format',
    google(CLAUDE),
    { contents, generationConfig: { candidateCount: 2 } },
    'generationConfig.candidateCount',
  ],
  [
    'the same in Python spelling',
    google(CLAUDE),
    { contents, generation_config: { candidateCount: 2 } },
    'generation_config.candidateCount',
  ],
  ['more answers than Gemini gives', CHAT, { model: GEMINI, n: 9, ...said }, 'n'],
  ['more stop sequences than are looked for', CHAT, { model: GEMINI, stop: stops, ...said }, 'stop'],
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
  ['the same in Python spelling', google(GPT), { contents, cached_content: 'x' }, 'cached_content'],
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
  [
    'a form of sound and none of text',
    google(GPT),
    { contents, generationConfig: { responseFormat: [{ audio: { mimeType: 'audio/wav' } }] } },
    'generationConfig.responseFormat',
  ],
  [
    'the same in Python spelling',
    google(CLAUDE),
    { contents, generation_config: { response_format: { image: { aspect_ratio: '1:1' } } } },
    'generation_config.response_format',
  ],
  ['sound and no text', CHAT, { model: CLAUDE, modalities: ['audio'], ...said }, 'modalities'],
])('%s', async (_, path, body, field) => {
  const { status, error } = await ask(path, body);
  expect(status).toBe(400);
  const violations = asObjects(error['details']).flatMap((detail) => asObjects(detail['fieldViolations']));
  expect(path.startsWith('/v1beta') ? violations[0]?.['field'] : error['param']).toBe(field);
  expect(upstream.received).toHaveLength(0);
});

test.each<[string, JsonObject]>([
  ['beside a form of text', { responseFormat: [{ text: { mimeType: 'text/plain' } }, { audio: {} }] }],
  ['beside an unknown form of text', { responseFormat: [{ text: { mimeType: 'text/csv' } }, { audio: {} }] }],
  ['beside the older form', { responseMimeType: 'application/json', responseFormat: [{ audio: {} }] }],
  ['where text is asked for', { responseModalities: ['TEXT'], responseFormat: [{ audio: {} }] }],
  ['without any kind', { responseFormat: [{}] }],
])('a form of sound does not hinder an answer in text: %s', async (_, generationConfig) => {
  await ask(google(CLAUDE), { contents, generationConfig });
  expect(upstream.received).not.toHaveLength(0);
});

/** The settings in the four formats: the caller's field and the body; a format that cannot express one is absent. */
type Wish = Readonly<Record<string, Partial<Record<Caller, readonly [field: string, body: JsonObject]>>>>;
type Caller = 'chat' | 'responses' | 'messages' | 'google';

const inChat = (part: JsonObject): readonly [string, JsonObject] => [
  'messages',
  { messages: [{ role: 'user', content: [part] }] },
];
const inInput = (part: JsonObject): readonly [string, JsonObject] => [
  'input',
  { input: [{ role: 'user', content: [part] }] },
];
const inMessages = (part: JsonObject): readonly [string, JsonObject] => [
  'messages',
  { max_tokens: 9, messages: [{ role: 'user', content: [part] }] },
];
const inContents = (part: JsonObject): readonly [string, JsonObject] => [
  'contents',
  { contents: [{ role: 'user', parts: [part] }] },
];
const DATA = 'AAAAAAAA';
const ZIP = 'UEsDBAoAAAAA';
const zip = { file_data: `data:application/zip;base64,${ZIP}`, filename: 'a.zip' };
const image = { type: 'image_url', image_url: { url: 'https://images.example/a.png' } };
const contentsIn = (more: JsonObject): JsonObject => ({ contents, ...more });

const WISHES: Wish = {
  'several answers': {
    chat: ['n', { n: 2, ...said }],
    google: ['generationConfig.candidateCount', contentsIn({ generationConfig: { candidateCount: 2 } })],
  },
  'more answers than nine': {
    chat: ['n', { n: 9, ...said }],
  },
  '65 stop sequences': {
    chat: ['stop', { stop: stops, ...said }],
    messages: ['stop_sequences', { max_tokens: 9, stop_sequences: stops, ...said }],
  },
  'a video': {
    chat: inChat({ type: 'video_url', video_url: { url: 'https://films.example/a.mp4' } }),
    google: inContents(video),
  },
  sound: {
    chat: inChat({ type: 'input_audio', input_audio: { data: DATA, format: 'wav' } }),
    responses: inInput({ type: 'input_audio', input_audio: { data: DATA, format: 'wav' } }),
    google: inContents({ inlineData: { mimeType: 'audio/wav', data: DATA } }),
  },
  'sound at an address': {
    google: inContents({ fileData: { mimeType: 'audio/wav', fileUri: 'https://sounds.example/a.wav' } }),
  },
  'a document at an address': {
    messages: inMessages({ type: 'document', source: { type: 'url', url: 'https://papers.example/a.pdf' } }),
    responses: inInput({ type: 'input_file', file_url: 'https://papers.example/a.pdf' }),
  },
  'an image of a type that few have': {
    chat: inChat({ type: 'image_url', image_url: { url: `data:image/tiff;base64,${DATA}` } }),
    responses: inInput({ type: 'input_image', image_url: `data:image/tiff;base64,${DATA}` }),
    google: inContents({ inlineData: { mimeType: 'image/tiff', data: DATA } }),
  },
  'an archive': {
    chat: inChat({ type: 'file', file: zip }),
    responses: inInput({ type: 'input_file', ...zip }),
    google: inContents({ inlineData: { mimeType: 'application/zip', data: ZIP } }),
  },
  'an image at no address': {
    chat: inChat({ type: 'image_url', image_url: { url: 'ftp://images.example/a.png' } }),
    responses: inInput({ type: 'input_image', image_url: 'ftp://images.example/a.png' }),
    google: inContents({ fileData: { mimeType: 'image/png', fileUri: 'ftp://images.example/a.png' } }),
  },
  'a file in a store': {
    chat: inChat({ type: 'file', file: { file_id: 'file-1' } }),
    responses: inInput(file),
    messages: inMessages(uploaded),
    google: inContents({ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a.png' } }),
  },
  'an image of the system’s': {
    chat: [
      'messages',
      {
        messages: [
          { role: 'system', content: [image] },
          { role: 'user', content: 'Hi.' },
        ],
      },
    ],
    responses: [
      'input',
      {
        input: [
          { role: 'system', content: [{ type: 'input_image', image_url: 'https://images.example/a.png' }] },
          { role: 'user', content: 'Hi.' },
        ],
      },
    ],
    google: [
      'contents',
      contentsIn({ systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: DATA } }] } }),
    ],
  },
};

/** The model that refuses each of them. */
const MISTRAL = 'mistralai/mistral-medium-3-5';
/** A model that is reached through responses. */
const THINKER = 'openai/gpt-5.4';
const REFUSED: readonly (readonly [wish: string, model: string])[] = [
  ['several answers', CLAUDE],
  ['more answers than nine', GEMINI],
  ['65 stop sequences', GEMINI],
  ['a video', CLAUDE],
  ['a video', GPT],
  ['a video', THINKER],
  ['sound', CLAUDE],
  ['sound', THINKER],
  ['sound at an address', MISTRAL],
  ['an image of a type that few have', CLAUDE],
  ['an archive', CLAUDE],
  ['an image at no address', CLAUDE],
  ['a file in a store', CLAUDE],
  ['a file in a store', GPT],
  ['a file in a store', THINKER],
  ['a file in a store', GEMINI],
  ['a file in a store', MISTRAL],
  ['an image of the system’s', CLAUDE],
];

/** The native format of each vendor; its callers get the vendor's own errors. */
const NATIVE: Readonly<Record<string, readonly Caller[]>> = {
  [CLAUDE]: ['messages'],
  [GPT]: ['chat', 'responses'],
  [THINKER]: ['chat', 'responses'],
  [GEMINI]: ['google'],
  // The service also has responses, if it supports everything in the request.
  [MISTRAL]: ['chat', 'responses'],
};

const rows = REFUSED.flatMap(([wish, model]) =>
  (['chat', 'responses', 'messages', 'google'] as const).flatMap((caller) => {
    const told = NATIVE[model]?.includes(caller) ? undefined : WISHES[wish]?.[caller];
    return told === undefined ? [] : [{ wish, model, caller, field: told[0], body: told[1] }];
  }),
);

test.each(rows)(
  '$wish is refused for $model in the format of $caller',
  async ({ model, caller, field, body }) => {
    const path = { chat: CHAT, responses: RESPONSES, messages: '/v1/messages', google: google(model) }[
      caller
    ];
    const { status, error } = await ask(path, caller === 'google' ? body : { model, ...body });
    expect([status, fieldOf(error, caller)]).toEqual([400, caller === 'messages' ? undefined : field]);
    // Anthropic's errors have no field for the parameter: the sentence names no other format's field.
    const own = new Set(Object.keys(body));
    const others = FIELDS.filter((name) => !own.has(name) && asText(error['message'])?.includes(name));
    expect(others).toEqual([]);
    expect(upstream.received).toHaveLength(0);
  },
);

/** Fields that no two formats have in common, and those of the prompt itself. */
const FIELDS = [
  'candidateCount',
  'stop_sequences',
  'stopSequences',
  'turns',
  'choices',
  'contents',
  'generationConfig',
];

function fieldOf(error: JsonObject, caller: Caller): string | undefined {
  if (caller !== 'google') return asText(error['param']);
  const violations = asObjects(error['details']).flatMap((detail) => asObjects(detail['fieldViolations']));
  return asText(violations[0]?.['field']);
}

test('nor does a sentence name a field that its caller does not have', async () => {
  const many = { model: GEMINI, max_tokens: 9, stop_sequences: stops, ...said };
  const foreign = { model: GPT, max_tokens: 9, messages: [{ role: 'user', content: [uploaded] }] };
  const two = { contents, generationConfig: { candidateCount: 2 } };
  const told = [
    await ask('/v1/messages', many),
    await ask('/v1/messages', foreign),
    await ask(google(CLAUDE), two),
  ].map(({ error }) => asText(error['message']));
  expect(told).toEqual([
    expect.stringMatching(/^This model accepts at most 64 stop sequences\.$/),
    expect.stringContaining("another vendor's file store"),
    'This model gives one answer at a time: no more can be asked for.',
  ]);
});

async function ask(path: string, body: JsonObject): Promise<{ status: number; error: JsonObject }> {
  const response = await postJson(gateway.url + path, body);
  const answer = asObject(parseJson(await response.text()));
  return { status: response.status, error: asObject(answer?.['error']) ?? {} };
}
