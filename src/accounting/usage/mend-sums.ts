/**
 * Adds to sums of sums, and to what keys and groups have ever spent, what processes of version 0.1.0 have recorded beside
 * this one or since: they add to neither. Every other version adds to both at once, so that both lack the same.
 */

import { type Kysely, sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { columnList } from '../../store/column-list.ts';
import type { Store } from '../../store/store.ts';
import { type Tables, USAGE_SUMS, type UsageSums } from '../../store/tables.ts';
import { inMonth, ROLLUPS, type Rollup, sumColumn } from '../../store/usage-sums.ts';
import type { SummedRows } from './sum-rows.ts';
import { addSpent, addSums } from './write-usage.ts';

type ColumnsOfRollup = (typeof ROLLUPS)[number]['of'][number];

/** Mends the sums of this month and the one before. @param signal ends it between two tables. */
export async function mendSums(store: Store, today: string, signal: AbortSignal): Promise<void> {
  const month = today.slice(0, 7);
  for (const each of [month, addDays(`${month}-01`, -1).slice(0, 7)])
    for (const rollup of ROLLUPS) if (!signal.aborted) await mendMonth(store, rollup, each);
}

async function mendMonth({ db, kind }: Store, rollup: Rollup<ColumnsOfRollup>, month: string): Promise<void> {
  if (!(await isLacking(db, rollup, month))) return;
  const { table, of } = rollup;
  await db.transaction().execute(async (transaction) => {
    // Another process that mends waits here, and then finds nothing; one that records usage does not wait.
    if (kind === 'postgres')
      await sql`lock table ${sql.table(table)} in share update exclusive mode`.execute(transaction);
    const sums = await selectLacking(transaction, rollup, month);
    const adding = { transaction, kind, sums };
    await addSums(adding, [{ table, of }]);
    if (table === 'gateway_usage_months') await addSpent(adding, 'key', 'key');
    if (table === 'gateway_usage_group_months') await addSpent(adding, 'group', 'group_name');
  });
}

/** Whether fewer requests are in the sums than in their source. It costs less than to read what is lacking. */
async function isLacking(db: Kysely<Tables>, { table, of, source }: Rollup, month: string): Promise<boolean> {
  const { rows } = await sql<{ source: number; sums: number }>`select
    (select coalesce(sum(requests), 0) from ${sql.table(source)} where ${inMonth(month)}) as source,
    (select coalesce(sum(requests), 0) from ${sql.table(table)} where ${withinSums(of, month)}) as sums`.execute(
    db,
  );
  const [found] = rows;
  return found !== undefined && found.source > found.sums;
}

/** What is in the source and not in the sums, read in one statement: both are as they were at one moment. */
async function selectLacking(
  db: Kysely<Tables>,
  { table, of, source }: Rollup<ColumnsOfRollup>,
  month: string,
): Promise<readonly SummedRows[]> {
  const names = columnList(of);
  const totals = sql.join(USAGE_SUMS.map((sum) => sql`sum(${sql.ref(sum)}) as ${sql.ref(sum)}`));
  const taken = sql.join(USAGE_SUMS.map((sum) => sql`- ${sql.ref(sum)}`));
  const columns = sql.join(of.map((column) => sql`${sumColumn(column)} as ${sql.ref(column)}`));
  const { rows } = await sql<UsageSums & Partial<Record<ColumnsOfRollup, string>>>`
    select ${names}, ${totals} from (
      select ${columns}, ${columnList(USAGE_SUMS)} from ${sql.table(source)} where ${inMonth(month)}
      union all
      select ${names}, ${taken} from ${sql.table(table)} where ${withinSums(of, month)}
    ) as lacking group by ${names} having sum(requests) > 0`.execute(db);
  return rows.map((row) => ({ ...NOWHERE, ...row }));
}

const NOWHERE = { day: null, month: null, key: null, model: null, vendor: null, tag: null, group_name: null };

function withinSums(of: readonly string[], month: string) {
  return of.includes('month') ? sql`month = ${month}` : inMonth(month);
}
