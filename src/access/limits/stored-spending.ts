/** What keys or groups have spent according to the store: the sums of the days, and the totals. */

import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { mapInTurns } from '../../store/map-in-turns.ts';
import type { Store } from '../../store/store.ts';
import type { StoredByModel } from './model-spending.ts';
import { firstDays } from './periods.ts';
import type { Spent, StoredSpending } from './spending.ts';

/** Above this number of keys a query does not name them: databases bound the number of values. */
const MAX_NAMED = 1_000;

/**
 * About how many rows one query reads of all names. The rows come to the thread that serves callers, and they wait
 * meanwhile.
 */
const PIECE = 2_000;

/** How long the spending before a day is cached, in milliseconds. It only grows if another process writes late. */
export const SETTLED = 600_000;

/** Where the sums are: of all exchanges, and of those of groups. */
const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key' },
  group: { table: 'gateway_usage_groups', column: 'group_name' },
} as const;

/** Those whose sums have tables of their own. */
type SummedUp = keyof typeof SUMS;

/** Amounts by name and model. */
type Amounts = ReadonlyMap<string, ReadonlyMap<string, Partial<Spent>>>;

/** The names from one on, and below another one. Undefined: no bound. */
interface Range {
  readonly from: string | undefined;
  readonly below: string | undefined;
}

/** Reads spending. Each read costs as much as the day has rows; the weeks before it are read once in a while. */
export function storedSpending(store: Store, of: SummedUp = 'key'): StoredSpending {
  const read = readSpending(store, of, false);
  return async (day, names) =>
    new Map(
      [...(await read(day, names))].flatMap(([name, models]) =>
        [...models.values()].map((spent) => [name, spent] as const),
      ),
    );
}

/** The same for each model. */
export function storedByModel(store: Store, of: SummedUp): StoredByModel {
  return readSpending(store, of, true);
}

/** The spending before a day. */
interface SettledSpending {
  readonly day: string;
  /** When it was read, by performance.now(). */
  readonly read: number;
  readonly amounts: Amounts;
  readonly ranges: readonly Range[];
}

/** @param byModel whether there is an amount for each model, or one for all of them. */
function readSpending(store: Store, of: SummedUp, byModel: boolean): StoredByModel {
  const { readRanges, readToday, readDaysBefore, readTotals } = spendingQueries(store, of, byModel);
  let before: SettledSpending | undefined;

  /** The days before this one, of all names. */
  async function settled(day: string): Promise<SettledSpending> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before;
    const ranges = await readRanges();
    const amounts = await inPieces(ranges, (range) => readDaysBefore(day, isWithin(range)));
    before = { day, read: now, amounts, ranges };
    return before;
  }

  return async (day, names) => {
    const { amounts, ranges } = await settled(day);
    const named = names !== undefined && names.size <= MAX_NAMED ? [...names] : undefined;
    const read = async (query: (which: Which) => Promise<Rows>): Promise<Amounts> =>
      named === undefined
        ? inPieces(ranges, (range) => query(isWithin(range)))
        : group(await query(isAmong(named)));
    const all = [amounts, await read((which) => readToday(day, which)), await read(readTotals)];
    const found = await mapInTurns(
      names ?? new Set(all.flatMap((amounts) => [...amounts.keys()])),
      (each) => {
        const models = new Set(all.flatMap((amounts) => [...(amounts.get(each)?.keys() ?? [])]));
        return [each, new Map([...models].map((one) => [one, combine(all, each, one)]))] as const;
      },
    );
    return new Map(found.filter(([, { size }]) => size > 0));
  };
}

/** Which names a query is for, as a condition on the column that holds them. */
type Which = (name: RawBuilder<string>) => RawBuilder<boolean>;

/** The queries of the sums of keys or of groups. */
function spendingQueries({ db }: Store, of: SummedUp, byModel: boolean) {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  const model = byModel ? sql.ref<string>('model') : sql<string>`''`;
  const cost = sql`cost + estimated_cost`;

  /** All names, in ranges of about as many rows. The totals know every name that has spent anything. */
  async function readRanges(): Promise<readonly Range[]> {
    const { rows } = await sql<{ name: string }>`select name from
        (select name, row_number() over (order by name, model) as place from gateway_spent where holder = ${of}) as placed
      where place % ${sql.lit(PIECE)} = 0 order by place`.execute(db);
    const bounds = [...new Set(rows.map((row) => row.name))];
    return [undefined, ...bounds].map((from, at) => ({ from, below: bounds[at] }));
  }

  function readToday(day: string, which: Which) {
    return db
      .selectFrom(table)
      .where('day', '=', day)
      .where(which(name))
      .select([name.as('name'), model.as('model'), sql<number>`coalesce(sum(${cost}), 0)`.as('day')])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
  }

  /** The days of the week and of the month before this one. They are named, so that the index finds a range in each. */
  async function readDaysBefore(day: string, which: Which): Promise<Rows> {
    const first = firstDays(day);
    const days = listDays(first.week < first.month ? first.week : first.month, day);
    // PostgreSQL knows no empty list.
    if (days.length === 0) return [];
    const since = (start: string) =>
      sql<number>`coalesce(sum(case when day >= ${start} then ${cost} else 0 end), 0)`;
    return await db
      .selectFrom(table)
      .where('day', 'in', days)
      .where(which(name))
      .select([
        name.as('name'),
        model.as('model'),
        since(first.week).as('week'),
        since(first.month).as('month'),
      ])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
  }

  function readTotals(which: Which) {
    return db
      .selectFrom('gateway_spent')
      .where('holder', '=', of)
      .where(which(sql.ref('name')))
      .select(['name', model.as('model'), sql<number>`coalesce(sum(cost), 0)`.as('total')])
      .groupBy(byModel ? ['name', 'model'] : ['name'])
      .execute();
  }

  return { readRanges, readToday, readDaysBefore, readTotals };
}

function isWithin({ from, below }: Range): Which {
  return (name) => {
    const bounds = [
      ...(from === undefined ? [] : [sql`${name} >= ${from}`]),
      ...(below === undefined ? [] : [sql`${name} < ${below}`]),
    ];
    return bounds.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(bounds, sql` and `)}`;
  };
}

function isAmong(names: readonly string[]): Which {
  return (name) => (names.length === 0 ? sql<boolean>`false` : sql<boolean>`${name} in (${sql.join(names)})`);
}

/** The days from `first` on, without `end`. There may be none. */
function listDays(first: string, end: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day < end; day = addDays(day, 1)) days.push(day);
  return days;
}

type Rows = readonly ({ readonly name: string; readonly model: string } & Partial<Spent>)[];

/** Reads the amounts of one range after the other. No name is in two of them. */
async function inPieces(ranges: readonly Range[], read: (range: Range) => Promise<Rows>): Promise<Amounts> {
  const all = new Map<string, ReadonlyMap<string, Partial<Spent>>>();
  for (const range of ranges) for (const [name, models] of group(await read(range))) all.set(name, models);
  return all;
}

/** Today is a part of its week and its month. The total has all that was written. */
function combine(all: readonly Amounts[], name: string, model: string): Spent {
  const sum: Partial<Spent> = Object.assign({}, ...all.map((amounts) => amounts.get(name)?.get(model)));
  const { day = 0, week = 0, month = 0, total = 0 } = sum;
  return { day, week: week + day, month: month + day, total };
}

function group(rows: Rows): Amounts {
  return new Map(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, models]) => [
      name,
      new Map(models.map(({ name: _, model, ...amounts }) => [model, amounts])),
    ]),
  );
}
