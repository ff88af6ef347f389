/** Checklist, section 9: JSON Schema in the dialects that Gemini takes. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toOpenApi } from '../../src/formats/generate-content/outbound/to-openapi.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asObject, isList, isObject } from '../../src/lib/json.ts';
import { at, GEMINI, GEMINI_SUBSET, tool, useDoor } from './support.ts';

const door = useDoor();

/** The parameters of a function that Gemini gets. */
async function declared(model: string, schema: JsonObject): Promise<JsonObject> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  await door.whole('chat-completions', model, { tools: [tool('chat-completions', 'f', schema)] });
  return asObject(at(door.sent(), 'tools.0.functionDeclarations.0')) ?? {};
}

/** The keywords of the subset (REST reference, `Schema`). */
const TAKEN = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
  'items',
  'minimum',
  'maximum',
];

/** Keywords in schema positions; names of properties are not keywords. */
function keywordsOf(schema: Json | undefined): readonly string[] {
  if (!isObject(schema)) return [];
  const inner = [
    ...Object.values(asObject(schema['properties']) ?? {}),
    schema['items'],
    ...(isList(schema['anyOf']) ? schema['anyOf'] : []),
  ];
  return [...Object.keys(schema), ...inner.flatMap(keywordsOf)];
}

const everything: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.com/s',
  $comment: 'no one reads it',
  $defs: { Place: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false } },
  type: 'object',
  additionalProperties: false,
  patternProperties: { '^x-': { type: 'string' } },
  propertyNames: { pattern: '^[a-z]+$' },
  unevaluatedProperties: false,
  required: ['place', 'kind', 'gone'],
  examples: [{ kind: 'a' }],
  if: { properties: { kind: { const: 'a' } } },
  ...Object.fromEntries([['then', { required: ['place'] }]]),
  else: {},
  not: { type: 'null' },
  dependentRequired: { kind: ['place'] },
  properties: {
    place: { $ref: '#/$defs/Place' },
    kind: { const: 'a' },
    either: { oneOf: [{ type: 'string' }, { type: 'integer', exclusiveMinimum: 0, multipleOf: 5 }] },
    both: {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { properties: { b: { type: 'string' } } },
      ],
    },
    list: {
      type: 'array',
      uniqueItems: true,
      items: { type: ['string', 'null'], format: 'uri' },
      contains: { type: 'string' },
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    free: { type: 'object', additionalProperties: { type: 'string' }, default: {} },
    itself: { $ref: '#' },
  },
};

