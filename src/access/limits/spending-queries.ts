/** The queries of what keys or groups have spent. */

import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { readInPieces } from '../../store/read-in-pieces.ts';
import type { Store } from '../../store/store.ts';
import { firstDays } from './periods.ts';
import type { Spent } from './spending.ts';

/**
 * About how many rows one query reads of all names. The rows come to the thread that serves callers, and they wait
 * meanwhile.
 */
const PIECE = 2_000;

/** Where the sums are, of all exchanges and of those of groups, and where the keys and the groups are. */
export const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key', holders: 'gateway_keys' },
  group: { table: 'gateway_usage_groups', column: 'group_name', holders: 'gateway_groups' },
} as const;

/** Those whose sums have tables of their own. */
export type SummedUp = keyof typeof SUMS;

/** The keys from one on, and below another one. Undefined: no bound. */
interface Range {
  readonly from: string | undefined;
  readonly below: string | undefined;
}

/** What some names have spent, on each model or on all of them (''). */
export type SpentRows = readonly ({ readonly name: string; readonly model: string } & Partial<Spent>)[];

/** Which names a query is for, as a condition on the column that holds them. */
export type Which = (name: RawBuilder<string>) => RawBuilder<boolean>;

/** Which keys and which names a query of days is for. Absent: all. */
export interface WhichOfDays {
  readonly key?: Which;
  readonly name?: Which | undefined;
}

export type SpendingQueries = ReturnType<typeof spendingQueries>;

/** The queries of the sums of keys or of groups. @param byModel whether there is a row for each model. */
export function spendingQueries({ db }: Pick<Store, 'db'>, of: SummedUp, byModel: boolean) {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  const model = byModel ? sql.ref<string>('model') : sql<string>`''`;
  const cost = sql`cost + estimated_cost`;
  const columns: ('name' | 'model')[] = byModel ? ['name', 'model'] : ['name'];

  /** The keys of some days, in ranges of about as many rows. */
  async function readRanges(days: readonly string[]): Promise<readonly Range[]> {
    // PostgreSQL knows no empty list.
    if (days.length === 0) return [];
    const { rows } = await sql<{ key: string }>`select min(key) as key from
        (select key, cast(sum(count(*)) over (order by key) as bigint) / ${sql.lit(PIECE)} as piece
          from ${sql.table(table)} where day in (${sql.join(days)}) group by key) as counted
      where piece > 0 group by piece order by piece`.execute(db);
    const bounds = rows.map((row) => row.key);
    return [undefined, ...bounds].map((from, at) => ({ from, below: bounds[at] }));
  }

  function selectDays(which: WhichOfDays) {
    const { key = () => ALL, name: isName = () => ALL } = which;
    return db
      .selectFrom(table)
      .where(key(sql.ref('key')))
      .where(isName(name))
      .select([name.as('name'), model.as('model')])
      .groupBy(columns);
  }

  function readToday(day: string, which: WhichOfDays): Promise<SpentRows> {
    return selectDays(which)
      .where('day', '=', day)
      .select(sql<number>`coalesce(sum(${cost}), 0)`.as('day'))
      .execute();
  }

  /** The days of the week and of the month before this one. They are named, so that the index finds a range in each. */
  async function readDaysBefore(day: string, which: WhichOfDays): Promise<SpentRows> {
    const first = firstDays(day);
    const days = daysBefore(day);
    if (days.length === 0) return [];
    const since = (start: string) =>
      sql<number>`coalesce(sum(case when day >= ${start} then ${cost} else 0 end), 0)`;
    return await selectDays(which)
      .where('day', 'in', days)
      .select([since(first.week).as('week'), since(first.month).as('month')])
      .execute();
  }

  function selectTotals(which: Which) {
    return db
      .selectFrom('gateway_spent')
      .where('holder', '=', of)
      .where(which(sql.ref('name')))
      .select(['name', model.as('model'), sql<number>`coalesce(sum(cost), 0)`.as('total')])
      .groupBy(columns);
  }

  function readTotals(which: Which): Promise<SpentRows> {
    return selectTotals(which).execute();
  }

  /** The totals in the order of their index. */
  function readAllTotals(): AsyncGenerator<SpentRows> {
    return readInPieces<SpentRows[number]>(PIECE, (last) =>
      selectTotals(last === undefined ? () => ALL : comesAfter(last, byModel))
        .orderBy('name')
        .$if(byModel, (totals) => totals.orderBy('model'))
        .limit(PIECE)
        .execute(),
    );
  }

  return { readRanges, readToday, readDaysBefore, readTotals, readAllTotals };
}

const ALL = sql<boolean>`1 = 1`;

/** The names of a range. */
export function isWithin({ from, below }: Range): Which {
  return (name) => {
    const bounds = [
      ...(from === undefined ? [] : [sql`${name} >= ${from}`]),
      ...(below === undefined ? [] : [sql`${name} < ${below}`]),
    ];
    return bounds.length === 0 ? ALL : sql<boolean>`${sql.join(bounds, sql` and `)}`;
  };
}

function comesAfter({ name, model }: SpentRows[number], byModel: boolean): Which {
  return (column) =>
    byModel ? sql<boolean>`(${column}, model) > (${name}, ${model})` : sql<boolean>`${column} > ${name}`;
}

/** These names. There is at least one. */
export function isAmong(names: readonly string[]): Which {
  return (name) => sql<boolean>`${name} in (${sql.join(names)})`;
}

/** The days of the week and of the month before this one. There may be none. */
export function daysBefore(end: string): readonly string[] {
  const { week, month } = firstDays(end);
  const days: string[] = [];
  for (let day = week < month ? week : month; day < end; day = addDays(day, 1)) days.push(day);
  return days;
}
