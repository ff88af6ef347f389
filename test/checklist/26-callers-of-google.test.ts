/** Checklist, section 26: what callers of generate-content get of other vendors' models, and send back. */

import { describe, expect, test } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import { decodeSse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { KEY } from '../support/gateway.ts';
import { turnOf, turnOfStream } from './client.ts';
import {
  at,
  type Both,
  CALLERS,
  CLAUDE_ADAPTIVE,
  chatStream,
  chunk,
  claudeBoth,
  completion,
  GEMINI_3,
  geminiBoth,
  json,
  listAt,
  OPENAI,
  QWEN,
  useDoor,
} from './support.ts';

const door = useDoor({ generateContent: { models: 'all' } });
const MODES = ['whole', 'stream'] as const;
type Mode = (typeof MODES)[number];

/** The chunks of an answer, which keep the protocol; a whole answer is one. */
async function chunksOf(model: string, mode: Mode, body: JsonObject): Promise<readonly JsonObject[]> {
  const method = mode === 'whole' ? 'generateContent' : 'streamGenerateContent?alt=sse';
  const response = await fetch(`${door.url()}/v1beta/models/${model}:${method}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  if (mode === 'whole') {
    const whole = asObject(parseJson(text)) ?? {};
    expect(RULEBOOKS['generate-content'].whole(whole).violations, text).toEqual([]);
    return [whole];
  }
  const events = run(decodeSse(), [new TextEncoder().encode(text)]);
  const judge = validator('generate-content');
  for (const event of events) judge.add(event);
  expect(judge.end(), text).toEqual([]);
  return events.map(({ data }) => asObject(parseJson(data)) ?? {});
}

const partsOf = (chunks: readonly JsonObject[]): readonly JsonObject[] =>
  chunks.flatMap((said) => asObjects(at(said, 'candidates.0.content.parts')));

const asked = { role: 'user', parts: [{ text: 'x' }] };
const functionDeclarations = [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }];

test.each([OPENAI, CLAUDE_ADAPTIVE, QWEN])(
  'checklist 82: values to choose from are of their type for %s, though Google writes them as texts',
  async (model) => {
    const properties = {
      floor: { type: 'INTEGER', format: 'enum', enum: ['101', '201'] },
      ratio: { type: 'NUMBER', format: 'enum', enum: ['0.5', '1e400'], nullable: true },
      open: { type: 'BOOLEAN', enum: ['true'] },
      word: { type: 'STRING', format: 'enum', enum: ['1', 'true'] },
    };
    door.answers((_, response) => response.writeHead(418).end('{}'));
    await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
      method: 'POST',
      body: JSON.stringify({
        contents: [asked],
        tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties } }] }],
      }),
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    });
    const sent = at(door.sent(), 'tools.0');
    expect(
      at(sent, 'input_schema') ?? at(sent, 'parameters') ?? at(sent, 'function.parameters'),
    ).toMatchObject({
      properties: {
        floor: { type: 'integer', enum: [101, 201] },
        ratio: { enum: [0.5, '1e400', null] },
        open: { type: 'boolean', enum: [true] },
        word: { type: 'string', enum: ['1', 'true'] },
      },
    });
  },
);

/** The last chunk of a chat completion. */
const USED = {
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
};

const thinks = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

/** Go's and Java's clients lose a whole answer otherwise, and Python's raises. */
const isBytes = (text: Json | undefined): boolean =>
  typeof text === 'string' && Buffer.from(text, 'base64').toString('base64') === text;

const thinking = { type: 'thinking', thinking: 'hm', signature: 'EqUDCkYICxgCKkDN' };
const text = { type: 'text', text: 'hi' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };

describe('checklist 310: every signature is bytes in base64, and holds what comes back', () => {
  const answers: [name: string, said: Both, sent: readonly JsonObject[]][] = [
    ['a thought', claudeBoth([thinking, text], 'end_turn'), [thinking, text]],
    [
      'redacted thinking',
      claudeBoth([{ type: 'redacted_thinking', data: 'EmwK-_' }, text], 'end_turn'),
      [{ type: 'redacted_thinking', data: 'EmwK-_' }, text],
    ],
    [
      'thoughts and redacted thinking before a call',
      claudeBoth(
        [thinking, { type: 'redacted_thinking', data: 'EmwK' }, { ...thinking, thinking: 'so' }, use],
        'tool_use',
      ),
      [thinking, { type: 'redacted_thinking', data: 'EmwK' }, { ...thinking, thinking: 'so' }, use],
    ],
    [
      'a thought between calls',
      claudeBoth([thinking, use, { ...thinking, thinking: 'so' }, { ...use, id: 'toolu_2' }], 'tool_use'),
      // Claude's calls are the last blocks of a turn.
      [thinking, { ...thinking, thinking: 'so' }, use, { ...use, id: 'toolu_2' }],
    ],
  ];
  test.each(answers.flatMap(([name, said, sent]) => MODES.map((mode) => ({ name, said, sent, mode }))))(
    'checklist 310: $name, $mode',
    async ({ said, sent, mode }) => {
      const body = { contents: [asked], tools: [{ functionDeclarations }], ...thinks };
      door.answers(said[mode]);
      const chunks = await chunksOf(CLAUDE_ADAPTIVE, mode, body);
      const parts = partsOf(chunks);
      const signed = parts.filter((part) => part['thoughtSignature'] !== undefined);
      expect(signed.length).toBeGreaterThan(0);
      for (const part of signed) expect(isBytes(part['thoughtSignature'])).toBe(true);
      const results = parts.flatMap(({ functionCall: call }) => {
        const { id = '', name = '' } = asObject(call) ?? {};
        return call ? [{ functionResponse: { id, name, response: { output: 'r' } } }] : [];
      });
      const next = { role: 'user', parts: results.length > 0 ? results : [{ text: 'y' }] };
      // As one content, and as the chats of the SDKs keep a stream: a content for each chunk.
      const contents = asObjects(chunks.map((told) => at(told, 'candidates.0.content') ?? null));
      const ways: readonly (readonly JsonObject[])[] = [[{ role: 'model', parts }], contents];
      for (const kept of ways) {
        door.answers(said.whole);
        await chunksOf(CLAUDE_ADAPTIVE, 'whole', { ...body, contents: [asked, ...kept, next] });
        expect(at(door.sent(), 'messages.1.content')).toEqual(sent);
      }
    },
  );

  test.each(['anthropic#EqUDCkYICxgCKkDN', 'YW50aHJvcGljI0VxVURDa1lJQ3hnQ0trRE4='])(
    'checklist 310: one that was written before is read as ever, %s',
    async (thoughtSignature) => {
      const model = {
        role: 'model',
        parts: [{ text: 'hm', thought: true, thoughtSignature }, { text: 'hi' }],
      };
      door.answers(claudeBoth([text], 'end_turn').whole);
      await chunksOf(CLAUDE_ADAPTIVE, 'whole', { contents: [asked, model, asked], ...thinks });
      expect(at(door.sent(), 'messages.1.content')).toEqual([thinking, text]);
    },
  );
});

describe('checklist 311: in a stream the signature of a thought is on the next text or call', () => {
  const answers: [name: string, blocks: readonly JsonObject[], carrier: JsonObject][] = [
    ['a call', [thinking, use], { functionCall: { id: 'toolu_1', name: 'f', args: {} } }],
    ['a text', [thinking, text], { text: 'hi' }],
  ];
  test.each(answers)('checklist 311: on %s', async (_, blocks, carrier) => {
    door.answers(claudeBoth(blocks, 'end_turn').stream);
    const body = { contents: [asked], tools: [{ functionDeclarations }], ...thinks };
    const parts = partsOf(await chunksOf(CLAUDE_ADAPTIVE, 'stream', body));
    const signed = parts.filter((part) => part['thoughtSignature'] !== undefined);
    expect(signed).toEqual([{ ...carrier, thoughtSignature: expect.any(String) }]);
    expect(parts[0]).toEqual({ text: 'hm', thought: true });
  });

  test('checklist 311: an answer that ends with a call ends without an empty text', async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    door.answers(chatStream(chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), USED));
    const body = { contents: [asked], tools: [{ functionDeclarations }] };
    const chunks = await chunksOf(QWEN, 'stream', body);
    expect(partsOf(chunks)).toEqual([{ functionCall: { id: 'call_1', name: 'f', args: {} } }]);
    expect(at(chunks.at(-1), 'candidates.0.finishReason')).toBe('STOP');
  });

  // `{"text":""}` is `{}` where Go sends it back.
  test('checklist 311: a part without anything, as Go sends back the end of a stream, is no error', async () => {
    const contents = [
      asked,
      { role: 'model', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{}] },
      asked,
    ];
    door.answers(claudeBoth([text], 'end_turn').whole);
    await chunksOf(CLAUDE_ADAPTIVE, 'whole', { contents });
    expect(at(door.sent(), 'messages.1.content')).toEqual([text]);
  });
});

describe('checklist 312: a response with an id answers the call of its name that has none', () => {
  const contents = [
    asked,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'abc', name: 'f', response: { result: 1 } } }] },
  ];
  const vendors: [name: string, model: string, said: Both, call: string, result: string][] = [
    [
      'chat-completions',
      OPENAI,
      {
        whole: json(completion({ content: 'ok' }, 'stop')),
        stream: chatStream(chunk({ content: 'ok' }), chunk({}, 'stop'), USED),
      },
      'messages.1.tool_calls.0.id',
      'messages.2.tool_call_id',
    ],
    [
      'messages',
      CLAUDE_ADAPTIVE,
      claudeBoth([text], 'end_turn'),
      'messages.1.content.0.id',
      'messages.2.content.0.tool_use_id',
    ],
  ];
  test.each(vendors.flatMap((vendor) => MODES.map((mode) => [...vendor, mode] as const)))(
    'checklist 312: to %s (%s)',
    async (_, model, said, call, result, mode) => {
      door.answers(said[mode]);
      await chunksOf(model, mode, { contents, tools: [{ functionDeclarations }] });
      expect(at(door.sent(), call)).toMatch(/^\w+$/);
      expect(at(door.sent(), result)).toBe(at(door.sent(), call));
    },
  );
});

describe('checklist 313: a citation without offsets has the place of its text, in every format', () => {
  const source = {
    type: 'web_search_result_location',
    cited_text: 'Ä (lower case ä)',
    url: 'https://e.example/',
    title: 'E',
    encrypted_index: 'abc',
  };
  const said = claudeBoth(
    [
      { type: 'text', text: 'I looked. ' },
      { type: 'text', text: 'Ä is a letter', citations: [source] },
      { type: 'text', text: '.' },
    ],
    'end_turn',
  );

  test.each(MODES)(
    'checklist 313: generate-content, in bytes, with the words of the answer (%s)',
    async (mode) => {
      door.answers(said[mode]);
      const chunks = await chunksOf(CLAUDE_ADAPTIVE, mode, { contents: [asked] });
      expect(at(chunks.at(-1), 'candidates.0.groundingMetadata')).toEqual({
        groundingChunks: [{ web: { uri: 'https://e.example/', title: 'E' } }],
        groundingSupports: [
          { segment: { startIndex: 10, endIndex: 24, text: 'Ä is a letter' }, groundingChunkIndices: [0] },
        ],
      });
    },
  );

  test.each(MODES)('checklist 313: chat-completions and responses, in characters (%s)', async (mode) => {
    const place = { start_index: 10, end_index: 23 };
    for (const from of ['chat-completions', 'responses'] as const) {
      door.answers(said[mode]);
      const [turn] =
        mode === 'whole'
          ? turnOf(from, (await door.whole(from, CLAUDE_ADAPTIVE)).json)
          : turnOfStream(from, (await door.stream(from, CLAUDE_ADAPTIVE)).data);
      if (from === 'responses') expect(listAt(turn, 'content.0.annotations')).toMatchObject([place]);
      else expect(listAt(turn, 'annotations')).toMatchObject([{ url_citation: place }]);
    }
  });
});

describe("checklist 314: an answer of Gemini's is the last item, whoever signs its text", () => {
  const parts = [{ text: 'Hel' }, { text: 'lo' }, { text: '', thoughtSignature: 'c2lnbmVk' }];
  const answers: [name: string, parts: readonly JsonObject[]][] = [
    ['a text', parts],
    ['a text signed at once', [{ text: 'Hello', thoughtSignature: 'c2lnbmVk' }]],
    ['a thought and a text', [{ text: 'Hm.', thought: true }, ...parts]],
  ];
  const include = ['reasoning.encrypted_content'];
  test.each(answers.flatMap(([name, said]) => MODES.map((mode) => ({ name, said, mode }))))(
    'checklist 314: $name ($mode)',
    async ({ said, mode }) => {
      const ask = async (more: JsonObject): Promise<readonly JsonObject[]> => {
        door.answers(geminiBoth(said)[mode]);
        return mode === 'whole'
          ? turnOf('responses', (await door.whole('responses', GEMINI_3, more)).json)
          : turnOfStream('responses', (await door.stream('responses', GEMINI_3, more)).data);
      };
      const thought = said[0]?.['thought'] === true ? ['reasoning'] : [];
      const plain = await ask({});
      expect(plain.map(({ type }) => type)).toEqual([...thought, 'message']);
      expect(at(plain.at(-1), 'content.0.text')).toBe('Hello');
      const included = await ask({ include });
      expect(included.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(at(included.at(-1), 'content.0.text')).toBe('Hello');
      // The signature comes back to Gemini on its text.
      const input = [{ role: 'user', content: 'x' }, ...included, { role: 'user', content: 'y' }];
      const sent = await door.sentFor('responses', GEMINI_3, { input });
      expect(listAt(sent, 'contents.1.parts')).toEqual([{ text: 'Hello', thoughtSignature: 'c2lnbmVk' }]);
    },
  );

  test.each(CALLERS)('checklist 314: of no caller is it hidden behind something else (%s)', async (from) => {
    for (const mode of MODES) {
      door.answers(geminiBoth(parts)[mode]);
      const turn =
        mode === 'whole'
          ? turnOf(from, (await door.whole(from, GEMINI_3)).json)
          : turnOfStream(from, (await door.stream(from, GEMINI_3)).data);
      const paths = {
        'chat-completions': 'content',
        responses: 'content.0.text',
        messages: 'content.0.text',
      };
      expect(at(turn.at(-1), paths[from])).toBe('Hello');
    }
  });
});
