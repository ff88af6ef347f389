/**
 * What keys or groups have spent, by day, week, month, and in total. Three places have figures: this process, the store
 * (of every process that shares it, a moment late), and Redis (of every process that shares it, at once). The highest one
 * counts, because each of them may lack something but none has too much.
 */

import type { Redis } from 'ioredis';
import { openCalendar } from '../../lib/calendar.ts';
import { PERIODS, type Period } from '../../store/keys/key-limits.ts';
import { getPeriods, type Periods } from './periods.ts';
import type { ReportFault } from './redis.ts';

/** US dollars, in the present period of each kind. */
export type Spent = Readonly<Record<Period, number>>;

/** Reads what was spent until the end of `day`, in its periods, by all keys or by `keys`. */
export type StoredSpending = (day: string, keys?: ReadonlySet<string>) => Promise<ReadonlyMap<string, Spent>>;

/** The spending that is known of a key before its first request of the day. */
export type InitialSpending = (key: string, day: string) => Spent | undefined;

/** The spending of keys or of groups. */
export interface Spending {
  /** @param periods those that must be known at once; the others are as this process knows them. */
  get(key: string, periods?: readonly Period[]): Spent | Promise<Spent>;
  /** The same as far as this process knows it, without asking anybody. */
  known(key: string): Spent;
  /** @param periods those that other processes must know of at once. */
  charge(key: string, cost: number, time: number, periods?: readonly Period[]): void;
  /**
   * Takes over the figures of the store: at first of all keys, later of those that made requests.
   * @throws if the store cannot be read.
   */
  refresh(): Promise<void>;
}

export interface SpendingOptions {
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** The time zone of days, weeks and months; absent means UTC. */
  readonly timeZone?: string | undefined;
  readonly stored?: StoredSpending | undefined;
  readonly redis?: Redis | undefined;
  readonly initial?: InitialSpending | undefined;
  /** Called if Redis has something else in the place of an amount; it counts as nothing. */
  readonly onFault?: ReportFault | undefined;
}

/**
 * How long Redis keeps a figure, in seconds: somewhat longer than its period lasts. A total that it has lost begins again
 * with the figure of the store.
 */
const EXPIRY: Readonly<Record<Period, number>> = {
  day: 2 * 86_400,
  week: 9 * 86_400,
  month: 33 * 86_400,
  total: 33 * 86_400,
};

/** The periods that processes of an earlier version share. */
const COMMON_PERIODS: readonly Period[] = ['day', 'month'];

/** @param name the name of the figures in Redis. */
export function openSpending(
  name: string,
  { now, timeZone, stored, redis, initial = () => undefined, onFault = () => undefined }: SpendingOptions,
): Spending {
  const calendar = openCalendar(timeZone);
  let present = getPeriods(calendar.day(now()));
  const figures: Readonly<Record<Period, Map<string, number>>> = {
    day: new Map(),
    week: new Map(),
    month: new Map(),
    total: new Map(),
  };
  /** Keys with requests today or the day before; undefined until the store has been read for all keys. */
  let asked: Set<string> | undefined;
  let askedToday = new Set<string>();

  function turn(): void {
    const day = calendar.day(now());
    if (day === present.day) return;
    const next = getPeriods(day);
    for (const period of PERIODS) if (next[period] !== present[period]) figures[period].clear();
    if (asked !== undefined) asked = askedToday;
    askedToday = new Set();
    present = next;
  }

  const known = (key: string): Spent => ({
    day: figures.day.get(key) ?? 0,
    week: figures.week.get(key) ?? 0,
    month: figures.month.get(key) ?? 0,
    total: figures.total.get(key) ?? 0,
  });

  function getPlace(period: Period, { [period]: present }: Periods, key: string): string {
    return `gateway:${name}:${present}:${key}`;
  }

  /** Without Redis, the figures of this process count. */
  async function shared(others: Redis, key: string, periods: readonly Period[]): Promise<Spent> {
    const then = present;
    const places = periods.map((period) => getPlace(period, then, key));
    const texts = (await others.mget(places).catch(() => undefined)) ?? [];
    turn();
    if (then.day !== present.day) return known(key);
    for (const [at, period] of periods.entries()) raise(period, key, amount(places[at] ?? '', texts[at]));
    return known(key);
  }

  function amount(place: string, text: string | null | undefined): number {
    const number = Number(text ?? 0);
    if (Number.isFinite(number)) return number;
    onFault(`${place} is not an amount`);
    return 0;
  }

  function raise(period: Period, key: string, amount: number): void {
    if (amount > (figures[period].get(key) ?? 0)) figures[period].set(key, amount);
  }

  function raiseAll(key: string, spent: Spent): void {
    for (const period of PERIODS) raise(period, key, spent[period]);
  }

  function share(period: Period, key: string, before: number, cost: number): void {
    const place = getPlace(period, present, key);
    // A figure that Redis lost or never had starts with the figure of this process. What cannot be shared now is
    // counted here, and by the store.
    redis
      ?.multi()
      .set(place, before, 'EX', EXPIRY[period], 'NX')
      .incrbyfloat(place, cost)
      .exec()
      .then((results) => {
        // A transaction that fails after it was accepted reports the error among its results.
        const failure = results?.find(([error]) => error !== null)?.[0];
        if (failure) onFault(`${place}: ${failure.message}`);
      })
      .catch(() => undefined);
  }

  return {
    get(key, periods = COMMON_PERIODS) {
      turn();
      if (!askedToday.has(key)) {
        askedToday.add(key);
        asked?.add(key);
        const first = initial(key, present.day);
        if (first !== undefined) raiseAll(key, first);
      }
      return redis === undefined ? known(key) : shared(redis, key, periods);
    },
    known(key) {
      turn();
      return known(key);
    },
    charge(key, cost, time, periods = COMMON_PERIODS) {
      turn();
      const day = calendar.day(time);
      const then = day === present.day ? present : getPeriods(day);
      for (const period of PERIODS) {
        if (then[period] !== present[period]) continue;
        // Totals are never cleared, so only those that are needed are kept.
        if (period === 'total' && !periods.includes(period)) continue;
        const before = figures[period].get(key) ?? 0;
        figures[period].set(key, before + cost);
        if (periods.includes(period)) share(period, key, before, cost);
      }
    },
    async refresh() {
      turn();
      const then = present;
      if (asked?.size === 0) return;
      const found = await stored?.(then.day, asked);
      asked ??= new Set(askedToday);
      turn();
      if (found === undefined || then.day !== present.day) return;
      for (const [key, spent] of found) raiseAll(key, spent);
    },
  };
}
