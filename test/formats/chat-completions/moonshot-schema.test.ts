/** Schemas rewritten for Moonshot, which takes only those that follow its own rules. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import type { Note } from '../../../src/formats/format.ts';
import {
  asList,
  asObject,
  asObjects,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../../src/lib/json.ts';
import { modelOf } from '../../support/model-traits.ts';
import { rendered } from './requests.ts';

const KIMI = modelOf('moonshotai');

const prompt = (more: Partial<Prompt>): Prompt => ({
  model: 'm',
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }],
  stream: false,
  ...more,
});

function parametersFor(parameters: JsonObject, notes: Note[] = []): JsonObject {
  const sent = rendered(prompt({ tools: [{ kind: 'function', name: 'f', parameters }] }), KIMI, notes);
  return asObject(asObject(asObjects(sent['tools'])[0]?.['function'])?.['parameters']) ?? {};
}

const withA = (a: Json, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { a },
  ...more,
});

/** A property named `a`, as the caller writes it and as it is sent. */
const PROPERTIES: [string, Json, JsonObject][] = [
  ['a type is one', { type: 'string', minLength: 1 }, { type: 'string', minLength: 1 }],
  [
    'several types with nothing else',
    { type: ['string', 'null'], title: 'A' },
    { type: ['string', 'null'], title: 'A' },
  ],
  [
    'several types with what is said of one of them',
    { type: ['array', 'null'], items: { type: 'string' }, description: 'd', default: null },
    {
      description: 'd',
      default: null,
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
    },
  ],
  ['values without a type', { enum: ['x', 'y'] }, { type: 'string', enum: ['x', 'y'] }],
  ['a value', { const: 1, title: 'A' }, { type: 'number', enum: [1], title: 'A' }],
  ['values of the type', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
  [
    'values of several types',
    { type: ['string', 'null'], enum: ['x', null], description: 'd' },
    {
      description: 'd',
      anyOf: [
        { type: 'string', enum: ['x'] },
        { type: 'null', enum: [null] },
      ],
    },
  ],
  ['no values', { type: 'string', enum: [] }, { type: 'string' }],
  ['a type that is none', { type: 'any', description: 'd' }, { description: 'd' }],
  [
    'choices beside a type',
    { type: 'string', default: 'x', anyOf: [{ format: 'date' }, { maxLength: 3 }, { type: 'null' }] },
    {
      default: 'x',
      anyOf: [{ type: 'string', format: 'date' }, { type: 'string', maxLength: 3 }, { type: 'null' }],
    },
  ],
  [
    'choices by their other name, one of them anything',
    { oneOf: [{ type: 'string' }, true] },
    { anyOf: [{ type: 'string' }, {}] },
  ],
  [
    'choices among the properties of an object',
    {
      type: 'object',
      properties: { x: { type: 'string' }, y: { type: 'string' } },
      oneOf: [{ required: ['x'] }, { required: ['y'] }],
    },
    {
      type: 'object',
      properties: { x: { type: 'string' }, y: { type: 'string' } },
      description: '{oneOf: [{"required":["x"]},{"required":["y"]}]}',
    },
  ],
  ['anything', true, {}],
  ['items that may be anything', { type: 'array', items: true }, { type: 'array' }],
  [
    'what is required and not there',
    { type: 'object', properties: { x: { type: 'string' } }, required: ['x', 'y'] },
    { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
  ],
  [
    'a property by a name that none may have',
    {
      type: 'object',
      properties: { required: { type: 'boolean' }, x: { type: 'string' } },
      required: ['required'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { x: { type: 'string' } },
      description: 'Further properties: {"required":{"type":"boolean"}}',
    },
  ],
  [
    'a reference where none is taken',
    { type: 'object', properties: {}, propertyNames: { $ref: '#/properties/a' } },
    { type: 'object', properties: {} },
  ],
  ['a reference to nothing', { $ref: '#/$defs/c', description: 'd' }, { description: 'd' }],
  ['a reference elsewhere', { $ref: 'https://example.com/a.json' }, {}],
];

describe('properties', () => {
  test.each(PROPERTIES)('%s', (_, given, sent) => {
    expect(parametersFor(withA(given))).toEqual(withA(sent));
    expect(faultsOf(parametersFor(withA(given)))).toEqual([]);
  });

  test('a valid schema stays unchanged without a note; a change is noted', () => {
    const parameters = withA({ type: 'string' }, { required: ['a'], additionalProperties: false });
    const notes: Note[] = [];
    expect(parametersFor(parameters, notes)).toEqual(parameters);
    expect(notes).toEqual([]);
    parametersFor(withA({ enum: [1] }), notes);
    expect(notes).toMatchObject([{ field: 'tools[f].parameters', outcome: 'approximated' }]);
  });
});

describe('references', () => {
  const B = { type: 'object', properties: { next: { $ref: '#/definitions/b' } } };
  const SENT = { type: 'object', properties: { next: { $ref: '#/$defs/b' } } };

  test('definitions by their older name, and keywords beside a reference', () => {
    const given = withA({ $ref: '#/definitions/b', description: 'd', default: {}, nullable: true });
    expect(parametersFor({ ...given, definitions: { b: B, unused: {} } })).toEqual({
      ...withA({ $ref: '#/$defs/b', description: 'd' }),
      $defs: { b: SENT },
    });
  });

  test('a reference to a property becomes one to a definition', () => {
    const given = { type: 'object', properties: { a: { enum: ['x'] }, 'b/c': { $ref: '#/properties/a' } } };
    expect(parametersFor(given)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', enum: ['x'] }, 'b/c': { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'string', enum: ['x'] } },
    });
  });

  test('a percent-encoded reference', () => {
    const given = { ...withA({ $ref: '#/definitions/List%3Cb%2Fc%3E' }), definitions: { 'List<b/c>': B } };
    expect(parametersFor({ ...given, definitions: { ...given.definitions, b: {} } })).toEqual({
      ...withA({ $ref: '#/$defs/List_b_c_' }),
      $defs: { List_b_c_: { type: 'object', properties: { next: { $ref: '#/$defs/b' } } }, b: {} },
    });
  });

  test('two definitions of the same name stay two', () => {
    const given = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/b' }, c: { $ref: '#/definitions/b' } },
      $defs: { b: { type: 'string' } },
      definitions: { b: { type: 'number' } },
    };
    expect(parametersFor(given)).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/b_2' } },
      $defs: { b: { type: 'string' }, b_2: { type: 'number' } },
    });
  });

  test('a schema that only wraps another, or a reference at its root', () => {
    expect(
      parametersFor({ ...withA({ allOf: [{ $ref: '#/$defs/b' }], title: 'A' }), $defs: { b: {} } }),
    ).toEqual({
      ...withA({ $ref: '#/$defs/b', title: 'A' }),
      $defs: { b: {} },
    });
    expect(parametersFor({ $ref: '#/definitions/b', definitions: { b: B } })).toEqual({
      ...SENT,
      $defs: { b: SENT },
    });
  });

  test('a definition with a refused key is left out', () => {
    const given = { ...withA({ $ref: '#/$defs/b' }), $defs: { b: withA({}, { 'x/y': 1 }) } };
    expect(parametersFor(given)).toEqual(withA({}));
  });

  test('an infinitely deep schema is cut', () => {
    let deep: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'array', items: deep };
    expect(
      JSON.stringify(parametersFor({ ...withA({ $ref: '#/$defs/b' }), $defs: { b: deep } })).length,
    ).toBeLessThan(10_000);
  });
});

