/** Recordings with something wrong with them, made up by fast-check: what fuzzing starts from. */

import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import { parseJson } from '../../src/lib/json.ts';

/** Values that a field is least expected to have. */
const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(
    ...[
      'null',
      'true',
      'false',
      '0',
      '-1',
      '-0',
      '0.5',
      '1e308',
      '9007199254740993',
      '[]',
      '{}',
      '[[]]',
      '[null]',
      '[{}]',
      '{"":""}',
      '""',
      '" "',
      '"\\u0000"',
      '"\\ud83d"',
      '"\\udc00\\ud800"',
      '"\\u2028"',
      '"\\r\\n\\r\\ndata: x"',
      '"__proto__"',
      '"constructor"',
      '"user"',
      '"assistant"',
      '"tool_use"',
      '"text"',
      '"function"',
      '"{\\"a\\":"',
      '"data:image/png;base64,"',
      '"http://x/"',
      '"[DONE]"',
      '{"__proto__":{"polluted":true}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      '{"type":"__proto__"}',
      '{"toString":1,"valueOf":null,"toJSON":"x"}',
      '{"length":4294967295,"0":1}',
    ].map(parseJson),
  ),
  fc.constantFrom(5, 100, 2_000).map((size) => 'x'.repeat(size)),
  fc.constantFrom(20, 100, 120).map((depth) => parseJson('['.repeat(depth) + ']'.repeat(depth))),
  fc.jsonValue({ maxDepth: 3 }).map((value) => parseJson(JSON.stringify(value))),
);

const hostileKey = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'toJSON',
    'length',
    '',
    '0',
    'type',
    'role',
    'content',
    'parts',
    'index',
    'id',
    'delta',
    'choices',
    'model',
  ),
  fc.string({ maxLength: 8 }),
);

/** One thing done to one node of a value; which, by a number. */
type Edit =
  | { readonly at: number; readonly kind: 'replace'; readonly value: Json }
  | { readonly at: number; readonly kind: 'delete' | 'twice' | 'unwrap' }
  | { readonly at: number; readonly kind: 'rename'; readonly key: string }
  | { readonly at: number; readonly kind: 'add'; readonly key: string; readonly value: Json };

const at = fc.nat(100_000);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ at, kind: fc.constant('replace' as const), value: hostileValue }) },
  {
    weight: 2,
    arbitrary: fc.record({
      at,
      kind: fc.constantFrom('delete' as const, 'twice' as const, 'unwrap' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('rename' as const), key: hostileKey }) },
  {
    weight: 2,
    arbitrary: fc.record({ at, kind: fc.constant('add' as const), key: hostileKey, value: hostileValue }),
  },
);

/** One of `bases`, with a few of its nodes not as they should be. */
export function mutatedJson(bases: readonly Json[]): fc.Arbitrary<Json> {
  return fc
    .record({ base: fc.constantFrom(...bases), edits: fc.array(edit, { minLength: 1, maxLength: 5 }) })
    .map(({ base, edits }) => edits.reduce(edited, base));
}

function edited(json: Json, change: Edit): Json {
  const wanted = change.at % countOf(json);
  let seen = 0;
  const visit = (value: Json): Json | undefined => {
    const here = seen++ === wanted;
    if (typeof value !== 'object' || value === null) return here ? changed(value, change) : value;
    const inner = Array.isArray(value)
      ? value.flatMap((item: Json) => {
          const twice = seen === wanted && change.kind === 'twice';
          const made = visit(item);
          return made === undefined ? [] : twice ? [made, made] : [made];
        })
      : Object.fromEntries(
          Object.entries(value).flatMap(([key, item]) => {
            const renamed = seen === wanted && change.kind === 'rename' ? change.key : key;
            const made = visit(item ?? null);
            return made === undefined ? [] : [[renamed, made]];
          }),
        );
    return here ? changed(inner, change) : inner;
  };
  return visit(json) ?? null;
}

function changed(value: Json, change: Edit): Json | undefined {
  if (change.kind === 'replace') return change.value;
  if (change.kind === 'delete') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (change.kind === 'unwrap') return Object.values(value)[0] ?? null;
  if (change.kind !== 'add') return value;
  if (Array.isArray(value)) return [...value, change.value];
  return Object.fromEntries([...Object.entries(value), [change.key, change.value]]);
}

function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countOf(item ?? null), 1);
}

const hostileBytes = fc.oneof(
  fc.uint8Array({ maxLength: 8 }),
  fc
    .constantFrom(
      '\n',
      '\r',
      '\n\n',
      '\r\n\r\n',
      '\0',
      '\ufeff',
      ':',
      'data: ',
      'data: {}\n\n',
      'data: [DONE]\n\n',
      'event: error\ndata: {}\n\n',
      'data: null\n\n',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      '\\ud800',
      '\u2028',
      '__proto__',
      '1e999',
      'retry: 1\n',
      'id: \0\n',
    )
    .map((text) => new TextEncoder().encode(text)),
);

/** One of `bases`, with some bytes changed, put in, left out, twice there, or cut off. */
export function mutatedBytes(bases: readonly Uint8Array[]): fc.Arbitrary<Buffer> {
  const change = fc.record({
    kind: fc.constantFrom('put', 'put', 'over', 'cut', 'twice', 'end'),
    at,
    length: fc.oneof(fc.nat(4), fc.nat(400)),
    bytes: hostileBytes,
  });
  return fc
    .record({ base: fc.constantFrom(...bases), changes: fc.array(change, { minLength: 1, maxLength: 5 }) })
    .map(({ base, changes }) =>
      changes.reduce((bytes, { kind, at: where, length, bytes: put }) => {
        const from = where % (bytes.length + 1);
        const to = Math.min(bytes.length, from + length);
        const [before, touched, after] = [
          bytes.subarray(0, from),
          bytes.subarray(from, to),
          bytes.subarray(to),
        ];
        if (kind === 'put') return Buffer.concat([before, put, touched, after]);
        if (kind === 'over') return Buffer.concat([before, put, bytes.subarray(from + put.length)]);
        if (kind === 'twice') return Buffer.concat([before, touched, touched, after]);
        return kind === 'cut' ? Buffer.concat([before, after]) : Buffer.from(before);
      }, Buffer.from(base)),
    );
}

/** Bytes in pieces, cut where the numbers say. */
export function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const place of [...places, bytes.length]) {
    pieces.push(bytes.subarray(from, place));
    from = place;
  }
  return pieces;
}
