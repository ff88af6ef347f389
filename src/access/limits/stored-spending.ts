/** What keys or groups have spent according to the store: the sums of the days, and the totals. */

import { type RawBuilder, sql } from 'kysely';
import { PERIODS, type Period } from '../../store/keys/key-limits.ts';
import { mapInTurns } from '../../store/map-in-turns.ts';
import type { Store } from '../../store/store.ts';
import type { StoredByModel } from './model-spending.ts';
import type { Spent, StoredSpending } from './spending.ts';
import {
  daysBefore,
  isAmong,
  isWithin,
  type SpentRows,
  SUMS,
  type SummedUp,
  spendingQueries,
  type Which,
} from './spending-queries.ts';

/**
 * How many names a query has at most, if it reads one sum for each of them, and if it reads one for each model: databases
 * bound the number of values, and callers wait while the rows arrive.
 */
const MAX_NAMED = { all: 1_000, byModel: 100 };

/** How long the spending before a day is cached, in milliseconds. It only grows if another process writes late. */
export const SETTLED = 600_000;

/** Amounts by name and model. */
type Amounts = Map<string, Map<string, Partial<Spent>>>;

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
      // SQLite would look each of them up in its index, for every piece again, if this were the column itself.
      sql`${name} || '' in (select name from ${sql.table(SUMS[of].holders)} where ${stored})`,
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
}

/**
 * @param byModel whether there is an amount for each model, or one for all of them.
 * @param only whose spending is read without names; absent: everybody's.
 */
function readSpending(store: Store, of: SummedUp, byModel: boolean, only?: Which): StoredByModel {
  const { readRanges, readToday, readDaysBefore, readTotals, readAllTotals } = spendingQueries(
    store,
    of,
    byModel,
  );
  const maxNamed = byModel ? MAX_NAMED.byModel : MAX_NAMED.all;
  let before: SettledSpending | undefined;

  /** The days before this one. */
  async function settled(day: string): Promise<SettledSpending> {
    const now = performance.now();
    if (before?.day === day && now - before.read < SETTLED) return before;
    const days = daysBefore(day);
    const amounts = await inPieces(await readRanges(days), (range) =>
      readDaysBefore(day, { key: isWithin(range), name: only }),
    );
    before = { day, read: now, amounts };
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

  /** The index of days has keys, and no groups: to look for some groups is to read all of a day. */
  async function readDay(day: string, parts: readonly (readonly string[])[] | undefined): Promise<Amounts> {
    if (of === 'key' && parts !== undefined)
      return inPieces(parts, (part) => readToday(day, { name: isAmong(part) }));
    const [part, ...others] = parts ?? [];
    const name = part === undefined ? only : others.length === 0 ? isAmong(part) : undefined;
    return inPieces(await readRanges([day]), (range) => readToday(day, { key: isWithin(range), name }));
  }

  return async (day, names) => {
    const known = await settled(day);
    const named = names && [...names];
    if (named) await settleOthers(known, named);
    const parts = named && inParts(named, maxNamed);
    const today = await readDay(day, parts);
    const totals = parts
      ? await inPieces(parts, (part) => readTotals(isAmong(part)))
      : await addUp(readAllTotals(only));
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

/** Reads the amounts of one piece after the other, and adds them up. */
function inPieces<T>(pieces: readonly T[], read: (piece: T) => Promise<SpentRows>): Promise<Amounts> {
  return addUp(readEach(pieces, read));
}

async function* readEach<T>(
  pieces: readonly T[],
  read: (piece: T) => Promise<SpentRows>,
): AsyncGenerator<SpentRows> {
  for (const piece of pieces) yield await read(piece);
}

/** Adds up what several pieces have of a name and a model. */
async function addUp(pieces: AsyncIterable<SpentRows>): Promise<Amounts> {
  const all: Amounts = new Map();
  for await (const rows of pieces)
    for (const { name, model, ...amounts } of rows) {
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
