/** Records as they are posted to the accounting worker. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClosedLedger } from '../../../src/accounting/usage/closed-ledger.ts';
import { makeRecord } from '../../../src/accounting/usage/make-record.ts';
import { packRecord, unpackRecord } from '../../../src/accounting/worker/records.ts';
import { FORMAT_NAMES, OPERATIONS } from '../../../src/conversation/prompt.ts';
import { TIERS } from '../../../src/conversation/tokens.ts';
import { closedLedger } from './ledgers.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const figure = fc.double({ noNaN: true });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const format = fc.constantFrom(...FORMAT_NAMES);

/** One model at two prices. */
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
  expiredKey: name,
  revokedKey: name,
  group: name,
  tag: name,
  modelLimits: maybe(fc.array(text)),
  model: maybe(fc.oneof(model, fc.constantFrom(CHEAP, DEAR))),
  upstreamModel: name,
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
  isWhole: fc.boolean(),
  remains: fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 4 }),
  finished: fc.boolean(),
  passed: maybe(fc.record({ input: fc.nat(), output: fc.nat() })),
});

/** A ledger with the tail of its body as one text: it arrives in one piece. */
const inOnePiece = (closed: ClosedLedger): object => {
  const { remains, ...rest } = closed;
  return { ...rest, remains: Buffer.concat(remains).toString('latin1') };
};

const roundTrip = (closed: ClosedLedger): ClosedLedger => unpackRecord(structuredClone(packRecord(closed)));

test('a record survives the way to another thread, whatever is in it', () => {
  fc.assert(
    fc.property(ledger, (closed) => {
      expect(inOnePiece(roundTrip(closed))).toEqual(inOnePiece(closed));
    }),
  );
});

test('of a catalog model only the id and the prices are sent along', () => {
  const model = { ...CHEAP, vendor: 'openai', outputs: () => 'not plain data' };
  expect(roundTrip(closedLedger({ model })).model).toEqual(CHEAP);
});

test('prices that change later arrive whole, and a record costs the price valid at its time', () => {
  const [cheap, dear] = [CHEAP.prices, DEAR.prices];
  const model = { ...CHEAP, prices: { ...cheap, later: { from: '2026-12-01', prices: dear } } };
  const costs = ['2026-11-30', '2026-12-01', '2026-12-02'].map(
    (day) => makeRecord(roundTrip(closedLedger({ model, time: Date.parse(day) }))).cost,
  );
  // 100 tokens of input and 20 of output.
  expect(costs.map((cost) => Math.round((cost ?? 0) * 1e6))).toEqual([360, 480, 480]);
});

test('a tail that shares its memory with much else is sent alone', () => {
  const pool = Buffer.alloc(1_000_000, 0x20);
  const [remains] = packRecord(closedLedger({ remains: [pool.subarray(10, 20)] }));
  expect(remains).toHaveLength(10);
});
