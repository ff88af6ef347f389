/** The limits of keys: who is over one is told so before anything is done for them. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../conversation/prompt.ts';
import { GatewayError } from '../errors.ts';
import type { KeyLimits, Principal } from '../keys.ts';
import type { Recorder } from '../usage/exchange-record.ts';
import { type Taken, takenBy } from '../usage/taken.ts';
import type { InFlight, Leave } from './in-flight.ts';
import { limitHeaders, type Standing } from './limit-headers.ts';
import type { Spending, Spent } from './spending.ts';
import { openUsedLately } from './used-lately.ts';
import type { UsageWindow, Used } from './window.ts';

/**
 * What a request takes, in tokens and in money, is known only when it is over, and is charged a moment after that. So a
 * request is refused where a limit is used up already: the ones in flight at that moment may go beyond it.
 */
export interface Limits {
  /**
   * Counts a request, until `response` closes as one in flight.
   * @returns headers for its answer.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with the same headers.
   */
  admit(
    principal: Principal,
    response: ServerResponse,
    format: FormatName,
  ): LimitHeaders | Promise<LimitHeaders>;
  /** Charges what exchanges took to their key. */
  readonly charge: (taken: Taken) => void;
  /** The same of one exchange. */
  readonly record: Recorder;
  /** The budgets of keys that came lately, as far as this process knows; of very many, those that are used up most. */
  budgets(): readonly Budget[];
  close(): void;
}

/** A budget of a key, and what is left of it: less than nothing where the last answers went beyond it. In US dollars. */
export interface Budget {
  readonly key: string;
  readonly period: 'day' | 'month';
  readonly budget: number;
  readonly left: number;
}

/** Names in lower case. */
type LimitHeaders = Record<string, string>;

/** Where figures are kept. */
export interface Counters {
  readonly requests: UsageWindow;
  readonly tokens: UsageWindow;
  readonly inFlight: InFlight;
  readonly spending: Spending;
}

/** For how long a key's requests count that has not come again, in milliseconds: longer than an answer takes. */
const LONGEST_ANSWER = 86_400_000;

/** Of more budgets than this not all are told: each is a series of its own to whoever keeps them. */
const MOST_BUDGETS = 1_000;

/** Seconds after which one of the exchanges in flight may be over. */
const SOON = 1;

/** Whether anything at all is limited. */
export function isLimited(limits: KeyLimits): boolean {
  return (
    limits.requestsPerMinute !== undefined ||
    limits.tokensPerMinute !== undefined ||
    limits.concurrentRequests !== undefined ||
    limits.budgetDay !== undefined ||
    limits.budgetMonth !== undefined
  );
}

/** Whether what answers take counts, in tokens or in money. */
export function isMetered({ tokensPerMinute, budgetDay, budgetMonth }: KeyLimits): boolean {
  return tokensPerMinute !== undefined || budgetDay !== undefined || budgetMonth !== undefined;
}

/**
 * @param now milliseconds since 1970.
 * @param share into how many parts limits are divided, now that each process counts by itself; rounded up.
 */
