/** What keys or groups have spent according to the store: the sums of the days, and the totals. */

import { type RawBuilder, sql } from 'kysely';
import type { Period } from '../../store/keys/key-limits.ts';
import { mapInTurns } from '../../store/map-in-turns.ts';
import type { Store } from '../../store/store.ts';
import type { SpentByModel, StoredByModel } from './model-spending.ts';
import type { Spent, StoredSpending } from './spending.ts';
import {
  daysBefore,
  isAmong,
  isWithin,
  type SpendingQueries,
  type SpentRows,
  SUMS,
  type SummedUp,
  spendingQueries,
  type WhichOfDays,
} from './spending-queries.ts';

/**
 * How many names a query has at most, if it reads one sum for each of them, and if it reads one for each model: databases
 * bound the number of values, and callers wait while the rows arrive.
 */
const MAX_NAMED = { all: 1_000, byModel: 100 };

/**
 * How long it is cached what was spent before a day, and in total, in milliseconds. The total grows as the day does, and
 * both otherwise only if another process writes late.
 */
export const SETTLED = 600_000;

/** Amounts by name and model. */
type Amounts = Map<string, Map<string, Spent>>;

/** Reads spending. Each read costs as much as the day has rows; weeks, months and totals are read once in a while. */
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
  return readSpending(store, of, true, spenders);
}

/** Their names. To find the spending of each costs less than to look for it in all that was ever spent. */
async function findSpenders(
  { db }: Store,
  of: SummedUp,
  { stored, names = [], beginnings = [] }: Spenders,
): Promise<readonly string[]> {
  const found = new Set(names);
  const holders = await db.selectFrom(SUMS[of].holders).select('name').where(stored).execute();
  for (const { name } of holders) found.add(name);
  for (const text of beginnings) {
    const callers = await db
      .selectFrom('gateway_spent')
      .select('name')
      .distinct()
      .where('holder', '=', of)
      .where(sql<boolean>`substr(name, 1, length(${text})) = ${text}`)
      .execute();
    for (const { name } of callers) found.add(name);
  }
  return [...found];
}

/** What was spent until some moment of a day. */
interface SettledSpending {
  readonly day: string;
  /** When it was read, by performance.now(). */
  readonly read: number;
  readonly amounts: Amounts;
}

/**
 * @param byModel whether there is an amount for each model, or one for all of them.
 * @param spenders as for `storedByModel`.
 */
