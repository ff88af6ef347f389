/** Schemas that other vendors enforce as they are, in the form in which OpenAI's strict mode takes them. */

import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { at, useDoor } from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const BY_CHAT = 'openai/gpt-4.1';
const BY_RESPONSES = 'openai/gpt-5.4';

const $defs = { inner: { type: 'string', enum: ['a', 'b'] } };
const about = (x: Json): JsonObject => ({
  type: 'object',
  properties: { x },
  required: ['x'],
  additionalProperties: false,
  $defs,
});
const $ref = '#/$defs/inner';

/** What a property is, and what strict mode gets; undefined if strict mode cannot take it. */
const PROPERTIES: readonly [what: string, given: Json, sent: Json | undefined][] = [
  ['a lone reference', { $ref }, { $ref }],
  ['a reference with a description', { $ref, description: 'd' }, { description: 'd', anyOf: [{ $ref }] }],
  ['a reference beside alternatives', { $ref, anyOf: [{ type: 'string' }] }, undefined],
  ['values of one type', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
  ['values of two types', { enum: [1, null] }, { type: ['integer', 'null'], enum: [1, null] }],
  ['a constant', { const: 1.5 }, { type: 'number', const: 1.5 }],
  ['a value that is an object', { const: {} }, undefined],
  ['anything', { description: 'd' }, undefined],
  ['anything, in short', true, undefined],
  ['a list of anything', { type: 'array' }, undefined],
  [
    'a list of values',
    { type: 'array', items: { enum: [true] } },
    { type: 'array', items: { type: 'boolean', enum: [true] } },
  ],
];

async function sentByGoogle(model: string, schema: JsonObject): Promise<JsonObject> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    }),
  });
  return Object(parseJson(door.upstream().received.at(-1)?.body.toString('utf8') ?? ''));
}

describe.each(PROPERTIES)('%s', (_, given, expected) => {
  const schema = about(given);
  const property = 'schema.properties.x';

  test.each([
    [BY_CHAT, 'response_format.json_schema'],
    [BY_RESPONSES, 'text.format'],
  ])('in an answer of %s', async (model, place) => {
    const format = { type: 'json_schema', schema };
    const sent = await door.sentFor('messages', model, { output_config: { format } });
    expect(at(sent, `${place}.strict`) ?? false).toBe(expected !== undefined);
    expect(at(sent, `${place}.${property}`)).toEqual(expected ?? given);
    const google = await sentByGoogle(model, schema);
    expect(at(google, `${place}.strict`) ?? false).toBe(expected !== undefined);
    expect(at(google, `${place}.${property}`)).toEqual(expected ?? given);
  });

  test.each([
    [BY_CHAT, 'tools.0.function'],
    [BY_RESPONSES, 'tools.0'],
  ])('in a strict tool of %s', async (model, place) => {
    const tools = [{ name: 'f', strict: true, input_schema: schema }];
    const sent = await door.sentFor('messages', model, { tools });
    expect(at(sent, `${place}.strict`) ?? false).toBe(expected !== undefined);
    if (expected !== undefined) expect(at(sent, `${place}.parameters.properties.x`)).toEqual(expected);
  });
});

test('a tool that is not strict keeps its schema', async () => {
  const schema = about({ $ref, description: 'd' });
  const sent = await door.sentFor('messages', BY_CHAT, { tools: [{ name: 'f', input_schema: schema }] });
  expect(at(sent, 'tools.0.function.parameters')).toEqual(schema);
});
