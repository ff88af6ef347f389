/** Writes exchanges, and adds them to the sums of their days, in one transaction. */

import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { insertRows } from '../store/insert-rows.ts';
import type { Store } from '../store/store.ts';
import {
  type ExchangeRow,
  type Tables,
  USAGE_SUMS,
  type UsageDayRow,
  type UsageSums,
} from '../store/tables.ts';
import { EXCHANGE_COLUMNS } from './exchange-row.ts';

/**
 * Writes the exchanges of a batch. One that is there already, since the answer to its first write got lost, is not
 * written again: it counts once.
 * @param rows a JSON list of ExchangeRows, their fields as `exchangeRow` orders them.
 */
export async function writeUsage({ db, kind }: Store, batch: string, rows: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const written = await insertRows(transaction, kind, 'gateway_exchanges', EXCHANGE_COLUMNS, rows);
    if (written === 0n) return;
    await transaction
      .insertInto('gateway_usage_days')
      .columns([...DAY, ...USAGE_SUMS])
      .expression(
        transaction
          .selectFrom('gateway_exchanges')
          .where('batch', '=', batch)
          .groupBy(DAY)
          // Always in one order: two processes that wait for each other's rows would never end.
          .orderBy('day')
          .orderBy('key')
          .orderBy('model')
          .orderBy('vendor')
          .select(DAY)
          .select(sumsOfExchanges),
      )
      .onConflict((conflict) => conflict.columns(DAY).doUpdateSet(addToSums))
      .execute();
  });
}

const DAY = ['day', 'key', 'model', 'vendor'] as const satisfies readonly (keyof UsageDayRow)[];

/** What the exchanges of a batch add to each sum. */
function sumsOfExchanges() {
  const count = (condition: RawBuilder<unknown>) =>
    sql<number>`sum(case when ${condition} then 1 else 0 end)`;
  const total = (column: keyof ExchangeRow) => sql<number>`sum(coalesce(${sql.ref(column)}, 0))`;
  const sums: Readonly<Record<keyof UsageSums, RawBuilder<number>>> = {
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
  return USAGE_SUMS.map((column) => sums[column].as(column));
}

function addToSums(
  eb: ExpressionBuilder<Tables & { excluded: UsageDayRow }, 'gateway_usage_days' | 'excluded'>,
) {
  return Object.fromEntries(
    USAGE_SUMS.map((column) => [
      column,
      eb(`gateway_usage_days.${column}`, '+', eb.ref(`excluded.${column}`)),
    ]),
  );
}