function readSpending(store: Store, of: SummedUp, byModel: boolean, spenders?: Spenders): StoredByModel {
  const maxNamed = byModel ? MAX_NAMED.byModel : MAX_NAMED.all;
  let before: SettledSpending | undefined;

  /** Reads the spending of all names, or of some, each as it is at one moment. */
  async function settle(day: string, names?: readonly string[]): Promise<Amounts> {
    if (names === undefined) return settleAtOnce(day, undefined);
    const amounts: Amounts = new Map();
    if (names.length === 0) return amounts;
    // SQLite serves nobody else meanwhile, so the parts are apart. The days of some groups are those of all groups.
    for (const some of of === 'key' ? inParts(names, maxNamed) : [names]) {
      const found = await settleAtOnce(day, some);
      for (const name of some) amounts.set(name, found.get(name) ?? new Map());
    }
    return amounts;
  }

  /** In one transaction: a total has what its day has. */
  function settleAtOnce(day: string, names: readonly string[] | undefined): Promise<Amounts> {
    return store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (db) => {
        const queries = spendingQueries({ db }, of, byModel);
        const parts = names && inParts(names, maxNamed);
        const amounts: Amounts = new Map();
        await addDays(amounts, queries, daysBefore(day), parts, (which) =>
          queries.readDaysBefore(day, which),
        );
        await addDays(amounts, queries, [day], parts, async (which) => {
          const rows = await queries.readToday(day, which);
          return rows.map(({ name, model, day: cost = 0 }) => ({
            name,
            model,
            day: cost,
            week: cost,
            month: cost,
          }));
        });
        const totals =
          parts === undefined
            ? queries.readAllTotals()
            : readEach(parts, (part) => queries.readTotals(isAmong(part)));
        await addUp(amounts, totals);
        return amounts;
      });
  }

  /** Adds what some days have. The index of days has keys, and no groups: to look for some of them is to read all. */
  async function addDays(
    amounts: Amounts,
    { readRanges }: SpendingQueries,
    days: readonly string[],
    parts: readonly (readonly string[])[] | undefined,
    read: (which: WhichOfDays) => Promise<SpentRows>,
  ): Promise<void> {
    if (of === 'key' && parts !== undefined) {
      const rows = readEach(parts, (part) => read({ name: isAmong(part) }));
      return addUp(amounts, rows);
    }
    const [part, ...others] = parts ?? [];
    const name = part === undefined || others.length > 0 ? undefined : isAmong(part);
    const rows = readEach(await readRanges(days), (range) => read({ key: isWithin(range), name }));
    return addUp(amounts, rows);
  }

  /** What was spent by these names at least, until some moment of the last ten minutes. */
  async function settled(day: string, names: ReadonlySet<string>): Promise<Amounts> {
    const now = performance.now();
    const last = before;
    const isSettled = last?.day === day && now - last.read < SETTLED;
    const { amounts } = isSettled ? last : { amounts: new Map() };
    if (!isSettled) before = { day, read: now, amounts };
    // A group that is asked for later would be another walk over all days, and there are few of them.
    const wanted = of === 'group' && !byModel ? new Set([...names, ...(last?.amounts.keys() ?? [])]) : names;
    const missing = [...wanted].filter((name) => !amounts.has(name));
    if (missing.length === 0) return amounts;
    const found = await settle(day, missing);
    for (const [name, models] of found) amounts.set(name, models);
    return amounts;
  }

  return async (day, names) => {
    if (names === undefined) {
      const amounts = await settle(day, spenders && (await findSpenders(store, of, spenders)));
      // Of keys, those that make requests are read again. Their index finds them, and the others need no memory.
      if (of === 'group') before = { day, read: performance.now(), amounts };
      return amounts;
    }
    if (names.size === 0) return new Map();
    const known = await settled(day, names);
    const today: Amounts = new Map();
    const queries = spendingQueries(store, of, byModel);
    await addDays(today, queries, [day], inParts([...names], maxNamed), (which) =>
      queries.readToday(day, which),
    );
    return bringUpToDate(known, today, names);
  };
}

async function* readEach<T>(
  pieces: readonly T[],
  read: (piece: T) => Promise<SpentRows>,
): AsyncGenerator<SpentRows> {
  for (const piece of pieces) yield await read(piece);
}

/** Adds what several pieces have of a name and a model. */
async function addUp(all: Amounts, pieces: AsyncIterable<SpentRows>): Promise<void> {
  // The names of models come again and again, each time as another text in memory.
  const models = new Map<string, string>();
  for await (const rows of pieces)
    for (const { name, model, ...amounts } of rows) {
      const byModel = all.get(name) ?? new Map<string, Spent>();
      const id = models.get(model) ?? model;
      models.set(id, id);
      byModel.set(id, add(amounts, byModel.get(id)));
      all.set(name, byModel);
    }
}

const NOTHING: Spent = { day: 0, week: 0, month: 0, total: 0 };

function add(one: Partial<Spent>, other: Partial<Spent> = NOTHING): Spent {
  const sum = (period: Period): number => (one[period] ?? 0) + (other[period] ?? 0);
  return { day: sum('day'), week: sum('week'), month: sum('month'), total: sum('total') };
}

/** The names in parts of at most `size`. */
export function inParts(names: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) =>
    names.slice(at * size, (at + 1) * size),
  );
}

/** What some names have spent until now. @param known until some moment of the day. @param today on the day. */
async function bringUpToDate(known: Amounts, today: Amounts, names: Iterable<string>): Promise<SpentByModel> {
  const found = await mapInTurns(names, (name) => {
    const spent: ReadonlyMap<string, Spent> = known.get(name) ?? new Map();
    const grown = [...(today.get(name) ?? [])].flatMap(([model, { day }]) => {
      const before = spent.get(model) ?? NOTHING;
      const more = day - before.day;
      return more === 0
        ? []
        : [[model, add(before, { day: more, week: more, month: more, total: more })] as const];
    });
    return [name, grown.length === 0 ? spent : new Map([...spent, ...grown])] as const;
  });
  return new Map(found.filter(([, { size }]) => size > 0));
}
