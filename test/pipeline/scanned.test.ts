/** A body keeps what its scan has found when a field of it changes: a second scan would find the same. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsInexactNumber } from '../../src/conversation/inexact-number.ts';
import { scanObject } from '../../src/lib/json-scan.ts';
import { fieldsWithInexactNumbers } from '../../src/pipeline/body/parse-body.ts';
import { replaced, type Scanned, scanned, withFirst } from '../../src/pipeline/body/scanned.ts';
import { requireUniqueKeys } from '../../src/pipeline/restrictions/unique-keys.ts';

const body = fc
  .record({
    before: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    model: fc.string(),
    after: fc.array(fc.jsonValue({ maxDepth: 3 })),
    indent: fc.nat(2),
  })
  .map(({ before, model, after, indent }) =>
    Buffer.from(JSON.stringify({ before, model, after, store: true }, undefined, indent)),
  );

/** As a second scan would find it. But a key with an escape may be gone with the value that had it. */
function expectSameScan({ body: changed, scan }: Scanned): void {
  const { hasEscapedKey, ...found } = scanObject(changed);
  const { hasEscapedKey: kept, ...rest } = scan;
  expect(rest).toEqual(found);
  if (hasEscapedKey !== false) expect(kept).not.toBe(false);
}

test('a field that is replaced', () => {
  fc.assert(
    fc.property(body, fc.string(), (bytes, name) => {
      const made = replaced(replaced(scanned(bytes), 'model', JSON.stringify(name)), 'store', 'false');
      expectSameScan(made);
      expect(made.tree()).toEqual({ ...JSON.parse(bytes.toString('utf8')), model: name, store: false });
    }),
  );
});

test('a field that is put before all others', () => {
  fc.assert(
    fc.property(body, (bytes) => {
      const made = withFirst(scanned(bytes), 'first', 'false');
      expectSameScan(made);
      expect(made.tree()).toEqual({ first: false, ...JSON.parse(bytes.toString('utf8')) });
    }),
  );
});

test('the fields with odd numbers are those whose text has one', () => {
  const number = fc.constantFrom('-0', '1.0', '1e-400', '12345678901234567890', '0.7', '-1', '12', '"-0"');
  const value = fc.array(number).map((numbers) => `[${numbers.join()}]`);
  fc.assert(
    fc.property(fc.array(fc.oneof(number, value)), (values) => {
      const text = `{${values.map((each, at) => `"${at}":${each}`).join()}}`;
      const expected = values.flatMap((each, at) => (holdsInexactNumber(each) ? [String(at)] : []));
      expect([...fieldsWithInexactNumbers(scanned(Buffer.from(text)))]).toEqual(expected);
    }),
  );
});

test.each([
  ['{"a":{"b":1,"b":2}}', false],
  ['{"a":[[{"b":{"c":1,"\\u0063":2}}]]}', false],
  ['{"a":{"b":1},"c":{"b":1},"d":[{"b":":"},{"b":[]}]}', true],
  ['{"a":{"__proto__":1,"constructor":{"a":1}}}', true],
])('%s: no key is twice in an object: %s', (text, isUnique) => {
  const check = () => requireUniqueKeys(scanned(Buffer.from(text)), 'messages');
  if (isUnique) expect(check).not.toThrow();
  else expect(check).toThrow('twice');
});