export function limitsOf(
  counters: Counters,
  now: () => number = Date.now,
  share: () => number = () => 1,
): Limits {
  const { requests, tokens, inFlight, spending } = counters;
  /** Keys whose tokens and whose money count. */
  const counted = {
    tokens: openUsedLately<true>(LONGEST_ANSWER),
    money: openUsedLately<KeyLimits>(LONGEST_ANSWER),
  };
  const mine = (limit: number): number => Math.ceil(limit / share());

  /**
   * Refuses what is over a limit already. What a key has used and spent is undefined where that is not limited.
   * @returns headers that tell how much is left of each.
   */
  function weigh(
    limits: KeyLimits,
    format: FormatName,
    ofRequests: Used | undefined,
    ofTokens: Used | undefined,
    spent: Spent | undefined,
  ): LimitHeaders {
    const at = now();
    const byRequests = standing(limits.requestsPerMinute, ofRequests);
    const byTokens = standing(limits.tokensPerMinute, ofTokens);
    const headers = limitHeaders(byRequests, byTokens, format, at);
    if (spent !== undefined) refuseOverBudget(limits, spent, at, headers);
    // The request that is weighed is counted already; its tokens are not known yet.
    if (byRequests !== undefined && byRequests.used > byRequests.limit)
      throw over('requests', byRequests, headers);
    if (byTokens !== undefined && byTokens.used >= byTokens.limit) throw over('tokens', byTokens, headers);
    return headers;
  }

  function standing(limit: number | undefined, used: Used | undefined): Standing | undefined {
    if (limit === undefined || used === undefined) return undefined;
    return { limit: mine(limit), used: used.count, left: used.left };
  }

  /** Lets one in, unless as many of its key as may be are in flight. */
  function enter(
    { name, limits: { concurrentRequests } }: Principal,
    response: ServerResponse,
    headers: LimitHeaders,
  ): LimitHeaders | Promise<LimitHeaders> {
    if (concurrentRequests === undefined) return headers;
    const limit = mine(concurrentRequests);
    const leave = inFlight.enter(name, limit);
    return leave instanceof Promise
      ? leave.then((entered) => begin(entered, response, limit, headers))
      : begin(leave, response, limit, headers);
  }

  /** Counts one that is let in as in flight, until `response` closes. */
  function begin(
    leave: Leave | undefined,
    response: ServerResponse,
    limit: number,
    headers: LimitHeaders,
  ): LimitHeaders {
    if (leave === undefined) {
      throw new GatewayError(
        'rate-limited',
        `Rate limit reached: this API key is limited to ${limit} requests at a time.`,
        { retryAfter: SOON, headers },
      );
    }
    // The caller may have left in the meantime.
    if (response.closed) leave();
    else response.on('close', leave);
    return headers;
  }

  function charge({ key, tokens: took, cost, time }: Taken): void {
    const at = performance.now();
    // Windows count here where they cannot count elsewhere: they do not fail.
    if (took > 0 && counted.tokens.get(key, at)) void tokens.add(key, took);
    if (cost > 0 && counted.money.get(key, at)) spending.charge(key, cost, time);
  }

  return {
    admit(principal, response, format) {
      const { name, limits } = principal;
      const { requestsPerMinute, tokensPerMinute, budgetDay, budgetMonth } = limits;
      const at = performance.now();
      if (tokensPerMinute !== undefined) counted.tokens.set(name, true, at);
      const hasBudget = budgetDay !== undefined || budgetMonth !== undefined;
      if (hasBudget) counted.money.set(name, limits, at);

      const ofRequests = requestsPerMinute === undefined ? undefined : requests.add(name, 1);
      const ofTokens = tokensPerMinute === undefined ? undefined : tokens.used(name);
      const spent = hasBudget ? spending.of(name) : undefined;
      // All at once: with Redis that is one way there and back. Without it, nothing is waited for.
      if (isHere(ofRequests) && isHere(ofTokens) && isHere(spent))
        return enter(principal, response, weigh(limits, format, ofRequests, ofTokens, spent));
      return Promise.all([ofRequests, ofTokens, spent]).then((figures) =>
        enter(principal, response, weigh(limits, format, ...figures)),
      );
    },
    charge,
    record(record) {
      const taken = takenBy(record);
      if (taken !== undefined) charge(taken);
    },
    budgets() {
      const all = [...counted.money.entries(performance.now())].flatMap(([key, limits]) =>
        budgetsOf(key, limits, spending.known(key)),
      );
      return all.length <= MOST_BUDGETS ? all : all.toSorted(byShareLeft).slice(0, MOST_BUDGETS);
    },
    close: inFlight.close,
  };
}

function budgetsOf(key: string, { budgetDay, budgetMonth }: KeyLimits, spent: Spent): readonly Budget[] {
  const of = (period: Budget['period'], budget: number | undefined): readonly Budget[] =>
    budget === undefined ? [] : [{ key, period, budget, left: budget - spent[period] }];
  return [...of('day', budgetDay), ...of('month', budgetMonth)];
}

/** A budget of nothing has nothing left. */
function byShareLeft(one: Budget, other: Budget): number {
  return one.left / (one.budget || 1) - other.left / (other.budget || 1);
}

function isHere<T>(figure: T | Promise<T>): figure is T {
  return !(figure instanceof Promise);
}

function over(of: 'requests' | 'tokens', { limit, left }: Standing, headers: LimitHeaders): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Rate limit reached: this API key is limited to ${limit} ${of} per minute.`,
    { retryAfter: Math.max(1, Math.ceil(left / 1000)), headers },
  );
}

/** Official SDKs would try again on their own, within seconds: they are told not to. */
function refuseOverBudget(
  { budgetDay, budgetMonth }: KeyLimits,
  spent: Spent,
  now: number,
  headers: LimitHeaders,
): void {
  const ofMonth = budgetMonth !== undefined && spent.month >= budgetMonth;
  if (!ofMonth && (budgetDay === undefined || spent.day < budgetDay)) return;
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const until = ofMonth ? Date.UTC(year, month + 1) : Date.UTC(year, month, day + 1);
  const budget = ofMonth
    ? 'this month. It renews at the start of the next one (UTC).'
    : 'today. It renews at 00:00 UTC.';
  throw new GatewayError('quota-exceeded', `This API key has used up its budget for ${budget}`, {
    retryAfter: Math.max(1, Math.ceil((until - now) / 1000)),
    headers: { ...headers, 'x-should-retry': 'false' },
  });
}
