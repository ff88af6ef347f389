/** Writes exchanges, and adds them to the sums of their days, in one transaction. */

import { type RawBuilder, sql, type Transaction } from 'kysely';
import { columnList, insertRows } from '../../store/insert-rows.ts';
import { boundWaits } from '../../store/postgres.ts';
import type { Store } from '../../store/store.ts';
import {
  type ExchangeRow,
  type Tables,
  USAGE_DAY,
  USAGE_SUMS,
  type UsageGroupRow,
  type UsageSums,
  type UsageTagRow,
} from '../../store/tables.ts';
import { ROLLUPS, sumColumn } from '../../store/usage-sums.ts';
import type { Batch } from './batches.ts';
import { EXCHANGE_COLUMNS } from './exchange-row.ts';

/**
 * Writes the exchanges of a batch. If the batch is there already, because the answer to its first write was lost, it is
 * not written again: it counts once.
 * @param rows a JSON array of ExchangeRows, with their fields in the order of `exchangeRow`.
 * @param has whether any row has a tag, and whether any key belonged to a group.
 */
export async function writeUsage(
  { db, kind }: Store,
  batch: string,
  rows: string,
  { tagged, grouped }: Pick<Batch, 'tagged' | 'grouped'> = { tagged: true, grouped: true },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (kind === 'postgres') await boundWaits(transaction);
    const written = await insertRows(transaction, kind, 'gateway_exchanges', EXCHANGE_COLUMNS, rows);
    if (written === 0n) return;
    await addUp(transaction, 'gateway_usage_days', USAGE_DAY, batch);
    await addUp(transaction, MONTHS.table, MONTHS.of, batch);
    await addUp(transaction, MODELS.table, MODELS.of, batch);
    await addToTotals(transaction, 'key', batch);
    if (tagged) {
      await addUp(transaction, 'gateway_usage_tags', TAG, batch);
      await addUp(transaction, TAG_MONTHS.table, TAG_MONTHS.of, batch);
    }
    if (!grouped) return;
    await addUp(transaction, 'gateway_usage_groups', GROUP, batch);
    await addUp(transaction, GROUP_MONTHS.table, GROUP_MONTHS.of, batch);
    await addToTotals(transaction, 'group', batch);
  });
}

const [MONTHS, TAG_MONTHS, GROUP_MONTHS, MODELS] = ROLLUPS;
const TAG = [...USAGE_DAY, 'tag'] as const satisfies readonly (keyof UsageTagRow)[];
const GROUP = [...USAGE_DAY, 'group_name'] as const satisfies readonly (keyof UsageGroupRow)[];

/**
 * Adds the exchanges of a batch to sums. @param of the columns by which the sums are grouped and unique. An exchange
 * with null in one of them is left out.
 */
async function addUp(
  transaction: Transaction<Tables>,
  table: keyof Tables,
  of: readonly string[],
  batch: string,
): Promise<void> {
  const columns = columnList(of);
  const groups = sql.join(of.map(sumColumn));
  const sums = sumsOfExchanges();
  // Always in the same order, or two processes could wait for each other's rows for ever.
  await sql`
    insert into ${sql.table(table)} (${columns}, ${columnList(USAGE_SUMS)})
    select ${groups}, ${sql.join(USAGE_SUMS.map((column) => sums[column]))}
    from gateway_exchanges
    where batch = ${batch} and ${sql.join(
      of.map((column) => sql`${sumColumn(column)} is not null`),
      sql` and `,
    )}
    group by ${groups}
    order by ${groups}
    on conflict (${columns}) do update set ${sql.join(
      USAGE_SUMS.map(
        (column) =>
          sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
      ),
    )}`.execute(transaction);
}

/** Adds what the exchanges of a batch cost to what their keys, or their groups, have ever spent. */
async function addToTotals(
  transaction: Transaction<Tables>,
  holder: 'key' | 'group',
  batch: string,
): Promise<void> {
  const name = sql.ref(holder === 'key' ? 'key' : 'group_name');
  // In one order, for the same reason.
  await sql`
    insert into gateway_spent (holder, name, model, cost)
    select ${sql.lit(holder)}, ${name}, model, sum(coalesce(cost, 0) + coalesce(estimated_cost, 0))
    from gateway_exchanges
    where batch = ${batch} and ${name} is not null
    group by ${name}, model
    having sum(coalesce(cost, 0) + coalesce(estimated_cost, 0)) > 0
    order by ${name}, model
    on conflict (holder, name, model) do update set cost = gateway_spent.cost + excluded.cost`.execute(
    transaction,
  );
}

/** What the exchanges of a batch add to each sum. */
function sumsOfExchanges(): Readonly<Record<keyof UsageSums, RawBuilder<number>>> {
  const count = (condition: RawBuilder<unknown>) =>
    sql<number>`sum(case when ${condition} then 1 else 0 end)`;
  const total = (column: keyof ExchangeRow) => sql<number>`sum(coalesce(${sql.ref(column)}, 0))`;
  return {
    requests: sql<number>`count(*)`,
    errors: count(sql`status >= 400 or outcome = 'failed'`),
    uncounted: count(sql`cost is null and attempts > 0 and status < 400 and operation <> 'count-tokens'`),
    input: total('input'),
    output: total('output'),
    reasoning: total('reasoning'),
    cache_read: total('cache_read'),
    cache_write: total('cache_write'),
    cost: total('cost'),
    estimated_cost: total('estimated_cost'),
    duration: total('duration'),
    first_byte: total('first_byte'),
    first_bytes: sql<number>`count(first_byte)`,
  };
}
