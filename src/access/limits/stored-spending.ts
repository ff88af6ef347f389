/** What keys or groups have spent according to the store: the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { AccountOf } from './holder.ts';
import type { SpentByModel, StoredByModel } from './model-spending.ts';
import type { Month, Spent, StoredSpending } from './spending.ts';

/** Above this number of keys a query does not name them: databases bound the number of values. */
const MAX_NAMED = 1_000;

/** How long the spending before a day is cached, in milliseconds. It only grows if another process writes late. */
const SETTLED = 600_000;

/** Where the sums are: of all exchanges, and of those of groups. */
const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key' },
  group: { table: 'gateway_usage_groups', column: 'group_name' },
} as const;

/** Which sums to read. */
interface Asked {
  readonly from: string;
  /** The first day that is not read; absent: only `from` is read. */
  readonly end?: string;
  /** Absent: all names. */
  readonly names?: readonly string[];
}

/** Reads spending. Each read costs as much as the day has rows; the whole month has thirty times as many at its end. */
export function storedSpending({ db }: Store, of: AccountOf = 'key'): StoredSpending {
  const monthUntil = readMonth(async (asked: Asked): Promise<ReadonlyMap<string, number>> => {
    const rows = await selectSums(db, of, asked).groupBy('name').execute();
    return new Map(rows.map(({ name, sum }) => [name, sum]));
  });

  return async (day, names) => {
    const { before, today } = await monthUntil(day, names);
    const spent = new Map<string, Spent>();
    for (const name of names ?? new Set([...before.keys(), ...today.keys()])) {
      const [inDay, earlier] = [today.get(name), before.get(name)];
      if (inDay === undefined && earlier === undefined) continue;
      spent.set(name, { day: inDay ?? 0, month: (earlier ?? 0) + (inDay ?? 0) });
    }
    return spent;
  };
}

/** The same for each model. */
export function storedByModel({ db }: Store, of: AccountOf): StoredByModel {
  return readMonth(async (asked: Asked): Promise<SpentByModel> => {
    const rows = await selectSums(db, of, asked).groupBy(['name', 'model']).select('model').execute();
    const byName = Map.groupBy(rows, ({ name }) => name);
    return new Map(
      [...byName].map(([name, models]) => [name, new Map(models.map(({ model, sum }) => [model, sum]))]),
    );
  });
}

/** Selects the rows. The caller groups them by name, and by whatever else it selects. */
function selectSums(db: Store['db'], of: AccountOf, { from, end, names }: Asked) {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  return db
    .selectFrom(table)
    .$if(end === undefined, (days) => days.where('day', '=', from))
    .$if(end !== undefined, (days) => days.where('day', '>=', from).where('day', '<', end ?? ''))
    .$if(names !== undefined, (days) => days.where(name, 'in', names ?? []))
    .select([name.as('name'), sql<number>`coalesce(sum(cost + estimated_cost), 0)`.as('sum')]);
}

/** Reads a month up to a day. The sums before that day are cached for a while. */
function readMonth<S>(
  read: (asked: Asked) => Promise<S>,
): (day: string, names?: ReadonlySet<string>) => Promise<Month<S>> {
  let before: { readonly day: string; readonly read: number; readonly sums: S } | undefined;

  async function beforeThe(day: string): Promise<S> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before.sums;
    const sums = await read({ from: `${day.slice(0, 7)}-01`, end: day });
    before = { day, read: now, sums };
    return sums;
  }

  return async (day, names) => ({
    before: await beforeThe(day),
    today: await read({ from: day, ...(names && names.size <= MAX_NAMED && { names: [...names] }) }),
  });
}
