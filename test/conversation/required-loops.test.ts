/** Schemas that hold themselves by way of required properties. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutRequiredLoops } from '../../src/conversation/rules/required-loops.ts';
import { asList, asObject, asObjects, type JsonObject } from '../../src/lib/json.ts';

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

/** Whether a required property of any schema leads back to that schema. It tries each of them. */
function holdsLoop(root: JsonObject): boolean {
  const definitions = asObject(root['$defs']) ?? {};
  const required = (schema: JsonObject): readonly JsonObject[] =>
    asObjects(
      asList(schema['required']).map((name) => asObject(schema['properties'])?.[String(name)] ?? null),
    );
  const next = (schema: JsonObject): readonly JsonObject[] => [
    ...asObjects([definitions[String(schema['$ref']).replace('#/$defs/', '')] ?? null]),
    ...asObjects(schema['anyOf']),
    ...(schema['minItems'] === 1 ? [asObject(schema['items']) ?? {}] : []),
    ...required(schema),
  ];
  const follow = (starts: readonly JsonObject[]): ReadonlySet<JsonObject> => {
    const reached = new Set(starts);
    for (const schema of reached) for (const each of next(schema)) reached.add(each);
    return reached;
  };
  const all = follow([root, ...asObjects(Object.values(definitions).map((one) => one ?? null))]);
  return [...all].some((schema) => follow(required(schema)).has(schema));
}

test('no loop is left of any schema', () => {
  const names = ['A', 'B', 'C', 'D'];
  const reference = fc.constantFrom(...names).map(refer);
  const value = fc.oneof(
    reference,
    fc.constant(text),
    reference.map((one) => list(one, { minItems: 1 })),
    fc.tuple(reference, reference).map(([one, other]) => either(one, other)),
  );
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value).map((properties) => of(properties));
  const union = fc.tuple(reference, object).map(([one, other]) => either(one, other));
  const schemas = fc.tuple(...names.map(() => fc.oneof(object, union))).map((all) => ({
    ...of({ first: refer('A') }),
    $defs: Object.fromEntries(all.map((one, at) => [names[at] ?? '', one])),
  }));
  let changed = 0;
  fc.assert(
    fc.property(schemas, (schema) => {
      const finite = withoutRequiredLoops(schema);
      if (finite !== schema) changed += 1;
      expect(holdsLoop(finite)).toBe(false);
    }),
    { numRuns: 500 },
  );
  expect(changed).toBeGreaterThan(50);
});

test('references that multiply cost no time without end', () => {
  const names = Array.from({ length: 300 }, (_, at) => `D${at}`);
  const all = of(Object.fromEntries(names.map((name) => [name, refer(name)])));
  const schema = { ...all, $defs: Object.fromEntries(names.map((name) => [name, { ...all }])) };
  expect(withoutRequiredLoops(schema)).toMatchObject({ type: 'object' });
});
