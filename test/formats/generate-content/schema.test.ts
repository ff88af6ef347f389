import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromOpenApi } from '../../../src/formats/generate-content/inbound/from-openapi.ts';
import { inSupportedKeywords } from '../../../src/formats/generate-content/outbound/supported-keywords.ts';
import { toOpenApi } from '../../../src/formats/generate-content/outbound/to-openapi.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { LEVELS, rendered } from './fixtures.ts';

const shrunk = (schema: JsonObject) => {
  const lost = new Set<string>();
  return { schema: toOpenApi(schema, lost), lost: [...lost] };
};

describe('JSON Schema as the OpenAPI subset', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['what only names it goes', { $schema: 'x', $id: 'y', type: 'string' }, { type: 'string' }, []],
    [
      'additionalProperties',
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      { type: 'object', properties: { a: {} } },
      ['additionalProperties'],
    ],
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }, []],
    ['a number as const', { const: 3 }, { type: 'number', description: 'One of: 3.' }, ['enum']],
    [
      'numbers in an enum',
      { type: 'integer', enum: [1, 2], description: 'Pick.' },
      { type: 'integer', description: 'Pick. One of: 1, 2.' },
      ['enum'],
    ],
    ['null in an enum', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }, []],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      [],
    ],
    [
      'anyOf with null',
      { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
      { type: 'string', maxLength: 3, nullable: true },
      [],
    ],
    [
      'a list of types',
      { type: ['string', 'integer', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
      [],
    ],
    ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }, []],
    [
      'exclusive bounds widen',
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: 'number', minimum: 0, maximum: 1 },
      [],
    ],
    ['a format it does not take', { type: 'string', format: 'email' }, { type: 'string' }, ['format']],
    [
      'a format it takes',
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
      [],
    ],
    ['default stays', { type: 'integer', default: 3 }, { type: 'integer', default: 3 }, []],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      [],
    ],
    ['an array of anything', { type: 'array' }, { type: 'array', items: {} }, []],
    ['an object of nothing', { type: 'object', properties: {} }, { type: 'object' }, []],
    [
      'required of what is not there',
      { type: 'object', properties: { a: {} }, required: ['a', 'b'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
      [],
    ],
    [
      'allOf',
      {
        allOf: [
          { properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
      [],
    ],
    [
      'keywords it has not',
      { type: 'array', items: {}, uniqueItems: true, if: {} },
      { type: 'array', items: {} },
      ['uniqueItems', 'if'],
    ],
    ...[
      { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 2, pattern: 'a' },
      { type: 'number', minimum: 1, maximum: 2, default: 1, example: 2 },
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        minProperties: 1,
        maxProperties: 2,
        propertyOrdering: ['a'],
      },
    ].map((kept): [string, JsonObject, JsonObject, string[]] => ['all that it has stays', kept, kept, []]),
  ])('%s', (_, schema, expected, lost) => {
    expect(shrunk(schema)).toEqual({ schema: expected, lost });
  });

  test('$ref is written out, and keywords beside it stay', () => {
    const { schema, lost } = shrunk({
      type: 'object',
      properties: { a: { $ref: '#/$defs/p~1q', description: 'mine' }, b: { $ref: '#/properties/a' } },
      $defs: { 'p/q': { type: 'string', description: 'its', minLength: 1 } },
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'mine', minLength: 1 },
        b: { type: 'string', description: 'mine', minLength: 1 },
      },
    });
    expect(lost).toEqual([]);
  });

  test('a schema that holds itself ends in an unrestricted object', () => {
    const { schema, lost } = shrunk({
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    });
    expect(schema).toEqual({ type: 'object', properties: { next: { type: 'object' } } });
    expect(lost).toEqual(['$ref']);
  });

  test('properties may have any name', () => {
    const properties = {
      title: { type: 'string' },
      format: { type: 'string' },
      properties: { type: 'string' },
      $ref: { type: 'string' },
      additionalProperties: { type: 'string' },
    };
    expect(shrunk({ type: 'object', properties })).toEqual({
      schema: { type: 'object', properties },
      lost: [],
    });
  });

  test('$refs that multiply are refused before they fill the memory', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}`, title: 'x' }] },
      ]),
    );
    expect(() => shrunk({ $ref: '#/$defs/d0', $defs })).toThrow(GatewayError);
  });

  test('goes to services that take nothing else, and the loss is reported', () => {
    const parameters = { type: 'object', properties: { a: { const: 'x' } }, additionalProperties: false };
    const { body, notes } = rendered(
      {
        turns: [{ role: 'user', parts: [{ kind: 'text', text: 'x' }] }],
        tools: [
          { kind: 'function', name: 'f', parameters },
          { kind: 'function', name: 'g', parameters: { type: 'object', properties: {} } },
        ],
        output: { kind: 'json-schema', schema: parameters },
      },
      { ...LEVELS, dialect: 'openapi-schema' },
    );
    const subset = { type: 'object', properties: { a: { type: 'string', enum: ['x'] } } };
    expect(body['tools']).toEqual([
      { functionDeclarations: [{ name: 'f', parameters: subset }, { name: 'g' }] },
    ]);
    expect(body['generationConfig']).toMatchObject({ responseSchema: subset });
    expect(notes.map((note) => note.detail)).toEqual([
      'schema without additionalProperties',
      'schema without additionalProperties',
    ]);
  });
});

describe('any JSON as a schema', () => {
  const keyword = fc.constantFrom(
    ...[
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      'oneOf',
      '$ref',
      '$defs',
      'enum',
      'const',
      'required',
      'nullable',
    ],
    ...['prefixItems', 'minItems', 'format', 'description', 'exclusiveMinimum', '__proto__', 'any_of'],
  );
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<Json>('#', '#/$defs/a', '#/properties/items', 'string', 'null', null, 3),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
    ),
  }));
  const ANY = fc
    .dictionary(keyword, schema, { maxKeys: 6 })
    .map((value): JsonObject => JSON.parse(JSON.stringify(value)));

  test('gives a schema that can be serialised, or a 400', () => {
    fc.assert(
      fc.property(ANY, (value) => {
        for (const change of [
          (one: JsonObject) => toOpenApi(one, new Set()),
          fromOpenApi,
          (one: JsonObject) => inSupportedKeywords(one, () => {}),
        ]) {
          try {
            expect(typeof JSON.stringify(change(value))).toBe('string');
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
          }
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a text', { type: 'string', const: 'a', title: 'A' }, { type: 'string', enum: ['a'], title: 'A' }],
    [
      'the kinds of an object',
      { oneOf: [{ type: 'object', properties: { kind: { type: 'string', const: 'a' } } }] },
      { oneOf: [{ type: 'object', properties: { kind: { type: 'string', enum: ['a'] } } }] },
    ],
    [
      'a property of that name',
      { properties: { const: { type: 'string' } } },
      { properties: { const: { type: 'string' } } },
    ],
    ['beside an enum', { const: 'a', enum: ['a'] }, { const: 'a', enum: ['a'] }],
    ['a number stays', { const: 3 }, { const: 3 }],
    ['an empty text stays', { const: '' }, { const: '' }],
    [
      'an allOf beside a choice stays',
      { allOf: [{ title: 'a' }], oneOf: [{ title: 'b' }] },
      { allOf: [{ title: 'a' }], oneOf: [{ title: 'b' }] },
    ],
    [
      'an allOf of one',
      { allOf: [{ $ref: '#/properties/a' }], description: 'A.' },
      { anyOf: [{ $ref: '#/properties/a' }], description: 'A.' },
    ],
    [
      'an allOf of two',
      { allOf: [{ title: 'a' }, { title: 'b' }] },
      { allOf: [{ title: 'a' }, { title: 'b' }] },
    ],
  ])('says in keywords that Gemini supports: %s', (_, schema, expected) => {
    const { body } = rendered({
      tools: [{ kind: 'function', name: 'f', parameters: { type: 'object', properties: { a: schema } } }],
      output: { kind: 'json-schema', schema: { type: 'object', properties: { a: schema } } },
    });
    const whole = { type: 'object', properties: { a: expected } };
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ parametersJsonSchema: whole }] }],
      generationConfig: { responseJsonSchema: whole },
    });
  });

  test('has no keyword beside a $ref afterwards', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('$ref', 'title', 'anyOf', '$comment'), fc.constant('#/$defs/a')),
        (one) => {
          const changed = inSupportedKeywords(one, () => {});
          if ('$ref' in changed)
            expect(Object.keys(changed).filter((key) => !key.startsWith('$'))).toEqual([]);
        },
      ),
    );
  });
});