describe('checklist 81: no keyword reaches Gemini for which it would reject the whole request', () => {
  test('checklist 81: models that accept JSON Schema get it unchanged, but for constant texts', async () => {
    const { $defs: _, properties, ...rest } = everything;
    const { itself: __, place: ___, ...plain } = asObject(properties) ?? {};
    const schema = { ...rest, properties: plain };
    const declaration = await declared(GEMINI, schema);
    expect(declaration['parameters']).toBeUndefined();
    // Google ignores `const`, and holds to an `enum`.
    const kind = { enum: ['a'] };
    expect(declaration['parametersJsonSchema']).toEqual({
      ...schema,
      if: { properties: { kind } },
      properties: { ...plain, kind },
    });
  });

  test('checklist 81: models that accept only the subset get nothing else, and everything that it can express', async () => {
    const { parameters, parametersJsonSchema } = await declared(GEMINI_SUBSET, everything);
    expect(parametersJsonSchema).toBeUndefined();
    for (const keyword of keywordsOf(parameters)) expect(TAKEN).toContain(keyword);
    expect(parameters).toMatchObject({
      type: 'object',
      required: ['place', 'kind'],
      properties: {
        place: { type: 'object', properties: { city: { type: 'string' } } },
        kind: { type: 'string', enum: ['a'] },
        either: { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] },
        both: { properties: { a: { type: 'string' }, b: { type: 'string' } } },
        list: { type: 'array', items: { type: 'string', nullable: true } },
        pair: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      },
    });
  });

  test('checklist 81: whatever a schema holds', () => {
    const leaf = fc.oneof(
      fc.constantFrom<JsonObject>(
        { type: 'string' },
        { const: 1 },
        { type: ['integer', 'null'] },
        { $ref: '#' },
        { $ref: '#/nowhere' },
        {},
      ),
      fc.jsonValue({ maxDepth: 1 }).map((value) => asObject(JSON.parse(JSON.stringify(value))) ?? {}),
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record(
          {
            type: fc.constantFrom('object', 'array', 'string'),
            properties: fc.dictionary(
              fc.constantFrom('a', 'title', 'type', '$ref', 'properties', 'enum'),
              tie('schema'),
              { maxKeys: 3 },
            ),
            items: tie('schema'),
            anyOf: fc.array(tie('schema'), { maxLength: 2 }),
            oneOf: fc.array(tie('schema'), { maxLength: 2 }),
            allOf: fc.array(tie('schema'), { maxLength: 2 }),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
            enum: fc.array(fc.constantFrom<Json>('a', 1, null, true), { minLength: 1, maxLength: 3 }),
            uniqueItems: fc.boolean(),
            not: tie('schema'),
          },
          { requiredKeys: [] },
        ),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        for (const keyword of keywordsOf(toOpenApi(given, new Set()))) expect(TAKEN).toContain(keyword);
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  ['numbers', { type: 'integer', enum: [1, 2, 3] }, '1, 2, 3'],
  ['a number as const', { const: 5 }, '5'],
  ['booleans', { type: 'boolean', enum: [true] }, 'true'],
  ['a mixture', { enum: ['a', 1] }, '"a", 1'],
])('checklist 82: an enum of %s is a hint, since the subset allows only strings', async (_, schema, hint) => {
  const { parameters } = await declared(GEMINI_SUBSET, {
    type: 'object',
    properties: { n: { description: 'N.', ...schema } },
  });
  expect(at(parameters, 'properties.n.enum')).toBeUndefined();
  expect(at(parameters, 'properties.n.description')).toBe(`N. One of: ${hint}.`);
});

test('checklist 83: exclusive bounds become inclusive ones, and are not lost', async () => {
  const n = { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 };
  const { parameters } = await declared(GEMINI_SUBSET, { type: 'object', properties: { n } });
  expect(at(parameters, 'properties.n')).toEqual({ type: 'integer', minimum: 0, maximum: 10 });
  // If both are given, the inclusive bound is the tighter one.
  const both = { ...n, minimum: 2 };
  expect(
    at(
      (await declared(GEMINI_SUBSET, { type: 'object', properties: { n: both } }))['parameters'],
      'properties.n.minimum',
    ),
  ).toBe(2);
});

test.each([[true], [false], [{ type: 'string' }]])(
  'checklist 84: additionalProperties %j is sent where JSON Schema is accepted, and only there',
  async (value) => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: value };
    expect(at((await declared(GEMINI, schema))['parametersJsonSchema'], 'additionalProperties')).toEqual(
      value,
    );
    expect(at((await declared(GEMINI_SUBSET, schema))['parameters'], 'additionalProperties')).toBeUndefined();
  },
);

describe('checklist 85: a property may have the name of a keyword', () => {
  const names = [
    'title',
    'format',
    'properties',
    'type',
    '$ref',
    'enum',
    'default',
    'additionalProperties',
    'const',
    'items',
    'anyOf',
    '$schema',
    'nullable',
    'required',
    'description',
    'allOf',
    'not',
  ];
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: name }])),
    required: names,
  };
  test.each([GEMINI, GEMINI_SUBSET])('checklist 85: to %s', async (model) => {
    const declaration = await declared(model, schema);
    expect(declaration['parametersJsonSchema'] ?? declaration['parameters']).toEqual(schema);
  });

  test('checklist 85: and so may nested properties', async () => {
    const nested = {
      type: 'object',
      properties: { properties: schema, items: { type: 'array', items: schema } },
    };
    expect((await declared(GEMINI_SUBSET, nested))['parameters']).toEqual(nested);
  });
});
