import { expect, test } from 'vitest';
import { completeQuery, usageQuery } from '../../../src/accounting/usage/usage-query.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

test.each([
  [{}, { from: '2026-10-25', to: '2026-11-23' }],
  [{ to: '2026-10-31' }, { from: '2026-10-02', to: '2026-10-31' }],
  [{ from: '2026-11-01' }, { from: '2026-11-01', to: '2026-11-23' }],
  [
    { from: '2026-11-01', to: '2026-11-01' },
    { from: '2026-11-01', to: '2026-11-01' },
  ],
  [{ by: 'vendor, day' }, { by: ['day', 'vendor'] }],
])('%j is parsed as %j', (asked, expected) => {
  expect(completeQuery(usageQuery.parse(asked), NOW)).toMatchObject(expected);
});
