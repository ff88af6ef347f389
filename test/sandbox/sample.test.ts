/** Sampled values are valid by their schema, for any schema. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asObject, parseJson } from '../../src/lib/json.ts';
import { sample } from '../../src/sandbox/sample.ts';
import { samplePattern } from '../../src/sandbox/sample-pattern.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    minLength: fc.nat(20),
    maxLength: fc.integer({ min: 20, max: 60 }),
  }),
  fc.record({ type: fc.constantFrom('integer', 'number'), minimum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ type: fc.constantFrom('integer', 'number'), maximum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ enum: fc.array(fc.constantFrom('red', 'green', 'blue'), { minLength: 1 }) }),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.record({
    type: fc.constant('string'),
    format: fc.constantFrom('email', 'uuid', 'date', 'date-time', 'ipv4'),
  }),
);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie('schema'), { maxKeys: 4 }).map(
      (properties): JsonObject => ({
        type: 'object',
        properties,
        required: Object.keys(properties).filter((_, index) => index % 2 === 0),
        additionalProperties: false,
      }),
    ),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ anyOf })),
  ),
}));

/** Whether another implementation of JSON Schema accepts the value. */
function isValid(by: JsonObject, value: Json): boolean {
  return z.fromJSONSchema(parseObject(by)).safeParse(value).success;
}

function parseObject(by: JsonObject): Parameters<typeof z.fromJSONSchema>[0] {
  return JSON.parse(JSON.stringify(by));
}

describe('a sampled value', () => {
  test('is valid by any schema, for any prompt', () => {
    fc.assert(
      fc.property(schema, fc.string(), (by, said) => {
        const value = sample(by, said);
        expect(isValid(by, value), JSON.stringify({ by, value })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('can be made from any JSON at all, without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (by, said) => {
        const given = parseJson(JSON.stringify({ type: 'object', properties: { it: by }, anyOf: by }));
        expect(() => JSON.stringify(sample(asObject(given) ?? {}, said))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  test('uses the values in the prompt', () => {
    const by: JsonObject = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
        title: { type: 'string' },
        query: { type: 'string' },
      },
    };
    expect(sample(by, 'How warm is it in New York for 5 days in fahrenheit? Call it "Trip"')).toEqual({
      city: 'New York',
      unit: 'fahrenheit',
      days: 5,
      title: 'Trip',
      query: 'Trip',
    });
    expect(sample(by, 'hello')).toEqual({
      city: 'Paris',
      unit: 'celsius',
      days: 1,
      title: 'sample title',
      query: 'hello',
    });
  });

  test('ends if a schema contains itself', () => {
    const tree: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            all: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['name', 'next', 'all'],
        },
      },
    };
    expect(JSON.stringify(sample(tree, '')).length).toBeLessThan(50_000);
    const twice: JsonObject = {
      type: 'object',
      properties: { one: { $ref: '#' }, other: { $ref: '#' } },
      required: ['one', 'other'],
      allOf: [{ $ref: '#' }, { $ref: '#' }],
    };
    expect(() => sample(twice, '')).not.toThrow();
    const endless: JsonObject = { $ref: '#' };
    expect(() => sample(endless, '')).not.toThrow();
  });

  test('follows a reference into a list, and one with percent-encoded characters', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        first: { $ref: '#/$defs/List%3Cstring%3E' },
        second: { $ref: '#/$defs/List%3Cstring%3E/anyOf/0/enum' },
        third: { $ref: '#/$defs/List%3Cstring%3E/anyOf/1' },
      },
      $defs: { 'List<string>': { anyOf: [{ const: 'a' }, { const: 'b' }] } },
    };
    expect(sample(schema, '')).toEqual({ first: 'a', second: 'sample second', third: 'b' });
  });

  test('takes no longer for a long prompt of digits', () => {
    expect(growthOf((size) => void sample({ type: 'integer' }, `${'1'.repeat(size)}x`), 2_500)).toBeLessThan(
      SQUARE,
    );
  });

  test('leaves out an optional flag that the prompt does not mention', () => {
    const properties = { command: { type: 'string' }, restart: { type: 'boolean' } };
    const bash: JsonObject = { type: 'object', properties };
    expect(sample(bash, 'Run "ls".')).toEqual({ command: 'ls' });
    expect(sample(bash, 'Restart it and run "ls".')).toEqual({ command: 'ls', restart: true });
    expect(sample({ ...bash, required: ['restart'] }, '')).toMatchObject({ restart: true });
  });

  test('leaves out a limit that the prompt does not mention', () => {
    const properties = { command: { type: 'string' }, timeout_ms: { type: 'integer', minimum: 0 } };
    const shell: JsonObject = { type: 'object', properties, required: ['command'] };
    expect(sample(shell, 'Run "ls".')).toEqual({ command: 'ls' });
    expect(sample(shell, 'Run "ls" with a timeout_ms of 5000.')).toEqual({ command: 'ls', timeout_ms: 5000 });
    expect(sample({ ...shell, required: ['timeout_ms'] }, '')).toMatchObject({ timeout_ms: 1 });
  });

  test('merges the parts of allOf, and accepts Google’s spelling', () => {
    expect(
      sample(
        {
          type: 'OBJECT',
          allOf: [{ properties: { a: { type: 'STRING', nullable: true } }, required: ['a'] }],
          properties: { b: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '3' } },
          required: ['b'],
        },
        '',
      ),
    ).toEqual({ a: 'sample a', b: [1, 1, 1] });
  });
});

describe('a text by a pattern', () => {
  test.each([
    '^[A-Z]{3}-\\d{4}$',
    '^(?:red|green)+$',
    '^\\+?[1-9]\\d{1,14}$',
    '[^a-f]x?y*z',
    '^(?<year>\\d{4})-(\\d{2})$',
    '^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$',
    '^$',
  ])('%s matches', (pattern) => {
    expect(samplePattern(pattern)).toMatch(new RegExp(pattern));
  });

  test.each(['^(?=a)b', '(a', 'a)', '[a', 'a{2000}', '\\1', '*'])('%s is given up', (pattern) => {
    expect(samplePattern(pattern)).toBeUndefined();
  });
});
