/** Writes exchanges, and adds them to the sums of their days, in one transaction. */

import type { Transaction } from 'kysely';
import { insertRows } from '../../store/insert-rows.ts';
import { boundWaits } from '../../store/postgres.ts';
import type { Store } from '../../store/store.ts';
import { type ExchangeRow, type SpentRow, type Tables, USAGE_DAY, USAGE_SUMS } from '../../store/tables.ts';
import { addToSums, ROLLUPS } from '../../store/usage-sums.ts';
import { type SumColumn, type SummedRows, sumBy, sumRows } from './sum-rows.ts';

/** A table of sums, with the columns by which its sums are grouped and unique. */
interface SumTable {
  readonly table: keyof Tables;
  readonly of: readonly [SumColumn, ...SumColumn[]];
}

const [MONTHS, TAG_MONTHS, GROUP_MONTHS, MODELS] = ROLLUPS;

/** All tables of sums: of all exchanges, of those with a tag, and of those of groups. */
export const OF_ALL: readonly SumTable[] = [{ table: 'gateway_usage_days', of: USAGE_DAY }, MONTHS, MODELS];
export const OF_TAGS: readonly SumTable[] = [
  { table: 'gateway_usage_tags', of: [...USAGE_DAY, 'tag'] },
  TAG_MONTHS,
];
export const OF_GROUPS: readonly SumTable[] = [
  { table: 'gateway_usage_groups', of: [...USAGE_DAY, 'group_name'] },
  GROUP_MONTHS,
];

/**
 * Writes the exchanges of a batch, each with all columns. If the batch is there already, because the answer to its first
 * write was lost, it is not written again: it counts once.
 */
export async function writeUsage({ db, kind }: Store, rows: readonly ExchangeRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const sums = sumRows(rows);
  await db.transaction().execute(async (transaction) => {
    if (kind === 'postgres') await boundWaits(transaction);
    const written = await insertRows(transaction, kind, 'gateway_exchanges', Object.keys(first), rows);
    if (written === 0n) return;
    const adding = { transaction, kind, sums };
    // Always in the same order, or two processes could wait for each other's rows for ever.
    await addSums(adding, OF_ALL);
    await addSpent(adding, 'key', 'key');
    await addSums(adding, OF_TAGS);
    await addSums(adding, OF_GROUPS);
    await addSpent(adding, 'group', 'group_name');
  });
}

/** Sums to add to tables. */
export interface Adding {
  readonly transaction: Transaction<Tables>;
  readonly kind: Store['kind'];
  readonly sums: readonly SummedRows[];
}

/** Adds the sums to those that tables have. */
export async function addSums(
  { transaction, kind, sums }: Adding,
  tables: readonly SumTable[],
): Promise<void> {
  for (const { table, of } of tables) {
    const columns = [...of, ...USAGE_SUMS];
    await insertRows(transaction, kind, table, columns, sumBy(sums, of), addToSums(table, of, USAGE_SUMS));
  }
}

const SPENT = ['holder', 'name', 'model'];

/** Adds what the exchanges cost to what their keys, or their groups, have ever spent. */
export async function addSpent(
  { transaction, kind, sums }: Adding,
  holder: 'key' | 'group',
  column: SumColumn,
): Promise<void> {
  const spent: SpentRow[] = [];
  for (const { cost, estimated_cost, model, [column]: name } of sumBy(sums, [column, 'model'])) {
    const total = cost + estimated_cost;
    if (name !== null && model !== null && total > 0) spent.push({ holder, name, model, cost: total });
  }
  const table = 'gateway_spent';
  await insertRows(transaction, kind, table, [...SPENT, 'cost'], spent, addToSums(table, SPENT, ['cost']));
}
