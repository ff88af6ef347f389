/** Checklist, section 2: images of messages and of results. */

import { describe, expect, test } from 'vitest';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { type FormatName, type TranslatedRequest, translateRequest } from '../../src/translate/index.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  GEMINI,
  GEMINI_3,
  OPENAI,
  QWEN,
  RESPONDER,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

const PNG = 'iVBORw0KGgo=';
const shot = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };

describe('checklist 22: images of messages and of results reach every vendor', () => {
  const URL_ = 'https://example.com/cat.png';
  /** How an image is written: as data, and as a URL. */
  const written: Readonly<Record<Caller, (source: 'data' | 'url') => JsonObject>> = {
    'chat-completions': (source) => ({
      type: 'image_url',
      image_url: { url: source === 'url' ? URL_ : `data:image/png;base64,${PNG}` },
    }),
    responses: (source) => ({
      type: 'input_image',
      image_url: source === 'url' ? URL_ : `data:image/png;base64,${PNG}`,
    }),
    messages: (source) => (source === 'url' ? { type: 'image', source: { type: 'url', url: URL_ } } : shot),
  };
  /** The image as each vendor must get it. */
  const expected: Readonly<Record<string, (source: 'data' | 'url') => JsonObject>> = {
    [CLAUDE]: written.messages,
    [GEMINI]: (source) =>
      source === 'url'
        ? { fileData: { mimeType: 'image/png', fileUri: URL_ } }
        : { inlineData: { mimeType: 'image/png', data: PNG } },
    [GEMINI_3]: (source) => expected[GEMINI]?.(source) ?? {},
    [OPENAI]: written['chat-completions'],
    [QWEN]: written['chat-completions'],
    // The detail is always set: some services of this format reject an image without it.
    [RESPONDER]: (source) => ({ ...written.responses(source), detail: 'auto' }),
  };
  const asked = (from: Caller, image: JsonObject): JsonObject => {
    const said = { type: from === 'responses' ? 'input_text' : 'text', text: 'What is it?' };
    const turn = { role: 'user', content: [said, image] };
    return from === 'responses' ? { input: [turn] } : { messages: [turn] };
  };
  const answered = (from: Caller, image: JsonObject): JsonObject => {
    if (from === 'responses') {
      const output = [{ type: 'input_text', text: 'seen' }, image];
      return {
        input: [
          { role: 'user', content: 'Go.' },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output },
        ],
      };
    }
    const content = [{ type: 'text', text: 'seen' }, image];
    if (from === 'messages') {
      return {
        messages: [
          { role: 'user', content: 'Go.' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content }] },
        ],
      };
    }
    return {
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content },
      ],
    };
  };
  const native: Readonly<Record<Caller, readonly string[]>> = {
    'chat-completions': [OPENAI, QWEN],
    responses: [OPENAI, RESPONDER],
    messages: [CLAUDE],
  };
  const ways = CALLERS.flatMap((from) =>
    Object.keys(expected)
      .filter((model) => !native[from].includes(model))
      .flatMap((model) => (['data', 'url'] as const).map((source) => ({ from, model, source }))),
  );

  test.each(ways)('checklist 22: $from to $model, by its $source', async ({ from, model, source }) => {
    const image = expected[model]?.(source);
    const message = await sentFor(from, model, asked(from, written[from](source)));
    expect(objectsIn(message)).toContainEqual(image);
    const toolResult = await sentFor(from, model, answered(from, written[from](source)));
    expect(objectsIn(toolResult)).toContainEqual(image);
    expect(JSON.stringify(toolResult)).not.toContain('[object');
    // As a separate object, never as text that describes it.
    expect(JSON.stringify(toolResult)).not.toContain('\\"source\\"');
    // A function response may contain data, but no URL (Gemini API reference, "FunctionResponsePart").
    for (const { functionResponse } of objectsIn(toolResult).filter(hasResponse)) {
      expect(JSON.stringify(functionResponse)).not.toContain('fileData');
    }
  });

  test.each(ways.filter(({ from }) => from === 'messages'))(
    'checklist 22: in a document of $from to $model, by its $source, beside all its words',
    async ({ model, source }) => {
      const content = [written.messages(source), { type: 'text', text: 'a cat' }];
      const page = { type: 'document', title: 'Page 1', context: 'drawn in 1901' };
      const document = { ...page, source: { type: 'content', content } };
      const message = await sentFor('messages', model, asked('messages', document));
      const result = await sentFor('messages', model, answered('messages', document));
      for (const sent of [message, result]) {
        expect(objectsIn(sent)).toContainEqual(expected[model]?.(source));
        for (const words of ['Page 1', 'drawn in 1901', 'a cat'])
          expect(JSON.stringify(sent)).toContain(words);
      }
    },
  );
});

