/** Vendors whose usage figures are odd or missing: the usage of an exchange is then unknown, which is not zero. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openExchangeCounters } from '../../src/accounting/metrics/counters.ts';
import { computeConsumption } from '../../src/accounting/usage/consumption.ts';
import { usageReaders } from '../../src/formats/usage-readers.ts';
import { isList, isObject, type Json, parseJson } from '../../src/lib/json.ts';
import { rowOf } from '../accounting/usage/records.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import { ask, eventTexts, streamedAnswer, ways, wholeAnswer } from './upstream-ways.ts';

let upstream: FaultUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeAll(async () => {
  upstream = await startFaultUpstream();
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  gateway.records.length = 0;
});

/** `value` with `change` applied to every `field` in it; undefined removes the field. */
function changed(
  value: Json | undefined,
  field: string,
  change: (usage: Json) => Json | undefined,
): Json | undefined {
  if (isList(value)) return value.map((item) => changed(item, field, change) ?? null);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const made = key === field && inner !== undefined ? change(inner) : changed(inner, field, change);
      return made === undefined ? [] : [[key, made]];
    }),
  );
}

/** `usage` with `figure` applied to every figure in it, however deep. */
const figures = (figure: (count: number) => Json) =>
  function all(usage: Json): Json {
    if (typeof usage === 'number') return figure(usage);
    if (isList(usage)) return usage.map(all);
    if (!isObject(usage)) return usage;
    return Object.fromEntries(Object.entries(usage).map(([key, value]) => [key, all(value ?? null)]));
  };

const ODD: readonly (readonly [name: string, change: (usage: Json) => Json | undefined, known: boolean])[] = [
  ['missing', () => undefined, false],
  ['null', () => null, false],
  ['a list', () => [1, 2], false],
  ['empty', () => ({}), false],
  ['text', figures(String), false],
  ['no numbers', figures(() => null), false],
  ['huge', figures(() => 1e300), false],
  ['negative', figures((count) => -count - 1), true],
  ['fractions', figures((count) => count + 0.5), true],
];

describe.each(ODD)('U-38 usage that is %s', (_, change, known) => {
  test.each(ways)('$name: the answer passes, and its cost is never wrong', async (way) => {
    const field = usageReaders[way.spoken].field;
    const whole = JSON.stringify(changed(parseJson(wholeAnswer(way.spoken)), field, change));
    const stream = eventTexts(streamedAnswer(way.spoken)).map((event) =>
      event.replace(/^data: (\{.*)$/m, (_line, data: string) => {
        return `data: ${JSON.stringify(changed(parseJson(data), field, change))}`;
      }),
    );
    for (const streamed of [false, true]) {
      gateway.records.length = 0;
      upstream.script((wire) => (streamed ? wire.wholeStream(stream) : wire.answer(200, whole)));
      const response = await ask(gateway.url, way, streamed);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).not.toMatch(/NaN|Infinity|"error": ?\{/);
      // Natively the vendor's own figures pass; those of the gateway are never below zero.
      if (way.format !== way.spoken) expect(text).not.toMatch(/_tokens":-/);
      await eventually(() => gateway.records.length === 1, 'the exchange is recorded');
      const [record] = gateway.records;
      if (record === undefined) throw new Error('There is no record.');
      expect(record.outcome).toBe('complete');
      if (known) expect(record.cost ?? 0).toBeGreaterThanOrEqual(0);
      else {
        expect(record.cost).toBeUndefined();
        // Limits count what cannot be read as what is not reported at all.
        expect(record.estimated?.tokens).toBeGreaterThan(0);
        expect(computeConsumption({ ...record, key: 'test' })?.tokens).toBe(record.estimated?.tokens);
      }
      expect(record.cost ?? 0).toBeLessThan(1);
      // None of it corrupts a sum, in the store or among the metrics.
      const row = rowOf({ ...record, key: 'test' });
      const { input, output, reasoning, cache_read, cache_write } = row;
      for (const count of [input, output, reasoning, cache_read, cache_write]) {
        expect(count === null || (Number.isInteger(count) && count >= 0 && count <= 1e9)).toBe(true);
      }
      const tally = openExchangeCounters();
      tally.record(record);
      for (const { tokens, cost, uncounted } of tally.figures().models) {
        for (const count of Object.values(tokens)) expect(count <= 1e9 && count >= 0).toBe(true);
        expect(Number.isFinite(cost)).toBe(true);
        expect(uncounted).toBe(record.cost === undefined ? 1 : 0);
      }
    }
  });
});

test('U-38 figures that decrease: the last ones count', async () => {
  const [chat] = ways;
  if (chat === undefined) throw new Error('There are no ways.');
  const event = (count: number, ending: string | null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'x' }, finish_reason: ending }], usage: { prompt_tokens: 3, completion_tokens: count, total_tokens: 3 + count } })}\n\n`;
  upstream.script((wire) => wire.wholeStream([event(9, null), event(4, 'stop'), 'data: [DONE]\n\n']));
  await (await ask(gateway.url, chat, true)).text();
  await eventually(() => gateway.records.length === 1, 'the exchange is recorded');
  expect(gateway.records[0]?.usage).toMatchObject({ input: 3, output: 4 });
});
