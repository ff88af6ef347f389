/** Unions at the root of a schema. */

import { expect, test } from 'vitest';
import { withoutRootUnion } from '../../src/conversation/rules/root-union.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const B = { type: 'object', properties: { b: { type: 'number' } } };

test.each<[string, string, JsonObject]>([
  ['a definition', '#/$defs/A', { $defs: { A } }],
  ['one by its older name', '#/definitions/A', { definitions: { A } }],
  ['one with signs that a URL cannot have', '#/definitions/A%3Cx%3E', { definitions: { 'A<x>': A } }],
  ['one within others', '#/$defs/of/A', { $defs: { of: { A } } }],
  ['what stands elsewhere', '#/properties/x', { properties: { x: A } }],
])('a branch is %s', (_, $ref, beside) => {
  const made = withoutRootUnion({ type: 'object', ...beside, anyOf: [{ $ref }, B] });
  expect(made).not.toHaveProperty('anyOf');
  expect(made['properties']).toMatchObject({ a: { type: 'string' }, b: { type: 'number' } });
});

test('a branch that is the schema itself adds nothing', () => {
  const made = withoutRootUnion({ type: 'object', anyOf: [B, { $ref: '#' }] });
  expect(made['properties']).toEqual(B.properties);
});

test('references start at the schema around this one', () => {
  const inner = { properties: { x: B }, anyOf: [{ $ref: '#/properties/x' }] };
  const made = withoutRootUnion(inner, [], { properties: { x: A, inner } });
  expect(made['properties']).toEqual({ ...A.properties, x: B });
});

// If each name were looked for in a list of all others, this would take minutes and block every other request.
test('the required names of two branches are compared in one pass, however many they are', () => {
  const required = Array.from({ length: 200_000 }, (_, at) => `p${at}`);
  const made = withoutRootUnion({ anyOf: [{ required }, { required: required.toReversed() }] });
  expect(made['required']).toEqual(required);
});
