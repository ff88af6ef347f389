/**
 * What keys or groups have spent, by day, week, month, and in total. Three places have figures: this process, the store
 * (of every process that shares it, a moment late), and Redis (of every process that shares it, at once). The highest one
 * counts, because each of them may lack something but none has too much.
 */

import type { Redis } from 'ioredis';
import { type Calendar, openCalendar } from '../../lib/calendar.ts';
import { PERIODS, type Period } from '../../store/keys/key-limits.ts';
import { getPeriods, type Periods } from './periods.ts';
import type { ReportFault } from './redis.ts';

/** US dollars, in the present period of each kind. */
export type Spent = Readonly<Record<Period, number>>;

/** Reads what was spent until the end of `day`, in its periods, by all keys or by `keys`. */
export type StoredSpending = (day: string, keys?: ReadonlySet<string>) => Promise<ReadonlyMap<string, Spent>>;

/** The spending that is known of a key before its first request of the day. */
export type InitialSpending = (key: string, day: string) => Spent | undefined;

export interface SpendingOptions {
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** The time zone of days, weeks and months; absent means UTC. */
  readonly timeZone?: string | undefined;
  readonly stored?: StoredSpending | undefined;
  readonly redis?: Redis | undefined;
  readonly initial?: InitialSpending | undefined;
  /**
   * Whether the figures of keys without a request on the last day are forgotten. Such a key's first request may pass before
   * the store has said what it spent.
   */
  readonly forgetsUnused?: boolean | undefined;
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

/** The spending of keys or of groups. */
export class Spending {
  /** The name of the figures in Redis. */
  readonly #name: string;
  readonly #options: SpendingOptions;
  readonly #calendar: Calendar;
  #present: Periods;
  /** US dollars by key, in the present period of each kind. */
  readonly #figures: Record<Period, Map<string, number>> = {
    day: new Map(),
    week: new Map(),
    month: new Map(),
    total: new Map(),
  };
  /** The same of the periods that were present before: a clock that is set wrong, and then right, returns to them. */
  readonly #before: {
    [period in Period]?: { readonly name: string; readonly figures: Map<string, number> };
  } = {};
  /** Keys with requests today or the day before; undefined until the store has been read for all keys. */
  #asked: Set<string> | undefined;
  #askedToday = new Set<string>();

  /** @param name the name of the figures in Redis. */
  constructor(name: string, options: SpendingOptions) {
    this.#name = name;
    this.#options = options;
    this.#calendar = openCalendar(options.timeZone);
    this.#present = getPeriods(this.#calendar.day(options.now()));
  }

  /** @param periods those that must be known at once; the others are as this process knows them. */
  get(key: string, periods: readonly Period[] = COMMON_PERIODS): Spent | Promise<Spent> {
    this.#turn();
    const { redis, initial } = this.#options;
    if (!this.#askedToday.has(key)) {
      this.#askedToday.add(key);
      this.#asked?.add(key);
      const first = initial?.(key, this.#present.day);
      if (first !== undefined) this.#raiseAll(key, first);
    }
    return redis === undefined ? this.#figuresFor(key) : this.#shared(redis, key, periods);
  }

  /** The same as far as this process knows it, without asking anybody. */
  known(key: string): Spent {
    this.#turn();
    return this.#figuresFor(key);
  }

  /** @param periods those that other processes must know of at once. */
  charge(key: string, cost: number, time: number, periods: readonly Period[] = COMMON_PERIODS): void {
    this.#turn();
    const present = this.#present;
    const day = this.#calendar.day(time);
    const then = day === present.day ? present : getPeriods(day);
    for (const period of PERIODS) {
      if (then[period] !== present[period]) continue;
      // Totals are never cleared, so only those that are needed are kept.
      if (period === 'total' && !periods.includes(period)) continue;
      const before = this.#figures[period].get(key) ?? 0;
      this.#figures[period].set(key, before + cost);
      if (periods.includes(period)) this.#share(period, key, before, cost);
    }
  }

  /**
   * Takes over the figures of the store: at first of all keys, later of those that made requests.
   * @throws if the store cannot be read.
   */
  async refresh(): Promise<void> {
    this.#turn();
    const { day } = this.#present;
    if (this.#asked?.size === 0) return;
    const found = await this.#options.stored?.(day, this.#asked);
    this.#asked ??= new Set(this.#askedToday);
    this.#turn();
    if (found === undefined || day !== this.#present.day) return;
    for (const [key, spent] of found) this.#raiseAll(key, spent);
  }

  /** Begins another day, and with it other periods. */
  #turn(): void {
    const day = this.#calendar.day(this.#options.now());
    const last = this.#present;
    if (day === last.day) return;
    this.#present = getPeriods(day);
    for (const period of PERIODS) {
      const [name, lastName] = [this.#present[period], last[period]];
      if (name === lastName) continue;
      const before = this.#before[period];
      this.#before[period] = { name: lastName, figures: this.#figures[period] };
      this.#figures[period] = before?.name === name ? before.figures : new Map();
    }
    if (this.#asked !== undefined) this.#asked = this.#askedToday;
    // A clock that is set back was wrong before, and so were the keys of its last day.
    if (this.#options.forgetsUnused === true && day > last.day) this.#forgetUnused();
    this.#askedToday = new Set();
  }

  #forgetUnused(): void {
    for (const figures of Object.values(this.#figures))
      for (const key of figures.keys()) if (!this.#askedToday.has(key)) figures.delete(key);
  }

  #figuresFor(key: string): Spent {
    const { day, week, month, total } = this.#figures;
    return {
      day: day.get(key) ?? 0,
      week: week.get(key) ?? 0,
      month: month.get(key) ?? 0,
      total: total.get(key) ?? 0,
    };
  }

  #raise(period: Period, key: string, amount: number): void {
    const figures = this.#figures[period];
    if (amount > (figures.get(key) ?? 0)) figures.set(key, amount);
  }

  #raiseAll(key: string, spent: Spent): void {
    for (const period of PERIODS) this.#raise(period, key, spent[period]);
  }

  #placeInRedis(period: Period, key: string): string {
    return `gateway:${this.#name}:${this.#present[period]}:${key}`;
  }

  /** Without Redis, the figures of this process count. */
  async #shared(redis: Redis, key: string, periods: readonly Period[]): Promise<Spent> {
    const { day } = this.#present;
    const places = periods.map((period) => this.#placeInRedis(period, key));
    const texts = (await redis.mget(places).catch(() => undefined)) ?? [];
    this.#turn();
    if (day === this.#present.day)
      for (const [at, period] of periods.entries())
        this.#raise(period, key, this.#parseAmount(places[at] ?? '', texts[at]));
    return this.#figuresFor(key);
  }

  #parseAmount(place: string, text: string | null | undefined): number {
    const amount = Number(text ?? 0);
    if (Number.isFinite(amount)) return amount;
    this.#options.onFault?.(`${place} is not an amount`);
    return 0;
  }

  #share(period: Period, key: string, before: number, cost: number): void {
    const { redis, onFault } = this.#options;
    const place = this.#placeInRedis(period, key);
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
        if (failure) onFault?.(`${place}: ${failure.message}`);
      })
      .catch(() => undefined);
  }
}
