/** Schemas that hold themselves. */

import { expect, test } from 'vitest';
import { withoutCycles } from '../../src/conversation/rules/without-cycles.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const of = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

test.each<[string, JsonObject, JsonObject]>([
  [
    'by a definition',
    { ...of({ tree: refer('T') }), $defs: { T: of({ of: list(refer('T')) }) } },
    { ...of({ tree: refer('T') }), $defs: { T: of({ of: list({ type: 'object' }) }) } },
  ],
  [
    'by two',
    { ...of({ a: refer('A') }), $defs: { A: of({ b: refer('B') }), B: of({ a: refer('A') }) } },
    { ...of({ a: refer('A') }), $defs: { A: of({ b: refer('B') }), B: of({ a: { type: 'object' } }) } },
  ],
  ['by its root', of({ of: list({ $ref: '#' }) }), of({ of: list({ type: 'object' }) })],
  [
    'by a place within',
    of({ a: of({ b: { $ref: '#/properties/a' } }) }),
    of({ a: of({ b: { type: 'object' } }) }),
  ],
  [
    'by a choice, which has no type',
    {
      $defs: { V: { title: 'Value', anyOf: [{ type: 'string' }, { ...list(refer('V')), title: 'Values' }] } },
    },
    { $defs: { V: { title: 'Value', anyOf: [{ type: 'string' }, { ...list({}), title: 'Values' }] } } },
  ],
  [
    'and is described where it does',
    { $defs: { T: of({ next: { ...refer('T'), description: 'The next one.' } }) } },
    { $defs: { T: of({ next: { type: 'object', description: 'The next one.' } }) } },
  ],
  ['by nothing else', { $ref: '#' }, {}],
])('one that holds itself %s is cut there', (_, schema, expected) => {
  expect(withoutCycles(schema)).toEqual(expected);
});

test.each<[string, JsonObject]>([
  ['refers to one definition twice', { ...of({ a: refer('A'), b: refer('A') }), $defs: { A: of({}) } }],
  ['has definitions in any order', { $defs: { A: refer('B'), B: refer('C'), C: of({}) }, ...refer('A') }],
  ['refers to nothing', of({ a: refer('A'), b: { $ref: 'https://x.example/a.json' } })],
  ['has a property of that name', of({ $ref: { type: 'string' } })],
])('one that %s stays', (_, schema) => {
  expect(withoutCycles(schema)).toBe(schema);
});

// If they were followed again from each place, this would never end.
test('definitions that refer to many others are visited once', () => {
  const names = Array.from({ length: 2000 }, (_, at) => `D${at}`);
  const all = of(Object.fromEntries(names.map((name) => [name, refer(name)])));
  const $defs = Object.fromEntries(
    names.map((name, at) => [name, of({ a: refer(`D${at + 1}`), b: refer(`D${at + 2}`) })]),
  );
  expect(JSON.stringify(withoutCycles({ ...all, $defs }))).toContain('#/$defs/D1999');
});
