/** Answers that are no objects, from models in OpenAI's formats, which take a schema only of an object. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  chatStream,
  chunk,
  completion,
  DEEPSEEK,
  GEMINI,
  json,
  namedStream,
  OPENAI,
  RESPONDER,
  useDoor,
} from '../checklist/support.ts';
import { streamedText } from '../support/google-client.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const TEXT: JsonObject = { type: 'string' };
const A: JsonObject = {
  type: 'object',
  properties: { a: TEXT },
  required: ['a'],
  additionalProperties: false,
};
const LIST: JsonObject = { type: 'array', items: A };

function around(answer: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { answer },
    required: ['answer'],
    additionalProperties: false,
    ...more,
  };
}

const format = (schema: JsonObject): JsonObject => ({
  output_config: { format: { type: 'json_schema', schema } },
});

/** How Google's client asks. */
function asked(model: string, config: JsonObject): Promise<string> {
  return streamedText(door.url(), { model, contents: 'Which recipes?', config });
}

const REF = { $ref: '#/$defs/A' };
const wrapped: readonly [string, JsonObject, JsonObject][] = [
  ['a list', LIST, around(LIST)],
  ['a number', { type: 'integer' }, around({ type: 'integer' })],
  ['a word of some', { type: 'string', enum: ['a', 'b'] }, around({ type: 'string', enum: ['a', 'b'] })],
  ['a union', { anyOf: [A, TEXT] }, around({ anyOf: [A, TEXT] })],
  ['a union of objects', { ...A, anyOf: [A] }, around({ ...A, anyOf: [A] })],
  ['an object or null', { ...A, type: ['object', 'null'] }, around({ ...A, type: ['object', 'null'] })],
  [
    'a list of a definition',
    { type: 'array', items: REF, $defs: { A } },
    around({ type: 'array', items: REF }, { $defs: { A } }),
  ],
  ['a definition that is a list', { $ref: '#/definitions/L', definitions: { L: LIST } }, around(LIST)],
];
const kept: readonly [string, JsonObject][] = [
  ['an object', A],
  ['a list of itself', { type: 'array', items: { $ref: '#' } }],
  ['a list with a reference into it', { type: 'array', items: { anyOf: [A, { $ref: '#/items/anyOf/0' }] } }],
  ['anything', {}],
];

describe('the schema of', () => {
  test.each(wrapped)('%s', async (_, schema, expected) => {
    const byChat = await door.sentFor('messages', OPENAI, format(schema));
    expect(at(byChat, 'response_format.json_schema.schema')).toEqual(expected);
    const byResponses = await door.sentFor('messages', RESPONDER, format(schema));
    expect(at(byResponses, 'text.format.schema')).toEqual(expected);
  });

  test.each(kept)('%s stays', async (_, schema) => {
    const byChat = await door.sentFor('messages', OPENAI, format(schema));
    expect(at(byChat, 'response_format.json_schema.schema')).toEqual(schema);
    const byResponses = await door.sentFor('messages', RESPONDER, format(schema));
    expect(at(byResponses, 'text.format.schema')).toEqual(schema);
  });

  test('a list stays at vendors that take one, and for callers of the vendor’s own format', async () => {
    const native = { type: 'json_schema', json_schema: { name: 'a', schema: LIST } };
    const sent = await door.sentFor('chat-completions', OPENAI, { response_format: native });
    expect(sent['response_format']).toEqual(native);
    const own = await door.sentFor('responses', RESPONDER, {
      text: { format: { type: 'json_schema', name: 'a', schema: LIST } },
    });
    expect(at(own, 'text.format.schema')).toEqual(LIST);
    const google = await door.sentFor('messages', GEMINI, format(LIST));
    expect(at(google, 'generationConfig.responseJsonSchema')).toEqual(LIST);
  });

  test('a list of open objects is asked for without strict mode', async () => {
    const open: JsonObject = { type: 'array', items: { type: 'object', properties: { a: TEXT } } };
    const sent = await door.sentFor('messages', OPENAI, format(open));
    expect(at(sent, 'response_format.json_schema')).toEqual({ name: 'answer', schema: around(open) });
  });

  test('a list of closed objects is asked for in strict mode', async () => {
    const sent = await door.sentFor('messages', OPENAI, format(LIST));
    expect(at(sent, 'response_format.json_schema.strict')).toBe(true);
  });
});

describe('the answer', () => {
  const config: JsonObject = {
    responseMimeType: 'application/json',
    responseSchema: { type: 'ARRAY', items: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
  };

  test.each<[string, string, string]>([
    ['a list', '{"answer":[{"a":"}"}]}', '[{"a":"}"}]'],
    ['a list alone', '[{"a":"b"}]', '[{"a":"b"}]'],
    ['words', 'I cannot.', 'I cannot.'],
    ['a list that a limit has cut', '{"answer":[{"a":"b"},{"a', '[{"a":"b"},{"a'],
  ])('%s', async (_, content, expected) => {
    const finish = content.endsWith('a') ? 'length' : 'stop';
    for (const model of [OPENAI, DEEPSEEK]) {
      const pieces = [...content].map((character) => chunk({ content: character }));
      door.answers(chatStream(...pieces, chunk({}, finish)));
      expect(await asked(model, config)).toBe(expected);
      door.answers(json(completion({ content }, finish)));
      const whole = await door.whole('messages', model, format(LIST));
      expect(at(whole.json, 'content.0.text')).toBe(expected);
    }
  });

  test('by responses, whole and streamed', async () => {
    const part = { type: 'output_text', text: '{"answer":[{"a":"b"}]}', annotations: [] };
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
    const body = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [item] };
    door.answers(json({ ...body, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }));
    const whole = await door.whole('messages', RESPONDER, format(LIST));
    expect(at(whole.json, 'content.0.text')).toBe('[{"a":"b"}]');
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const deltas = [...part.text].map((delta) => ({ type: 'response.output_text.delta', ...place, delta }));
    door.answers(
      namedStream(
        { type: 'response.created', response: { ...body, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
        ...deltas,
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: body },
      ),
    );
    expect(await asked(RESPONDER, config)).toBe('[{"a":"b"}]');
  });

  test('a refusal stays as it is', async () => {
    door.answers(json(completion({ content: null, refusal: '{"answer":[1]}' }, 'stop')));
    const whole = await door.whole('messages', OPENAI, format(LIST));
    expect(whole.text).toContain(JSON.stringify('{"answer":[1]}').slice(1, -1));
  });

  test('an object with that member stays for a caller who asks for one', async () => {
    const content = '{"answer":"b"}';
    door.answers(json(completion({ content }, 'stop')));
    const whole = await door.whole('messages', OPENAI, format(around(TEXT)));
    expect(at(whole.json, 'content.0.text')).toBe(content);
  });
});
