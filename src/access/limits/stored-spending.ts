/** What keys or groups have spent according to the store: the sums of the days, and the totals. */

import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { StoredByModel } from './model-spending.ts';
import { firstDays } from './periods.ts';
import type { Spent, StoredSpending } from './spending.ts';

/** Above this number of keys a query does not name them: databases bound the number of values. */
const MAX_NAMED = 1_000;

/** How long the spending before a day is cached, in milliseconds. It only grows if another process writes late. */
const SETTLED = 600_000;

/** Where the sums are: of all exchanges, and of those of groups. */
const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key' },
  group: { table: 'gateway_usage_groups', column: 'group_name' },
} as const;

/** Those whose sums have tables of their own. */
type SummedUp = keyof typeof SUMS;

/** Amounts by name and model. */
type Amounts = ReadonlyMap<string, ReadonlyMap<string, Partial<Spent>>>;

/** Reads spending. Each read costs as much as the day has rows; the weeks before it are read once in a while. */
export function storedSpending(store: Store, of: SummedUp = 'key'): StoredSpending {
  const read = readSpending(store, of, false);
  return async (day, names) =>
    new Map(
      [...(await read(day, names))].flatMap(([name, [first]]) => (first ? [[name, first[1]] as const] : [])),
    );
}

/** The same for each model. */
export function storedByModel(store: Store, of: SummedUp): StoredByModel {
  const read = readSpending(store, of, true);
  return async (day, names) =>
    new Map([...(await read(day, names))].map(([name, models]) => [name, new Map(models)]));
}

/** What was spent, by name, as pairs of a model and an amount; without models, of one pair. */
type Read = (
  day: string,
  names: ReadonlySet<string> | undefined,
) => Promise<ReadonlyMap<string, readonly (readonly [model: string, spent: Spent])[]>>;

function readSpending({ db }: Store, of: SummedUp, byModel: boolean): Read {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  const model = byModel ? sql.ref<string>('model') : sql<string>`''`;
  const cost = sql`cost + estimated_cost`;
  let before: { readonly day: string; readonly read: number; readonly amounts: Amounts } | undefined;

  async function readToday(day: string, names: readonly string[] | undefined): Promise<Amounts> {
    const rows = await db
      .selectFrom(table)
      .where('day', '=', day)
      .$if(names !== undefined, (days) => days.where(name, 'in', names ?? []))
      .select([name.as('name'), model.as('model'), sql<number>`coalesce(sum(${cost}), 0)`.as('day')])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
    return group(rows);
  }

  /** Of all names: the days of the week and of the month before this one. */
  async function readBefore(day: string): Promise<Amounts> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before.amounts;
    const first = firstDays(day);
    const since = (start: string) =>
      sql<number>`coalesce(sum(case when day >= ${start} then ${cost} else 0 end), 0)`;
    const rows = await db
      .selectFrom(table)
      .where('day', '>=', first.week < first.month ? first.week : first.month)
      .where('day', '<', day)
      .select([
        name.as('name'),
        model.as('model'),
        since(first.week).as('week'),
        since(first.month).as('month'),
      ])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
    before = { day, read: now, amounts: group(rows) };
    return before.amounts;
  }

  async function readTotals(names: readonly string[] | undefined): Promise<Amounts> {
    const rows = await db
      .selectFrom('gateway_spent')
      .where('holder', '=', of)
      .$if(names !== undefined, (totals) => totals.where('name', 'in', names ?? []))
      .select(['name', model.as('model'), sql<number>`coalesce(sum(cost), 0)`.as('total')])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
    return group(rows);
  }

  return async (day, names) => {
    const named = names !== undefined && names.size <= MAX_NAMED ? [...names] : undefined;
    const all = [await readBefore(day), await readToday(day, named), await readTotals(named)];
    const found = new Map<string, readonly (readonly [string, Spent])[]>();
    for (const each of names ?? new Set(all.flatMap((amounts) => [...amounts.keys()]))) {
      const models = new Set(all.flatMap((amounts) => [...(amounts.get(each)?.keys() ?? [])]));
      if (models.size > 0)
        found.set(
          each,
          [...models].map((one) => [one, combine(all, each, one)] as const),
        );
    }
    return found;
  };
}

/** Today is a part of its week and its month. The total has all that was written. */
function combine(all: readonly Amounts[], name: string, model: string): Spent {
  const sum: Partial<Spent> = Object.assign({}, ...all.map((amounts) => amounts.get(name)?.get(model)));
  const { day = 0, week = 0, month = 0, total = 0 } = sum;
  return { day, week: week + day, month: month + day, total };
}

function group(
  rows: readonly ({ readonly name: string; readonly model: string } & Partial<Spent>)[],
): Amounts {
  return new Map(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, models]) => [
      name,
      new Map(models.map(({ name: _, model, ...amounts }) => [model, amounts])),
    ]),
  );
}
