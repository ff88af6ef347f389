/** Schemas that hold themselves by way of required properties. */

import { expect, test } from 'vitest';
import { withoutRequiredLoops } from '../../src/conversation/rules/required-loops.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const text: JsonObject = { type: 'string' };
const either = (...anyOf: readonly JsonObject[]): JsonObject => ({ anyOf });
const of = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'a filter of filters',
    {
      ...of({ filter: refer('F') }),
      $defs: { F: either(refer('And'), text), And: of({ and: of({ left: refer('F'), right: refer('F') }) }) },
    },
    {
      ...of({ filter: refer('F') }),
      $defs: {
        F: either(refer('And'), text),
        And: of({ and: of({ left: refer('F'), right: refer('F') }, []) }),
      },
    },
  ],
  [
    'by two definitions',
    { ...of({ a: refer('A') }), $defs: { A: of({ b: refer('B') }), B: of({ a: refer('A'), c: text }) } },
    {
      ...of({ a: refer('A') }),
      $defs: { A: of({ b: refer('B') }), B: of({ a: refer('A'), c: text }, ['c']) },
    },
  ],
  ['by its root', of({ next: { $ref: '#' }, at: text }), of({ next: { $ref: '#' }, at: text }, ['at'])],
  [
    'in a list that is never empty',
    of({ all: list({ $ref: '#' }, { minItems: 1 }) }),
    of({ all: list({ $ref: '#' }, { minItems: 1 }) }, []),
  ],
  [
    'in what else must hold',
    { $defs: { T: of({ t: { allOf: [refer('T')], title: 'T' } }) }, ...of({ a: refer('T') }) },
    { $defs: { T: of({ t: { allOf: [refer('T')], title: 'T' } }, []) }, ...of({ a: refer('T') }) },
  ],
])('a loop is opened where it closes: %s', (_, schema, expected) => {
  expect(withoutRequiredLoops(schema)).toEqual(expected);
});

test.each<[string, JsonObject]>([
  ['of optional properties', of({ next: { $ref: '#' } }, [])],
  ['of lists', of({ children: list({ $ref: '#' }) })],
  ['with null as a choice', of({ next: either({ $ref: '#' }, { type: 'null' }) })],
  ['with null among its types', { ...of({ next: { $ref: '#' } }), type: ['object', 'null'] }],
  ['of names that are free', of({ all: { type: 'object', additionalProperties: { $ref: '#' } } })],
  ['that is none', { ...of({ a: refer('A'), b: refer('A') }), $defs: { A: of({ c: text }) } }],
  ['without a target', of({ a: refer('A'), b: { $ref: 'https://x.example/a.json' } })],
])('a loop that Gemini takes stays: one %s', (_, schema) => {
  expect(withoutRequiredLoops(schema)).toBe(schema);
});

test('references that multiply cost no time without end', () => {
  const names = Array.from({ length: 300 }, (_, at) => `D${at}`);
  const all = of(Object.fromEntries(names.map((name) => [name, refer(name)])));
  const schema = { ...all, $defs: Object.fromEntries(names.map((name) => [name, { ...all }])) };
  expect(withoutRequiredLoops(schema)).toMatchObject({ type: 'object' });
});
