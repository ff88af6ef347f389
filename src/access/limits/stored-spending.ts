/** What keys or groups have spent according to the store: the sums of the days, and the totals. */

import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { PERIODS, type Period } from '../../store/keys/key-limits.ts';
import { mapInTurns } from '../../store/map-in-turns.ts';
import type { Store } from '../../store/store.ts';
import type { StoredByModel } from './model-spending.ts';
import { firstDays } from './periods.ts';
import type { Spent, StoredSpending } from './spending.ts';

/**
 * How many names a query has at most, if it reads one sum for each of them, and if it reads one for each model: databases
 * bound the number of values, and callers wait while the rows arrive.
 */
const MAX_NAMED = { all: 1_000, byModel: 100 };

/**
 * About how many rows one query reads of all names. The rows come to the thread that serves callers, and they wait
 * meanwhile.
 */
const PIECE = 2_000;

/** How long the spending before a day is cached, in milliseconds. It only grows if another process writes late. */
export const SETTLED = 600_000;

/** Where the sums are, of all exchanges and of those of groups, and where the keys and the groups are. */
const SUMS = {
  key: { table: 'gateway_usage_days', column: 'key', holders: 'gateway_keys' },
  group: { table: 'gateway_usage_groups', column: 'group_name', holders: 'gateway_groups' },
} as const;

/** Those whose sums have tables of their own. */
type SummedUp = keyof typeof SUMS;

/** Amounts by name and model. */
type Amounts = Map<string, Map<string, Partial<Spent>>>;

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

/** Those of whom the spending on each model is needed. */
export interface Spenders {
  /** A condition on the columns of keys or groups in the store. */
  readonly stored: RawBuilder<boolean>;
  /** The names of keys or groups of the configuration. */
  readonly names?: readonly string[];
  /** What the names of callers of tokens begin with. */
  readonly beginnings?: readonly string[];
}

/**
 * The same for each model.
 * @param spenders whose spending is read without names; absent: everybody's, which may be too much for the memory.
 */
export function storedByModel(store: Store, of: SummedUp, spenders?: Spenders): StoredByModel {
  return readSpending(store, of, true, spenders && isAmongSpenders(of, spenders));
}

function isAmongSpenders(of: SummedUp, { stored, names = [], beginnings = [] }: Spenders): Which {
  return (name) => {
    const conditions = [
      sql`${name} in (select name from ${sql.table(SUMS[of].holders)} where ${stored})`,
      ...inParts(names, MAX_NAMED.all).map((part) => isAmong(part)(name)),
      ...beginnings.map((text) => sql`substr(${name}, 1, length(${text})) = ${text}`),
    ];
    return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
  };
}

/** The spending before a day. */
interface SettledSpending {
  readonly day: string;
  /** When it was read, by performance.now(). */
  readonly read: number;
  readonly amounts: Amounts;
  /** The keys, in ranges of about as many rows, and the names whose spending is read. */
  readonly keys: readonly Range[];
  readonly names: readonly Range[];
}

/**
 * @param byModel whether there is an amount for each model, or one for all of them.
 * @param only whose spending is read without names; absent: everybody's.
 */
