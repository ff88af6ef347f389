/**
 * What keys or groups have spent, by day and month of UTC. Three places have figures: this process, the store (of every
 * process that shares it, a moment late), and Redis (of every process that shares it, at once). The highest one counts,
 * because each of them may lack something but none has too much.
 */

import type { Redis } from 'ioredis';
import { openCalendar } from '../../lib/calendar.ts';
import type { Period } from '../../store/key-limits.ts';
import type { Fault } from './redis.ts';

/** US dollars, in the present period of each kind. */
export type Spent = Readonly<Record<Period, number>>;

/** The spending in the month of a day: before that day, and on it. */
export interface Month<S> {
  readonly before: S;
  readonly today: S;
}

/** Reads the stored spending in the month of `day`, of all keys or of `keys`. */
export type StoredSpending = (day: string, keys?: ReadonlySet<string>) => Promise<ReadonlyMap<string, Spent>>;

/** The spending that is known of a key before its first request of the day. */
export type AtFirst = (key: string, day: string) => Spent | undefined;

/** The spending of keys or of groups. */
export interface Spending {
  of(key: string): Spent | Promise<Spent>;
  /** The same as far as this process knows it, without asking anybody. */
  known(key: string): Spent;
  charge(key: string, cost: number, time: number): void;
  /**
   * Takes over the figures of the store: at first of all keys, later of those that made requests.
   * @throws if the store cannot be read.
   */
  refresh(): Promise<void>;
}

/** How long Redis keeps a day and a month, in seconds: somewhat longer than they last. */
const KEEP = { day: 2 * 86_400, month: 33 * 86_400 };

/**
 * @param name the name of the figures in Redis.
 * @param now returns milliseconds since 1970.
 * @param onFault called if Redis has something else in the place of an amount; it counts as nothing.
 */
export function openSpending(
  name: string,
  now: () => number,
  stored: StoredSpending | undefined,
  redis: Redis | undefined,
  atFirst: AtFirst = () => undefined,
  onFault: Fault = () => undefined,
): Spending {
  const calendar = openCalendar();
  let day = calendar.day(now());
  const today = new Map<string, number>();
  const thisMonth = new Map<string, number>();
  /** Keys with requests today or the day before; undefined until the store has been read for all keys. */
  let asked: Set<string> | undefined;
  let askedToday = new Set<string>();

  function turn(): void {
    const present = calendar.day(now());
    if (present === day) return;
    today.clear();
    if (asked !== undefined) asked = askedToday;
    askedToday = new Set();
    if (getMonth(present) !== getMonth(day)) thisMonth.clear();
    day = present;
  }

  const getPlace = (period: string, key: string): string => `gateway:${name}:${period}:${key}`;
  const known = (key: string): Spent => ({ day: today.get(key) ?? 0, month: thisMonth.get(key) ?? 0 });

  /** Without Redis, the figures of this process count. */
  async function shared(others: Redis, key: string): Promise<Spent> {
    const then = day;
    const [dayPlace, monthPlace] = [getPlace(day, key), getPlace(getMonth(day), key)];
    const [inDay, inMonth] = (await others.mget([dayPlace, monthPlace]).catch(() => undefined)) ?? [];
    turn();
    if (then !== day) return known(key);
    return raise(key, { day: amount(dayPlace, inDay), month: amount(monthPlace, inMonth) });
  }

  function amount(place: string, text: string | null | undefined): number {
    const number = Number(text ?? 0);
    if (Number.isFinite(number)) return number;
    onFault(`${place} is not an amount`);
    return 0;
  }

  function raise(key: string, spent: Spent): Spent {
    const { day: inDay, month: inMonth } = known(key);
    const raised = { day: Math.max(inDay, spent.day), month: Math.max(inMonth, spent.month) };
    today.set(key, raised.day);
    thisMonth.set(key, raised.month);
    return raised;
  }

  function share(period: string, key: string, before: number, cost: number, keep: number): void {
    // A figure that Redis lost or never had starts with the figure of this process. What cannot be shared now is
    // counted here, and by the store.
    redis
      ?.multi()
      .set(getPlace(period, key), before, 'EX', keep, 'NX')
      .incrbyfloat(getPlace(period, key), cost)
      .exec()
      .then((results) => {
        // A transaction that fails after it was accepted reports the error among its results.
        const failure = results?.find(([error]) => error !== null)?.[0];
        if (failure) onFault(`${getPlace(period, key)}: ${failure.message}`);
      })
      .catch(() => undefined);
  }

  return {
    of(key) {
      turn();
      if (!askedToday.has(key)) {
        askedToday.add(key);
        asked?.add(key);
        const first = atFirst(key, day);
        if (first !== undefined) raise(key, first);
      }
      return redis === undefined ? known(key) : shared(redis, key);
    },
    known(key) {
      turn();
      return known(key);
    },
    charge(key, cost, time) {
      turn();
      const of = calendar.day(time);
      if (getMonth(of) !== getMonth(day)) return;
      const month = thisMonth.get(key) ?? 0;
      thisMonth.set(key, month + cost);
      share(getMonth(day), key, month, cost, KEEP.month);
      if (of !== day) return;
      const inDay = today.get(key) ?? 0;
      today.set(key, inDay + cost);
      share(day, key, inDay, cost, KEEP.day);
    },
    async refresh() {
      turn();
      const then = day;
      if (asked?.size === 0) return;
      const found = await stored?.(then, asked);
      asked ??= new Set(askedToday);
      turn();
      if (found === undefined || then !== day) return;
      for (const [key, spent] of found) raise(key, spent);
    },
  };
}

/** The month of a day, YYYY-MM. */
function getMonth(day: string): string {
  return day.slice(0, 7);
}