describe('outside of tools', () => {
  const schema = { type: 'object', properties: { a: { enum: ['x'] } } };

  test('the schema of an answer follows the same rules', () => {
    const sent = rendered(prompt({ output: { kind: 'json-schema', name: 'n', schema } }), KIMI);
    expect(sent['response_format']).toMatchObject({
      json_schema: { schema: { type: 'object', properties: { a: { type: 'string', enum: ['x'] } } } },
    });
  });

  test("a caller of this format gets Moonshot's own refusal", () => {
    const own = { format: 'chat-completions', fields: {} } as const;
    const tools = [{ kind: 'function', name: 'f', parameters: schema }] as const;
    expect(rendered(prompt({ formatSpecific: own, tools }), KIMI)['tools']).toMatchObject([
      { function: { parameters: schema } },
    ]);
  });
});

describe('law: every schema that is sent follows the rules', () => {
  const names = fc.constantFrom('a', 'b', 'required', 'x/y', '$ref');
  const types = fc.constantFrom('string', 'null', 'array', 'object', 'integer', 'any');
  const { schema } = fc.letrec<{ schema: Json; object: JsonObject }>((tie) => ({
    schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('object')),
    object: fc.record<Record<string, Json>>(
      {
        type: fc.oneof(types, fc.array(types, { maxLength: 3 })),
        enum: fc.array(fc.constantFrom<Json>('x', 1, 1.5, null, true, [], {}), { maxLength: 3 }),
        const: fc.constantFrom<Json>('x', 1, null),
        description: fc.constantFrom<Json>('d', 1),
        default: fc.constantFrom<Json>(1, { $ref: 'x' }),
        $ref: fc.constantFrom(
          '#',
          '#/$defs/a',
          '#/definitions/b',
          '#/properties/a',
          '#/$defs/x~1y',
          'outside of tools',
        ),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
        required: fc.array(names, { maxLength: 2 }),
        additionalProperties: tie('schema'),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        not: tie('schema'),
        $defs: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
        definitions: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
  }));

  test('of Moonshot’s validator, level strict', () => {
    fc.assert(
      fc.property(schema, (given) => {
        const sent = parametersFor(isObject(given) ? given : withA(given));
        expect(sent['type']).toBe('object');
        expect(faultsOf(sent)).toEqual([]);
      }),
    );
  });
});

/** What Moonshot's validator would refuse in a schema, in its own order and places. */
function faultsOf(root: JsonObject): string[] {
  const faults: string[] = [];
  const definitions = asObject(root['$defs']) ?? {};

  const look = (schema: Json | undefined, at: string): void => {
    if (!isObject(schema)) {
      faults.push(`${at}: no object`);
      return;
    }
    const { type, enum: values, $ref, anyOf, properties, required, items } = schema;
    const own = Object.keys(schema).filter((key) => !['description', 'title', '$defs'].includes(key));
    const types = [type].flat();
    if (type !== undefined && !types.every((one) => TYPES.includes(String(one)))) faults.push(`${at}: type`);
    if (type !== undefined && (anyOf ?? $ref) !== undefined) faults.push(`${at}: type beside`);
    if (isList(type) && type.length > 1 && own.length > 1) faults.push(`${at}: keyword beside types`);
    if (isList(type) && type.length === 0) faults.push(`${at}: no type`);
    if (values !== undefined && !asList(values).every((value) => isOf(value, type)))
      faults.push(`${at}: enum`);
    if (values !== undefined && asList(values).length === 0) faults.push(`${at}: no values`);
    if ($ref !== undefined) lookAtReference($ref, own, at);
    const members = asObject(properties) ?? {};
    if (Object.keys(members).some((name) => NAMES.includes(name))) faults.push(`${at}: reserved`);
    if (asList(required).some((name) => !Object.hasOwn(members, String(name))))
      faults.push(`${at}: required`);
    if (schema['description'] !== undefined && typeof schema['description'] !== 'string')
      faults.push(`${at}: text`);
    for (const [name, one] of Object.entries(members)) look(one, `${at}.${name}`);
    if (items !== undefined) look(items, `${at}[]`);
    if (isObject(schema['additionalProperties'])) look(schema['additionalProperties'], `${at}{}`);
    if (anyOf === undefined) return;
    if (asList(anyOf).length === 0) faults.push(`${at}: no choice`);
    for (const one of asList(anyOf)) {
      look(one, `${at}|`);
      const shared = Object.keys(asObject(one) ?? {}).filter((key) => key !== 'anyOf' && own.includes(key));
      if (shared.length > 0) faults.push(`${at}: ${shared.join()} twice`);
    }
  };

  const lookAtReference = ($ref: Json, own: readonly string[], at: string): void => {
    const name = /^#\/\$defs\/([^/]+)$/.exec(String($ref))?.[1];
    if ($ref !== '#' && (name === undefined || !isObject(definitions[name]))) faults.push(`${at}: ${$ref}`);
    if (own.length > 1) faults.push(`${at}: beside $ref`);
  };

  look(root, '');
  for (const [name, one] of Object.entries(definitions)) look(one, `#${name}`);
  if (keysIn(definitions).some((key) => key.includes('/'))) faults.push('slash');
  return faults;
}

function keysIn(value: Json | undefined): string[] {
  if (isList(value)) return value.flatMap(keysIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]) : [];
}

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const NAMES = ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties'];