function readSpending(store: Store, of: SummedUp, byModel: boolean, only?: Which): StoredByModel {
  const { readRanges, readToday, readDaysBefore, readTotals } = spendingQueries(store, of, byModel);
  const maxNamed = byModel ? MAX_NAMED.byModel : MAX_NAMED.all;
  let before: SettledSpending | undefined;

  /** The days before this one. */
  async function settled(day: string): Promise<SettledSpending> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before;
    const names = await readRanges(of, only);
    // The index of days has keys, and no groups: to read a range of groups is to read all of a day.
    const keys = of === 'key' ? names : await readRanges('key');
    const amounts = await inPieces(keys, (range) =>
      readDaysBefore(day, { key: isWithin(range), name: only }),
    );
    before = { day, read: now, amounts, keys, names };
    return before;
  }

  /** Reads the days before this one of names that are not among those that `only` has. */
  async function settleOthers({ day, amounts }: SettledSpending, names: readonly string[]): Promise<void> {
    const others = only === undefined ? [] : names.filter((name) => !amounts.has(name));
    const found = await inPieces(inParts(others, maxNamed), (part) =>
      readDaysBefore(day, { name: isAmong(part) }),
    );
    for (const name of others) amounts.set(name, found.get(name) ?? new Map());
  }

  return async (day, names) => {
    const known = await settled(day);
    const named = names && [...names];
    if (named) await settleOthers(known, named);
    const parts = named && inParts(named, maxNamed);
    const isFew = parts !== undefined && (of === 'key' || parts.length <= 1);
    const today = isFew
      ? await inPieces(parts, (part) => readToday(day, { name: isAmong(part) }))
      : await inPieces(known.keys, (range) =>
          readToday(day, { key: isWithin(range), name: named ? undefined : only }),
        );
    const totals = parts
      ? await inPieces(parts, (part) => readTotals(isAmong(part)))
      : await inPieces(known.names, (range) => readTotals(both(isWithin(range), only)));
    const all = [known.amounts, today, totals];
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

/** Which keys and which names a query of days is for. Absent: all. */
interface WhichOfDays {
  readonly key?: Which;
  readonly name?: Which | undefined;
}

/** The queries of the sums of keys or of groups. */
function spendingQueries({ db }: Store, of: SummedUp, byModel: boolean) {
  const { table, column } = SUMS[of];
  const name = sql.ref<string>(column);
  const model = byModel ? sql.ref<string>('model') : sql<string>`''`;
  const cost = sql`cost + estimated_cost`;

  /** All names, in ranges of about as many rows. The totals know every name that has spent anything. */
  async function readRanges(holder: SummedUp, only: Which = () => ALL): Promise<readonly Range[]> {
    const { rows } = await sql<{ name: string }>`select min(name) as name from
        (select name, cast(sum(count(*)) over (order by name) as bigint) / ${sql.lit(PIECE)} as piece
          from gateway_spent where holder = ${holder} and ${only(sql.ref('name'))} group by name) as counted
      where piece > 0 group by piece order by piece`.execute(db);
    const bounds = rows.map((row) => row.name);
    return [undefined, ...bounds].map((from, at) => ({ from, below: bounds[at] }));
  }

  function selectDays(which: WhichOfDays) {
    const { key = () => ALL, name: isName = () => ALL } = which;
    return db
      .selectFrom(table)
      .where(key(sql.ref('key')))
      .where(isName(name))
      .select([name.as('name'), model.as('model')])
      .groupBy(byModel ? ['name', 'model'] : ['name']);
  }

  function readToday(day: string, which: WhichOfDays): Promise<Rows> {
    return selectDays(which)
      .where('day', '=', day)
      .select(sql<number>`coalesce(sum(${cost}), 0)`.as('day'))
      .execute();
  }

  /** The days of the week and of the month before this one. They are named, so that the index finds a range in each. */
  async function readDaysBefore(day: string, which: WhichOfDays): Promise<Rows> {
    const first = firstDays(day);
    const days = listDays(first.week < first.month ? first.week : first.month, day);
    // PostgreSQL knows no empty list.
    if (days.length === 0) return [];
    const since = (start: string) =>
      sql<number>`coalesce(sum(case when day >= ${start} then ${cost} else 0 end), 0)`;
    return await selectDays(which)
      .where('day', 'in', days)
      .select([since(first.week).as('week'), since(first.month).as('month')])
      .execute();
  }

  function readTotals(which: Which): Promise<Rows> {
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

const ALL = sql<boolean>`1 = 1`;

function both(one: Which, other: Which = () => ALL): Which {
  return (name) => sql<boolean>`${one(name)} and ${other(name)}`;
}

function isWithin({ from, below }: Range): Which {
  return (name) => {
    const bounds = [
      ...(from === undefined ? [] : [sql`${name} >= ${from}`]),
      ...(below === undefined ? [] : [sql`${name} < ${below}`]),
    ];
    return bounds.length === 0 ? ALL : sql<boolean>`${sql.join(bounds, sql` and `)}`;
  };
}

function isAmong(names: readonly string[]): Which {
  return (name) => sql<boolean>`${name} in (${sql.join(names)})`;
}

/** The days from `first` on, without `end`. There may be none. */
function listDays(first: string, end: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day < end; day = addDays(day, 1)) days.push(day);
  return days;
}

type Rows = readonly ({ readonly name: string; readonly model: string } & Partial<Spent>)[];

/** Reads the amounts of one piece after the other, and adds up what several of them have of a name and a model. */
async function inPieces<T>(pieces: readonly T[], read: (piece: T) => Promise<Rows>): Promise<Amounts> {
  const all: Amounts = new Map();
  for (const piece of pieces)
    for (const { name, model, ...amounts } of await read(piece)) {
      const models = all.get(name) ?? new Map<string, Partial<Spent>>();
      models.set(model, add(amounts, models.get(model)));
      all.set(name, models);
    }
  return all;
}

function add(amounts: Partial<Spent>, others: Partial<Spent> | undefined): Partial<Spent> {
  if (others === undefined) return amounts;
  const sum: { [P in Period]?: number } = { ...others };
  for (const period of PERIODS)
    if (amounts[period] !== undefined) sum[period] = amounts[period] + (others[period] ?? 0);
  return sum;
}

/** The names in parts of at most `size`. */
export function inParts(names: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) =>
    names.slice(at * size, (at + 1) * size),
  );
}

/** Today is a part of its week and its month. The total has all that was written. */
function combine(all: readonly Amounts[], name: string, model: string): Spent {
  const sum: Partial<Spent> = Object.assign({}, ...all.map((amounts) => amounts.get(name)?.get(model)));
  const { day = 0, week = 0, month = 0, total = 0 } = sum;
  return { day, week: week + day, month: month + day, total };
}