function hasResponse(value: unknown): value is { functionResponse: unknown } {
  return typeof value === 'object' && value !== null && 'functionResponse' in value;
}

/** Every object in a value. */
function objectsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

test.each([GEMINI, OPENAI, QWEN, RESPONDER])(
  'checklist 22: to %s the title of a document comes before it',
  async (model) => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Dear all' };
    const document = { type: 'document', title: 'Mail', context: 'from the board', source };
    const sent = JSON.stringify(
      await sentFor('messages', model, { messages: [{ role: 'user', content: [document] }] }),
    );
    expect(sent).toMatch(/from the board.*(?:Dear all|RGVhciBhbGw)/);
  },
);

describe('checklist 248: an empty image is rejected before any vendor is asked', () => {
  const empty: Readonly<Record<Caller, JsonObject>> = {
    'chat-completions': { type: 'image_url', image_url: {} },
    responses: { type: 'input_image' },
    messages: { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
  };
  const place: Readonly<Record<Caller, RegExp>> = {
    'chat-completions': /messages\[0\]\.content\[0\]\.image_url\.url/,
    responses: /input\[0\]\.content\[0\]\.image_url/,
    messages: /messages\.0\.content\.0\.image\.source\.base64\.data: Field required/,
  };

  test.each(
    CALLERS.flatMap((from) => [CLAUDE, GEMINI, QWEN].map((model) => [from, model] as const)).filter(
      ([from, model]) =>
        !(from === 'messages' && model === CLAUDE) && !(from !== 'messages' && model === QWEN),
    ),
  )('checklist 248: %s to %s', async (from, model) => {
    const field = from === 'responses' ? 'input' : 'messages';
    const body = { [field]: [{ role: 'user', content: [empty[from]] }] };
    const { status, text } = await door.whole(from, model, body);
    expect([status, door.upstream().received]).toEqual([400, []]);
    expect(text).toMatch(place[from]);
  });
});

describe('checklist 23: a URL that the vendor cannot open', () => {
  test.each(['file:///etc/passwd', 'gs://bucket/cat.png', 'ftp://example.com/cat.png', 'cat.png'])(
    'checklist 23: %s is a 400 that says so, if the vendor accepts only http',
    async (url) => {
      const content = [{ type: 'image_url', image_url: { url } }];
      const { status, json: body } = await door.whole('chat-completions', CLAUDE, {
        messages: [{ role: 'user', content }],
      });
      expect(status).toBe(400);
      expect(at(body, 'error.message')).toMatch(/URL/);
      expect(door.upstream().received).toHaveLength(0);
    },
  );

  test('checklist 23: audio by URL is a 400 if the vendor does not accept it', async () => {
    const { status } = await door.whole('chat-completions', CLAUDE, {
      messages: [
        { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      ],
    });
    expect(status).toBe(400);
    expect(door.upstream().received).toHaveLength(0);
  });
});

describe('checklist 212: the name of a file tells its type if its media type is generic', () => {
  const text = Buffer.from('a,b\n').toString('base64');
  const asked = (from: Caller, file: JsonObject): JsonObject =>
    from === 'responses'
      ? { input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] }
      : { messages: [{ role: 'user', content: [{ type: 'file', file }] }] };

  describe.each(['chat-completions', 'responses'] as const)('%s', (from) => {
    test.each([
      ['table.csv', `data:application/octet-stream;base64,${text}`, 'text/csv'],
      ['table.CSV', text, 'text/csv'],
      ['main.py', `data:application/octet-stream;base64,${text}`, 'text/plain'],
    ])('checklist 212: %s, %s', async (filename, file_data, mimeType) => {
      const body = asked(from, { filename, file_data });
      expect(objectsIn(await sentFor(from, GEMINI, body))).toContainEqual({
        inlineData: { mimeType, data: text },
      });
      expect(objectsIn(await sentFor(from, CLAUDE, body))).toContainEqual(
        expect.objectContaining({ source: { type: 'text', media_type: 'text/plain', data: 'a,b\n' } }),
      );
    });

    test('checklist 212: a Word file is no PDF', async () => {
      const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
      const data = 'UEsDBBQABg==';
      for (const file_data of [data, `data:application/octet-stream;base64,${data}`]) {
        const sent = await sentFor(from, GEMINI, asked(from, { filename: 'a.docx', file_data }));
        expect(objectsIn(sent)).toContainEqual({ inlineData: { mimeType, data } });
      }
    });

    test('checklist 212: unless its data shows another type', async () => {
      const data = 'JVBERi0xLjQ=';
      const body = asked(from, {
        filename: 'a.txt',
        file_data: `data:application/octet-stream;base64,${data}`,
      });
      const pdf = { inlineData: { mimeType: 'application/pdf', data } };
      expect(objectsIn(await sentFor(from, GEMINI, body))).toContainEqual(pdf);
    });
  });
});

describe('checklist 22: the media type decides what a file in the field of another medium is', () => {
  const PDF = 'JVBERi0xLjQ=';
  const url = `data:application/pdf;base64,${PDF}`;
  const places: Readonly<Record<string, readonly [Caller, JsonObject]>> = {
    image_url: ['chat-completions', { type: 'image_url', image_url: { url } }],
    input_image: ['responses', { type: 'input_image', image_url: url }],
  };
  const asked = (from: Caller, part: JsonObject): JsonObject => ({
    [from === 'responses' ? 'input' : 'messages']: [{ role: 'user', content: [part] }],
  });

  test.each(Object.keys(places))('checklist 22: a PDF as %s is a document', async (place) => {
    const [from, part] = places[place] ?? [];
    if (from === undefined || part === undefined) throw new Error(place);
    expect(objectsIn(await sentFor(from, CLAUDE, asked(from, part)))).toContainEqual({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: PDF },
    });
    expect(objectsIn(await sentFor(from, GEMINI, asked(from, part)))).toContainEqual({
      inlineData: { mimeType: 'application/pdf', data: PDF },
    });
  });

  test('checklist 22: an image sent as a file is an image', async () => {
    const file = { filename: 'cat.png', file_data: `data:image/png;base64,${PNG}` };
    const sent = await sentFor('chat-completions', CLAUDE, asked('chat-completions', { type: 'file', file }));
    expect(objectsIn(sent)).toContainEqual(shot);
  });

  test.each([
    'application/json',
    'application/ld+json',
    'application/xml',
    'application/x-yaml; charset=utf-8',
    'application/javascript',
  ])('checklist 22: %s is sent as text to vendors that do not know the type', async (type) => {
    const text = Buffer.from('{"a":1}').toString('base64');
    const file = { filename: 'a', file_data: `data:${type};base64,${text}` };
    const chat = asked('chat-completions', { type: 'file', file });
    expect(objectsIn(await sentFor('chat-completions', GEMINI, chat))).toContainEqual({
      inlineData: { mimeType: 'text/plain', data: text },
    });
    const item = asked('responses', { type: 'input_file', ...file });
    expect(objectsIn(await sentFor('responses', CLAUDE, item))).toContainEqual(
      expect.objectContaining({ source: { type: 'text', media_type: 'text/plain', data: '{"a":1}' } }),
    );
  });

  /** As Alibaba's models accept it. */
  test.each<[string, JsonObject]>([
    ['data:;base64,SUQz', { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } }],
    ['data:audio/mpeg;base64,SUQz', { inlineData: { mimeType: 'audio/mpeg', data: 'SUQz' } }],
    [
      'https://example.com/a.mp3',
      { fileData: { mimeType: 'audio/mp3', fileUri: 'https://example.com/a.mp3' } },
    ],
  ])('checklist 22: audio by URL: %s', async (data, sent) => {
    const part = { type: 'input_audio', input_audio: { data, format: 'mp3' } };
    for (const from of ['chat-completions', 'responses'] as const) {
      expect(objectsIn(await sentFor(from, GEMINI, asked(from, part)))).toContainEqual(sent);
    }
  });
});

