/**
 * What services leave blank, or repeat, beside the real content: an empty delta beside a message, fields of other kinds
 * without a value, empty parts. Recorded answers with such blanks say the same as without them, in every format.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import {
  asObject,
  asObjects,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/lib/json.ts';
import { decodeSse, type Sse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { allFormats, bytesOf, eventsOf, eventsOfWhole, rendered, renderedWhole } from '../support/meaning.ts';
import { readStream, readWhole, type Said } from '../support/read-answer.ts';
import { FIXTURES } from '../support/recording.ts';

/** Changes an object of an answer; those that it is not about stay as they are. */
type Change = (object: JsonObject, key: string) => JsonObject;

/** Changes all objects of a value, the inner ones first. @param key under which the value stands */
function everywhere(value: Json, change: Change, key = ''): Json {
  if (isList(value)) return value.map((item) => everywhere(item, change, key));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, held]) => [name, everywhere(held ?? null, change, name)]);
  return change(asObject(Object.fromEntries(fields)) ?? {}, key);
}

/** Adds fields to the objects under a key, unless they have them. */
const beside =
  (at: string, blanks: JsonObject, when: (object: JsonObject) => boolean = () => true): Change =>
  (object, key) =>
    key === at && when(object) ? { ...blanks, ...object } : object;

/** Adds items to the lists under a key of some objects. */
const among =
  (at: string, before: readonly Json[], after: readonly Json[]): Change =>
  (object) => {
    const list = object[at];
    return isList(list) && list.length > 0 ? { ...object, [at]: [...before, ...list, ...after] } : object;
  };

const isCall = (item: JsonObject): boolean => item['type'] === 'function_call';

const BLANKS: Readonly<Record<FormatName, Readonly<Record<string, Change>>>> = {
  'chat-completions': {
    'a delta without content beside a message': beside(
      'choices',
      { delta: { role: 'assistant', content: '' } },
      ({ message }) => message !== undefined,
    ),
    'a delta that is null beside a message': beside(
      'choices',
      { delta: null },
      ({ message }) => message !== undefined,
    ),
    'a message without content beside a delta': beside(
      'choices',
      { message: { role: 'assistant', content: '' }, text: '' },
      ({ delta }) => delta !== undefined,
    ),
    'a message that is null beside a delta': beside(
      'choices',
      { message: null },
      ({ delta }) => delta !== undefined,
    ),
    'empty fields in a message': beside('message', {
      content: '',
      refusal: '',
      reasoning: '',
      reasoning_content: '',
      reasoning_details: [],
      thinking_blocks: [],
      tool_calls: [],
      annotations: [],
      audio: null,
    }),
    'fields that are null in a delta': beside('delta', {
      content: null,
      refusal: null,
      reasoning: null,
      reasoning_content: null,
      reasoning_details: null,
      tool_calls: null,
      function_call: null,
      audio: null,
    }),
    'empty fields in a delta': beside('delta', {
      content: '',
      refusal: '',
      reasoning: '',
      reasoning_content: '',
      reasoning_details: [],
      tool_calls: [],
    }),
    'a function call without a name': (object, key) =>
      beside(
        key,
        { function_call: { name: '', arguments: '' } },
        ({ role }) => role === 'assistant',
      )(object, key),
  },
  responses: {
    'empty texts beside an item': beside(
      'output',
      { content: [], summary: [], arguments: '' },
      ({ type }) => type !== 'message',
    ),
    'what is null in an item': beside(
      'item',
      { content: null, summary: null, encrypted_content: null },
      isCall,
    ),
    'an empty text of the whole': beside('response', { output_text: '' }),
    'parts without text': among(
      'content',
      [{ type: 'output_text', text: '', annotations: [] }],
      [{ type: 'output_text', text: '', annotations: [] }],
    ),
    'a message without parts': among(
      'output',
      [],
      [{ type: 'message', id: 'msg_blank', role: 'assistant', status: 'completed', content: [] }],
    ),
  },
  messages: {
    'fields of other kinds in a block': beside(
      'content',
      { citations: null, signature: '', data: '' },
      (block) => ['text', 'tool_use'].includes(String(block['type'])),
    ),
    'fields that are null in a delta': (object, key) =>
      key === 'delta' && object['type'] !== undefined
        ? { text: null, thinking: null, partial_json: null, signature: null, ...object }
        : object,
    'citations that are null at the start of a text': beside(
      'content_block',
      { citations: null },
      ({ type }) => type === 'text',
    ),
    'blocks without text': among('content', [{ type: 'text', text: '' }], [{ type: 'text', text: '' }]),
  },
  'generate-content': {
    'fields of other kinds that are null': beside('parts', {
      functionCall: null,
      inlineData: null,
      executableCode: null,
      functionResponse: null,
    }),
    'a thought that is none': beside('parts', { thought: false, thoughtSignature: '' }),
    'a text without content beside a call': beside(
      'parts',
      { text: '' },
      ({ functionCall }) => functionCall !== undefined,
    ),
    'parts without content': among('parts', [{ text: '' }], [{ text: '' }, {}]),
    'another candidate without content': among('candidates', [], [{ index: 0, content: {} }]),
  },
};

