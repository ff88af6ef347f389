import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfter } from '../../src/upstream/retry-after.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

test.each<[Record<string, string | string[]>, number | undefined]>([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1.5],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 0.25],
  [{ 'retry-after-ms': 'x', 'retry-after': '1' }, 1],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:00:00 GMT' }, 0],
  [{ 'retry-after': 'Wed, 99 Jan 2026 03:00:00 GMT' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'NaN' }, undefined],
  [{ 'retry-after': '1e9' }, undefined],
  [{ 'retry-after': '9999999999999' }, undefined],
  [{ 'retry-after': '12 monkeys' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': ['1', '2'] }, undefined],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' }, 0.12],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1h2m3.5s' }, 3723.5],
  // The limit of these headers is not exhausted.
  [{ 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '6m0s' }, undefined],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'soon' }, undefined],
  [
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '2s',
    },
    2,
  ],
])('%j: %s', (headers, expected) => {
  expect(retryAfter(headers, NOW)).toBe(expected);
});

const MONTH = 31 * 86_400;

test.each([
  { 'retry-after': '999999999' },
  { 'retry-after-ms': '999999999999' },
  { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '999999999d' },
])('%j is a month or nothing', (headers) => {
  expect([MONTH, undefined]).toContain(retryAfter(headers, NOW));
});

test.each(['Infinity', '1e308', '-1', 'NaN', '1e3', '0x10'])('Retry-After: %s is ignored', (value) => {
  expect(retryAfter({ 'retry-after': value, 'retry-after-ms': value }, NOW)).toBeUndefined();
});

test('law: whatever the header says, the result is a wait or nothing', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('retry-after', 'retry-after-ms', 'x-ratelimit-reset-tokens'),
        fc.string(),
      ),
      (headers) => {
        const wait = retryAfter({ 'x-ratelimit-remaining-tokens': '0', ...headers }, NOW);
        if (wait !== undefined) expect(wait >= 0 && Number.isFinite(wait)).toBe(true);
      },
    ),
  );
});