describe('checklist 257: the detail of an image reaches every vendor that has a field for it', () => {
  const look = (detail: string): JsonObject => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail } }],
      },
    ],
  });

  test('checklist 257: of Gemini, from 3 on', async () => {
    const at3 = await sentFor('chat-completions', GEMINI_3, look('low'));
    expect(at(at3, 'contents.0.parts.0.mediaResolution')).toEqual({ level: 'MEDIA_RESOLUTION_LOW' });
    const before = await sentFor('chat-completions', GEMINI, look('low'));
    expect(at(before, 'contents.0.parts.0')).not.toHaveProperty('mediaResolution');
    const auto = await sentFor('chat-completions', GEMINI_3, look('auto'));
    expect(at(auto, 'contents.0.parts.0')).not.toHaveProperty('mediaResolution');
  });

  test('checklist 257: of GPT, by those who speak to Gemini', () => {
    const part = { inlineData: { mimeType: 'image/png', data: PNG } };
    const mediaResolution = { level: 'MEDIA_RESOLUTION_LOW' };
    const body = { contents: [{ role: 'user', parts: [{ ...part, mediaResolution }] }] };
    const prompt = formats['generate-content'].inbound.parseRequest(body, unreported);
    const sent = formats.responses.outbound.renderRequest(prompt, PERMISSIVE, unreported);
    expect(at(sent, 'input.0.content.0')).toMatchObject({ type: 'input_image', detail: 'low' });
    const back = formats['generate-content'].outbound.renderRequest(prompt, PERMISSIVE, unreported);
    expect(back).toMatchObject(body);
  });

  describe('checklist 257: of the whole request, by those who speak to Gemini', () => {
    const image = { inlineData: { mimeType: 'image/png', data: PNG } };
    const own = (level: string): JsonObject => ({ ...image, mediaResolution: { level } });
    const result = { functionResponse: { name: 'look', response: { output: 'here' }, parts: [image] } };
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_LOW' };
    const asked = (...parts: readonly JsonObject[]): JsonObject => ({
      contents: [
        { role: 'user', parts: [{ text: 'Look.' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
        { role: 'user', parts },
      ],
      generationConfig,
    });
    const translated = (
      to: FormatName,
      model: string,
      body: JsonObject,
      from: FormatName = 'generate-content',
    ): TranslatedRequest => translateRequest({ from, to, model, body });

    test('it is the detail of images without their own, also of those in results', () => {
      const body = asked(result, image, own('MEDIA_RESOLUTION_HIGH'), own('MEDIA_RESOLUTION_MEDIUM'));
      const { body: sent, notes } = translated('responses', 'gpt-6-luna', body);
      expect(at(sent, 'input.2.output.1')).toMatchObject({ type: 'input_image', detail: 'low' });
      expect(at(sent, 'input.3.content')).toMatchObject([
        { detail: 'low' },
        { detail: 'high' },
        { detail: 'auto' },
      ]);
      expect(notes).toEqual([
        {
          field: 'contents[].mediaResolution',
          outcome: 'dropped',
          detail: 'part of generate-content, and not translated here',
        },
      ]);
    });

    test('a format without a detail says so', () => {
      const { notes } = translated('messages', 'claude-sonnet-5-5', asked(result, image));
      expect(notes.map(({ field, outcome }) => [field, outcome])).toContainEqual([
        'contents[].mediaResolution',
        'dropped',
      ]);
      expect(notes.map(({ field }) => field)).not.toContain('generationConfig.mediaResolution');
    });

    test('without images it is dropped, and Gemini itself gets it back', () => {
      const { notes } = translated('chat-completions', 'gpt-6-luna', asked({ text: 'Hm.' }));
      expect(notes.map(({ field }) => field)).toContain('generationConfig.mediaResolution');
      for (const part of [image, { text: 'Hm.' }]) {
        const prompt = formats['generate-content'].inbound.parseRequest(asked(part), unreported);
        const back = formats['generate-content'].outbound.renderRequest(prompt, PERMISSIVE, unreported);
        expect(back).toMatchObject({ generationConfig });
      }
    });
  });
});
