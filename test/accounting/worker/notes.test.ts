/** Notes as bytes say what the ledgers said that they are of. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClosedLedger } from '../../../src/accounting/usage/ledger.ts';
import { decodeRecords, openRecordWriter } from '../../../src/accounting/worker/records.ts';
import { FORMAT_NAMES, OPERATIONS } from '../../../src/conversation/prompt.ts';
import { TIERS } from '../../../src/conversation/tokens.ts';
import { closedLedger } from './ledgers.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const figure = fc.double({ noNaN: true });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const format = fc.constantFrom(...FORMAT_NAMES);

/** What several have in common, and what only one has. */
const CHEAP = { id: 'openai/gpt-4.1', prices: { input: 2, output: 8 } };
const DEAR = { id: 'openai/gpt-4.1', prices: { input: 3, output: 9 } };
const name = maybe(fc.oneof(text, fc.constantFrom('a', 'b')));
const rates = fc
  .record({
    input: figure,
    output: figure,
    more: fc.dictionary(fc.constantFrom('cacheRead', 'cacheWrite', 'cacheWriteHour'), figure),
  })
  .map(({ input, output, more }) => ({ input, output, ...more }));
const model = fc.record({
  id: text,
  prices: fc
    .record({
      usual: rates,
      searches: maybe(figure),
      long: maybe(fc.record({ above: figure, rates })),
      tiers: maybe(fc.dictionary(fc.constantFrom(...TIERS), figure, { minKeys: 1 })),
    })
    .map(({ usual, long, searches, tiers }) => ({
      ...usual,
      ...(searches !== undefined && { searches }),
      ...(long && { long: { above: long.above, ...long.rates } }),
      ...(tiers && { tiers }),
    })),
});

const ledger: fc.Arbitrary<ClosedLedger> = fc.record({
  id: text,
  time: figure,
  key: name,
  group: name,
  tag: name,
  model: maybe(fc.oneof(model, fc.constantFrom(CHEAP, DEAR))),
  vendor: name,
  format,
  spoken: maybe(format),
  operation: fc.constantFrom(...OPERATIONS),
  streamed: fc.boolean(),
  status: fc.nat(599),
  fault: maybe(fc.constantFrom('internal', 'upstream-broken', 'invalid-request')),
  cause: name,
  duration: figure,
  firstByte: maybe(figure),
  attempts: fc.nat(9),
  gaveWay: maybe(
    fc.array(
      fc.record({
        model: text,
        vendor: text,
        fault: fc.constantFrom('upstream-broken', 'rate-limited'),
        attempts: fc.nat(9),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  ),
  violations: maybe(fc.nat(9)),
  remains: fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 4 }),
  finished: fc.boolean(),
  passed: maybe(fc.record({ input: fc.nat(), output: fc.nat() })),
});

/** What is left of a vendor's body comes back as one piece. */
const inOnePiece = (closed: ClosedLedger): object => {
  const { remains, ...rest } = closed;
  return { ...rest, remains: Buffer.concat(remains).toString('latin1') };
};

test('whatever they say, and however many', () => {
  const notebook = openRecordWriter();
  let blank: ArrayBuffer | undefined;
  fc.assert(
    fc.property(fc.array(ledger, { maxLength: 60 }), (ledgers) => {
      for (const closed of ledgers) notebook.add(closed);
      expect(notebook.count()).toBe(ledgers.length);
      const notes = notebook.take(blank);
      expect([notebook.count(), notebook.size()]).toEqual([0, 0]);
      expect([...decodeRecords(notes)].map(inOnePiece)).toEqual(ledgers.map(inOnePiece));
      blank = notes.bytes;
    }),
  );
});

test('of prices that change, those of the time of each', () => {
  const notebook = openRecordWriter();
  const [cheap, dear] = [CHEAP.prices, DEAR.prices];
  const model = { ...CHEAP, prices: { ...cheap, later: { from: '2026-12-01', prices: dear } } };
  const days = ['2026-11-30', '2026-12-01', '2026-11-30', '2026-12-02'];
  for (const day of days) notebook.add(closedLedger({ model, time: Date.parse(day) }));
  const read = [...decodeRecords(notebook.take())].map((closed) => closed.model?.prices);
  expect(read).toEqual([cheap, dear, cheap, dear]);
});

test('names of any length, and text that is no Unicode', () => {
  const notebook = openRecordWriter();
  notebook.add(closedLedger({ key: 'x'.repeat(100_000), vendor: '\ud800' }));
  notebook.add(closedLedger());
  const [long, next] = [...decodeRecords(notebook.take())];
  expect(long?.key).toMatch(/^x{1000}/);
  expect(long?.vendor).toBe('\ufffd');
  expect(next).toMatchObject({ key: 'team', vendor: 'openai' });
});