function isOf(value: Json, type: Json | undefined): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (value === null) return type === 'null';
  return type === (isList(value) ? 'array' : typeof value);
}

describe('references meant to be expensive', () => {
  const definitions = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at}`, { x: { type: 'string' } }]));
  const refersTo = (references: readonly string[]): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(references.map(($ref, at) => [`p${at}`, { $ref }])),
  });

  test('many definitions whose paths end alike get their own names', () => {
    const count = 5_000;
    const references = Array.from({ length: count }, (_, at) => `#/$defs/d${at}/x`);
    const sent = parametersFor({ ...refersTo(references), $defs: definitions(count) });
    expect(Object.keys(asObject(sent['$defs']) ?? {})).toHaveLength(count);
    const properties = Object.values(asObject(sent['properties']) ?? {});
    expect(new Set(properties.map((one) => asObject(one)?.['$ref'])).size).toBe(count);
  });

  test('a definition with many references is written once', () => {
    const references = Array.from({ length: 100 }, (_, at) => `#/prefixItems/${'0'.repeat(at + 1)}`);
    const sent = parametersFor({ ...refersTo(references), prefixItems: [{ type: 'string', minLength: 1 }] });
    expect(Object.values(asObject(sent['$defs']) ?? {})).toEqual([{ type: 'string', minLength: 1 }]);
  });

  test('nested definitions with references are refused if they become too many', () => {
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    let inner: JsonObject = { type: 'object', properties: wide };
    const references: string[] = [];
    for (let depth = 0; depth < 20; depth += 1) {
      inner = { type: 'array', items: inner };
      references.push(`#/$defs/d${'/items'.repeat(depth + 1)}`);
    }
    expect(() => parametersFor({ ...refersTo(references), $defs: { d: inner } })).toThrow(/too large/);
  });
});
