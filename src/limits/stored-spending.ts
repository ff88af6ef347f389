/** What the store has of what keys, or groups of them, have spent: the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import type { AccountOf } from './account.ts';
import type { SpentByModel, StoredByModel } from './model-spending.ts';
import type { Spent, StoredSpending } from './spending.ts';

/** Of more keys than this a query does not name each: databases take so many values only. */
const MAX_NAMED = 1_000;

/** For how long what was spent before a day counts as read: only who could not write adds to it. In milliseconds. */
const SETTLED = 600_000;

/** What keys had spent in the month of a day before that day. */
interface Before {
  readonly day: string;
  /** By performance.now(). */
  readonly read: number;
  readonly sums: ReadonlyMap<string, number>;
}

/** Where the sums are: of all exchanges, and of those whose key was of a group. */
const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key' },
  group: { table: 'gateway_usage_groups', column: 'group_name' },
} as const;

/** To be asked again and again, which costs as much as the day has rows: at its end a month has thirty times as many. */
export function storedSpending({ db }: Store, of: AccountOf = 'key'): StoredSpending {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  let before: Before | undefined;

  async function beforeThe(day: string): Promise<Before['sums']> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before.sums;
    const sums = await sumsOf(`${day.slice(0, 7)}-01`, day);
    before = { day, read: now, sums };
    return sums;
  }

  /** @param end the first day that is not asked for; absent: `from` is the only one that is. */
  async function sumsOf(from: string, end?: string, keys?: readonly string[]): Promise<Map<string, number>> {
    const rows = await db
      .selectFrom(table)
      .$if(end === undefined, (days) => days.where('day', '=', from))
      .$if(end !== undefined, (days) => days.where('day', '>=', from).where('day', '<', end ?? ''))
      .$if(keys !== undefined, (days) => days.where(name, 'in', keys ?? []))
      .groupBy(name)
      .select([name.as('name'), sql<number>`coalesce(sum(cost + estimated_cost), 0)`.as('sum')])
      .execute();
    return new Map(rows.map(({ name, sum }) => [name, sum]));
  }

  return async (day, keys) => {
    const named = keys !== undefined && keys.size <= MAX_NAMED ? [...keys] : undefined;
    const earlier = await beforeThe(day);
    const today = await sumsOf(day, undefined, named);
    const spent = new Map<string, Spent>();
    for (const key of keys ?? new Set([...earlier.keys(), ...today.keys()])) {
      const [inDay, inMonth] = [today.get(key), earlier.get(key)];
      if (inDay === undefined && inMonth === undefined) continue;
      spent.set(key, { day: inDay ?? 0, month: (inMonth ?? 0) + (inDay ?? 0) });
    }
    return spent;
  };
}

/**
 * The same of each model, of all names or of some. What is asked for again and again are the rows of one day and some
 * names, which the tables are in the order of.
 */
export function storedByModel({ db }: Store, of: AccountOf): StoredByModel {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);

  async function sumsOf(from: string, end?: string, names?: readonly string[]): Promise<SpentByModel> {
    const rows = await db
      .selectFrom(table)
      .$if(end === undefined, (days) => days.where('day', '=', from))
      .$if(end !== undefined, (days) => days.where('day', '>=', from).where('day', '<', end ?? ''))
      .$if(names !== undefined, (days) => days.where(name, 'in', names ?? []))
      .groupBy([name, 'model'])
      .select([name.as('name'), 'model', sql<number>`coalesce(sum(cost + estimated_cost), 0)`.as('sum')])
      .execute();
    const byName = Map.groupBy(rows, (row) => row.name);
    return new Map(
      [...byName].map(([each, of]) => [each, new Map(of.map(({ model, sum }) => [model, sum]))]),
    );
  }

  let before: { readonly day: string; readonly read: number; readonly sums: SpentByModel } | undefined;

  async function beforeThe(day: string): Promise<SpentByModel> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before.sums;
    const sums = await sumsOf(`${day.slice(0, 7)}-01`, day);
    before = { day, read: now, sums };
    return sums;
  }

  return async (day, names) => ({
    before: await beforeThe(day),
    today: await sumsOf(day, undefined, names && names.size <= MAX_NAMED ? [...names] : undefined),
  });
}
