/** Schemas whose root is a reference. */

import { expect, test } from 'vitest';
import { withoutRootReference } from '../../src/conversation/rules/root-reference.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { excessOf } from '../support/cost.ts';

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

test.each<[string, JsonObject]>([
  ['a definition', { $ref: '#/$defs/A', $defs: { A } }],
  ['one by its older name', { $ref: '#/definitions/A', definitions: { A } }],
  ['one by a name that a URL cannot have', { $ref: '#/$defs/A%3Cx%3E', $defs: { 'A<x>': A } }],
  ['a reference to another', { $ref: '#/$defs/B', $defs: { B: { $ref: '#/$defs/A' }, A } }],
])('the root is %s', (_, schema) => {
  expect(withoutRootReference(schema)).toEqual(A);
});

test('definitions that others refer to stay', () => {
  const C = { type: 'object', properties: { list: { items: { $ref: '#/$defs/A' } } } };
  expect(withoutRootReference({ $ref: '#/$defs/C', $defs: { A, C } })).toEqual({ ...C, $defs: { A } });
  const odd = { type: 'object', dependentSchemas: { x: { $ref: '#/$defs/A' } } };
  expect(withoutRootReference({ $ref: '#/$defs/odd', $defs: { A, odd } })).toEqual({ ...odd, $defs: { A } });
});

test('a definition that holds itself stays one', () => {
  const tree = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  };
  const schema = { $ref: '#/$defs/tree', $defs: { tree } };
  expect(withoutRootReference(schema)).toEqual({ ...tree, $defs: { tree } });
  const root = { type: 'object', properties: { x: { $ref: '#' } } };
  expect(withoutRootReference({ $ref: '#/$defs/root', $defs: { root } })).toEqual(root);
});

test('keywords beside the reference hold, too', () => {
  const own = { description: 'Mine', properties: { b: { type: 'number' } }, required: ['b'] };
  expect(withoutRootReference({ $ref: '#/$defs/A', $defs: { A }, ...own })).toEqual({
    type: 'object',
    description: 'Mine',
    properties: { ...A.properties, ...own.properties },
    required: ['a', 'b'],
  });
});

test.each<[string, JsonObject]>([
  ['there is none', { ...A, $defs: { A } }],
  ['it leads nowhere', { $ref: '#/$defs/none', $defs: { A } }],
  ['it leads to another document', { $ref: 'https://a.example/a.json', $defs: { A } }],
])('the schema itself: %s', (_, schema) => {
  expect(withoutRootReference(schema)).toBe(schema);
});

test.each<[string, JsonObject]>([
  ['the root', { type: 'object', $ref: '#' }],
  ['itself', { $ref: '#/$defs/A', $defs: { A: { type: 'object', $ref: '#/$defs/A' } } }],
  [
    'each other',
    {
      $ref: '#/$defs/A',
      $defs: { A: { type: 'object', $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } },
    },
  ],
])('a reference that leads back says nothing: %s', (_, schema) => {
  expect(withoutRootReference(schema)).toMatchObject({ type: 'object' });
  expect(withoutRootReference(schema)).not.toHaveProperty('$ref');
});

test('a long chain of references, each with properties of its own, costs no more than its size', () => {
  const chain = (size: number): JsonObject => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: size }, (_, at) => [
        `d${at}`,
        { $ref: `#/$defs/d${at + 1}`, properties: { [`p${at}`]: {} } },
      ]),
    ),
  });
  expect(excessOf(chain, withoutRootReference, 5_000)).toBeUndefined();
});