interface Recording {
  readonly file: string;
  readonly bytes: Buffer;
}

const recordingsOf = (format: FormatName): readonly Recording[] =>
  readdirSync(join(FIXTURES, 'replies', format))
    // Of the others, those with lists of contents and with nothing but an end have blanks of their own.
    .filter((file) => !/error|prompt|content-list/.test(file))
    .map((file) => ({ file, bytes: readFileSync(join(FIXTURES, 'replies', format, file)) }));

const changed = (event: Sse, change: Change): Sse =>
  event.data.startsWith('{')
    ? { ...event, data: JSON.stringify(everywhere(parseJson(event.data), change)) }
    : event;

/** What callers of all formats read in an answer, whole and streamed. */
function readings(events: ReturnType<typeof eventsOf>): readonly Said[] {
  return allFormats.flatMap((to) => [
    readWhole(to.name, parseJson(JSON.stringify(renderedWhole(to, events)))),
    readStream(to.name, new TextDecoder().decode(bytesOf(rendered(to, events)))),
  ]);
}

describe.each(Object.keys(BLANKS).flatMap((name) => allFormats.filter((format) => format.name === name)))(
  'U-52: an answer of $name',
  ({ name }) => {
    const format = formats[name];
    test.each(Object.entries(BLANKS[name]))('with %s', (_, change) => {
      let changes = 0;
      for (const { file, bytes } of recordingsOf(name)) {
        const text = bytes.toString('utf8');
        const before = file.endsWith('.sse') ? run(decodeSse(), [bytes]) : [{ data: text }];
        const after = before.map((event) => changed(event, change));
        if (JSON.stringify(after) === JSON.stringify(before.map((event) => changed(event, (same) => same))))
          continue;
        changes += 1;
        const read = file.endsWith('.sse')
          ? [eventsOf(format, bytes), eventsOf(format, bytesOf(after))]
          : [eventsOfWhole(format, text), eventsOfWhole(format, after[0]?.data ?? '')];
        const [plain = [], blank = []] = read;
        expect.soft(readings(blank), file).toEqual(readings(plain));
      }
      expect(changes).toBeGreaterThan(0);
    });
  },
);

test('the own reader sees what is said', () => {
  const said = recordingsOf('chat-completions').map(({ file, bytes }) =>
    file.endsWith('.sse')
      ? readStream('chat-completions', bytes.toString('utf8'))
      : readWhole('chat-completions', parseJson(bytes.toString('utf8'))),
  );
  expect(said.filter(({ text, calls }) => text === '' && calls.length === 0)).toEqual([]);
  expect(
    asObjects(said.map(({ calls }) => ({ calls: calls.length }))).some(({ calls }) => Number(calls) > 1),
  ).toBe(true);
});
