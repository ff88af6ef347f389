/** Usage in a store, and what reports say of it. */

import { expect } from 'vitest';
import type { KeyedRecord } from '../../../src/accounting/usage/exchange-row.ts';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import type { UsageQuery } from '../../../src/accounting/usage/usage-dimensions.ts';
import { lineView, usageLine } from '../../../src/accounting/usage/usage-view.ts';
import type { Store } from '../../../src/store/store.ts';
import { recordUsage } from '../../support/record-usage.ts';
import { exchange } from './records.ts';

/** Records exchanges, and resolves when all are written. @param batch the most that are written together. */
export async function recordAll(
  store: Store,
  all: readonly Partial<KeyedRecord>[],
  batch: number,
): Promise<void> {
  const { record, close } = recordUsage(store, { interval: 10, batch, queue: 100 });
  for (const one of all) record(exchange(one));
  expect(await close(5_000)).toBe(0);
}

/** A report: the requests of all lines together, and of each line the key, the group or tag, the requests and the cost. */
export async function viewReport(store: Store, query: UsageQuery, dimension: 'group' | 'tag') {
  const { lines, total } = await reportUsage(store, query);
  const views = lines.map(lineView);
  for (const view of views) usageLine.parse(view);
  return {
    total: total.requests,
    lines: views.map((view) => [view.key, view[dimension], view.requests, view.cost]),
  };
}
