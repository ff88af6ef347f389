import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfter } from '../../src/vendors/retry-after.ts';

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
  // Not what was exceeded.
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

test('law: whatever is said, it is a wait or nothing', () => {
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
