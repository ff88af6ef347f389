/**
 * The usage read from the passing bytes equals what the codec reads from the whole answer, wherever the bytes
 * are split.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeLedger } from '../../../src/accounting/usage/closed-ledger.ts';
import { openLedger } from '../../../src/accounting/usage/ledger.ts';
import { makeRecord } from '../../../src/accounting/usage/make-record.ts';
import { observeUsage } from '../../../src/accounting/usage/observe-usage.ts';
import { UsageObserver } from '../../../src/accounting/usage/usage-observer.ts';
import { usageIn } from '../../../src/accounting/usage/usage-search.ts';
import { collect } from '../../../src/conversation/collect.ts';
import { usageReaders } from '../../../src/formats/usage-readers.ts';
import { parseJson } from '../../../src/lib/json.ts';
import { TrailingBytes } from '../../../src/streams/trailing-bytes.ts';
import { allFormats, eventsOf, eventsOfWhole } from '../../support/meaning.ts';
import { FIXTURES } from '../../support/recording.ts';

const cases = allFormats.flatMap((format) =>
  readdirSync(join(FIXTURES, 'replies', format.name))
    .filter((file) => !file.startsWith('error'))
    .map((file) => ({ format, file, name: `${format.name}/${file}` })),
);

describe.each(cases)('$name', ({ format, file }) => {
  const bytes = readFileSync(join(FIXTURES, 'replies', format.name, file));
  const events = file.endsWith('.sse')
    ? eventsOf(format, bytes)
    : eventsOfWhole(format, bytes.toString('utf8'));
  const { input, output, cacheRead, reasoning } = collect(events).usage;

  test.each([1, 2, 3, 5, 7, 16, 64, 1000, 1_000_000])('in chunks of %i', (size) => {
    const observer = new UsageObserver(usageReaders[format.name].field);
    for (let at = 0; at < bytes.length; at += size) observer.add(bytes.subarray(at, at + size));
    const usage = usageReaders[format.name].tokens(
      usageIn(observer.remains(), usageReaders[format.name].field),
      '',
    );
    expect([usage.input, usage.output, usage.cacheRead, usage.reasoning]).toEqual([
      input,
      output,
      cacheRead,
      reasoning,
    ]);
  });
});

test('a text that mentions usage is not usage', () => {
  const observer = new UsageObserver('usage');
  const text = JSON.stringify({ content: 'say {"usage":{"prompt_tokens":7}}', usage: { prompt_tokens: 1 } });
  observer.add(Buffer.from(text));
  expect(usageIn(observer.remains(), 'usage')).toEqual([{ prompt_tokens: 1 }]);
});

test('null is not usage, and spaces change nothing', () => {
  const observer = new UsageObserver('usage');
  observer.add(Buffer.from('{"usage":null} {"usage" : \n {"a":"}\\"","b":{"c":1}} }'));
  expect(usageIn(observer.remains(), 'usage')).toEqual([{ a: '}"', b: { c: 1 } }]);
});

test.each(['', ' ', '\n', '\r', '\t', ' \r\n\t '])('%j may surround the colon of the field', (space) => {
  const observer = new UsageObserver('usage');
  observer.add(Buffer.from(`{"usage"${space}:${space}{"a":1}}`));
  expect(usageIn(observer.remains(), 'usage')).toEqual([{ a: 1 }]);
});

describe.each([
  ['a figure', '{"prompt_tokens":0,"completion_tokens":10}', true],
  ['a figure behind a space, as Python writes it', '{"prompt_tokens": 0, "completion_tokens": 10}', true],
  ['a figure inside', '{"prompt_tokens":0,"prompt_tokens_details":{"cached_tokens":3}}', true],
  ['a price of less than a cent alone', '{"prompt_tokens":0,"cost":0.0004}', true],
  ['a price of less than a dollar alone', '{"prompt_tokens":0,"cost":0.5}', true],
  ['zeros', '{"prompt_tokens":0, "completion_tokens": 0, "cost":0.00}', false],
  ['zeros, and digits in a name', '{"input_tokens":0,"ephemeral_5m_input_tokens":0}', false],
  ['nothing', '{}', false],
])('a last usage with %s', (_, usage, counts) => {
  test.each([7, 100, 1_000_000])('is kept if it counts anything: in pieces of %i bytes', (size) => {
    const before = [1, 2].map((figure) => `{"usage":{"prompt_tokens":${figure}}}`);
    const bytes = Buffer.from([...before, `{"usage":${usage}}`, ''].join('\n\n'));
    const observer = new UsageObserver('usage');
    for (let at = 0; at < bytes.length; at += size) observer.add(bytes.subarray(at, at + size));
    expect(usageIn(observer.remains(), 'usage').at(-1)).toEqual(
      counts ? parseJson(usage) : { prompt_tokens: 2 },
    );
  });
});

test.each([100, 1_000, 1_500, 4_000])('a long usage is read in pieces of %i bytes', (size) => {
  // Longer than what is kept of an answer in any case.
  const details = Array.from({ length: 200 }, (_, at) => ({ step: at, input_tokens: at, output_tokens: 1 }));
  const usage = { input_tokens: 7, details, output_tokens: 5 };
  const bytes = Buffer.from(JSON.stringify({ text: 'word '.repeat(500), usage, more: 'word '.repeat(500) }));
  for (let first = 1; first < size; first += Math.ceil(size / 16)) {
    const observer = new UsageObserver('usage');
    observer.add(bytes.subarray(0, first));
    for (let at = first; at < bytes.length; at += size) observer.add(bytes.subarray(at, at + size));
    expect(usageIn(observer.remains(), 'usage')).toEqual([usage]);
  }
});

test('accepts any bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.boolean(), (chunks, marked) => {
      const observer = new UsageObserver('usage');
      for (const chunk of chunks) {
        if (marked) observer.add(Buffer.from('"usage":{"a":'));
        observer.add(chunk);
      }
      usageIn(observer.remains(), 'usage');
    }),
  );
});

test('usage is found anywhere in a long answer, wherever that is split', () => {
  const parts = fc.array(
    fc.constantFrom('{"content":"of usage\\""}', '"usage"', '"usage":null', '"', '\n\n'),
  );
  const filler = parts.map((all) => all.join(','));
  const much = fc.tuple(filler, fc.nat(10_000)).map(([end, length]) => `${'x'.repeat(length)}${end}`);
  const pieceSizes = fc.infiniteStream(fc.integer({ min: 1, max: 6_000 }));
  fc.assert(
    fc.property(much, much, pieceSizes, fc.boolean(), (before, after, sizes, isShared) => {
      const usages = [{ output_tokens: 1 }, { inside: { text: '}"' }, output_tokens: 2 }];
      const [first, last] = usages.map((usage) => `"usage":${JSON.stringify(usage)}`);
      const bytes = Buffer.from(`${first}${before} ${last}${after}`);
      const shared = isShared ? new TrailingBytes(new Uint8Array(2_048)) : undefined;
      const observer = new UsageObserver('usage', false, shared);
      for (let at = 0; at < bytes.length; ) {
        const { value: size } = sizes.next();
        observer.add(bytes.subarray(at, at + size));
        shared?.add(bytes.subarray(at, at + size));
        at += size;
      }
      expect(usageIn(observer.remains(), 'usage')).toEqual(usages);
    }),
  );
});

test.each([1_000, 16 * 1024, 64 * 1024, 1_000_000])(
  'thousands of unterminated fields do not hide a field after them: chunks of %i',
  (size) => {
    const open = `${'"usage":{"tokens":1,'.repeat(20_000)}"a":1${'}'.repeat(20_000)},`;
    const long = `"usage":{"tokens":"${'x'.repeat(20_000)}"},`.repeat(20);
    for (const before of [open, long, open + long]) {
      const observer = new UsageObserver('usage');
      const bytes = Buffer.from(`${before}"usage":{"prompt_tokens":5,"completion_tokens":7}}`);
      for (let at = 0; at < bytes.length; at += size) observer.add(bytes.subarray(at, at + size));
      expect(usageReaders['chat-completions'].tokens(usageIn(observer.remains(), 'usage'), '')).toMatchObject(
        {
          input: 5,
          output: 7,
        },
      );
    }
  },
);

test('what remains of an answer in one piece may be asked for twice, and before more of it comes', () => {
  const first = '"usage":{"prompt_tokens":1}';
  const last = '"usage":{"prompt_tokens":2}';
  for (const text of [first, `${first}${'x'.repeat(2_000)}`, `${'x'.repeat(2_000)}${first}`]) {
    const observer = new UsageObserver('usage');
    observer.add(Buffer.from(text));
    for (let times = 0; times < 2; times++)
      expect(usageIn(observer.remains(), 'usage')).toEqual([{ prompt_tokens: 1 }]);
    observer.add(Buffer.from(`${'x'.repeat(2_000)}${last}`));
    expect(usageIn(observer.remains(), 'usage')).toEqual([{ prompt_tokens: 1 }, { prompt_tokens: 2 }]);
  }
});

test('what is kept of a stream keeps no more memory than its own bytes', () => {
  const observer = new UsageObserver('usage', true);
  const event = Buffer.from('data: {"service_tier":"default","usage":{"prompt_tokens":9}}\n\n');
  for (let times = 0; times < 100; times++) observer.add(event);
  const kept = observer.remains().slice(0, 3);
  expect(kept.map((bytes) => bytes.buffer.byteLength)).toEqual(kept.map((bytes) => bytes.byteLength));
  expect(kept.map((bytes) => String(bytes).slice(0, 12))).toEqual([
    '"usage":{"pr',
    '"usage":{"pr',
    'service_tier',
  ]);
});

test('a closed ledger has what was used, and an open one keeps nothing of the answer after it', () => {
  const ledger = openLedger(true);
  ledger.spoken = 'chat-completions';
  ledger.tiered = true;
  const observer = observeUsage(ledger, 'chat-completions', false);
  const events = ['{"choices":[{"delta":{"content":"word"}}]}', '{"usage":{"prompt_tokens":5}}', '[DONE]'];
  for (const event of events)
    observer?.transform(Buffer.from(`data: ${event}\n\n`), { enqueue: () => undefined });
  expect(ledger.usage?.remains()).not.toEqual([]);
  const closed = closeLedger(ledger, { id: 'x', format: 'chat-completions', operation: 'generate' }, true);
  expect(makeRecord(closed).usage.input).toBe(5);
  expect(ledger.usage?.remains()).toEqual([]);
  expect(ledger.usage?.end()).toHaveLength(0);
});
