/** What keys have of their limits, or groups of keys of theirs: who is over one is told so. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { ModelHolder } from '../principal.ts';
import { type AccountOf, type Budget, budgetsOf, byShareLeft, MOST_BUDGETS } from './budgets.ts';
import type { InFlight, Leave } from './in-flight.ts';
import { limitHeaders, type Standing, type Standings, tighter } from './limit-headers.ts';
import type { Spending, Spent } from './spending.ts';
import { openUsedLately } from './used-lately.ts';
import type { UsageWindow, Used } from './window.ts';

/** A key, or a group of them, be it as far as some models go: a name, and limits. */
export type Holder = Pick<ModelHolder, 'name' | 'limits'> & Partial<Pick<ModelHolder, 'of' | 'models'>>;

/** Where figures are kept. */
export interface Counters {
  readonly requests: UsageWindow;
  readonly tokens: UsageWindow;
  readonly inFlight: InFlight;
  readonly spending: Spending;
}

export interface Account {
  /**
   * Counts a request of a holder who has limits, until `response` closes as one in flight.
   * @param beside how far the request is with other limits that it keeps.
   * @returns how far it is with all of them.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with headers that tell the same.
   */
  admit(
    holder: Holder,
    response: ServerResponse,
    format: FormatName,
    beside: Standings,
  ): Standings | Promise<Standings>;
  /**
   * Counts something of a holder as in flight that is not a request yet.
   * @returns what is called when it is over, once; undefined where as many are in flight as may be.
   */
  occupy(holder: Holder): Leave | undefined | Promise<Leave | undefined>;
  /**
   * Charges what an exchange took, where that is limited.
   * @param time when it began, milliseconds since 1970.
   */
  charge(name: string, tokens: number, cost: number, time: number): void;
  /** The budgets of holders that came lately, as far as this process knows; of very many, those that are used up most. */
  budgets(): readonly Budget[];
  close(): void;
}

/** For how long requests of a holder count that has not come again, in milliseconds: longer than an answer takes. */
const LONGEST_ANSWER = 86_400_000;

/** Seconds after which one of the exchanges in flight may be over. */
const SOON = 1;

/**
 * @param now milliseconds since 1970.
 * @param share into how many parts limits are divided, now that each process counts by itself; rounded up.
 */
export function openAccount(
  of: AccountOf,
  { requests, tokens, inFlight, spending }: Counters,
  now: () => number,
  share: () => number,
): Account {
  /** Those whose tokens and whose money count. */
  const counted = {
    tokens: openUsedLately<true>(LONGEST_ANSWER),
    money: openUsedLately<Holder>(LONGEST_ANSWER),
  };
  const mine = (limit: number): number => Math.ceil(limit / share());
  const said = (holder: Holder): string =>
    of === 'key' ? 'this API key' : `the group ${holder.of ?? holder.name} of this API key`;
  const ofModels = ({ models }: Holder): string => (models === undefined ? '' : ` for ${models}`);

  /**
   * Refuses what is over a limit already. What was used and spent is undefined where that is not limited.
   * @returns how much is left of each, and of those beside it.
   */
  function weigh(
    holder: Holder,
    format: FormatName,
    beside: Standings,
    ofRequests: Used | undefined,
    ofTokens: Used | undefined,
    spent: Spent | undefined,
  ): Standings {
    const { limits } = holder;
    const byRequests = standing(limits.requestsPerMinute, ofRequests);
    const byTokens = standing(limits.tokensPerMinute, ofTokens);
    const all = {
      requests: tighter(byRequests, beside.requests),
      tokens: tighter(byTokens, beside.tokens),
    };
    if (spent !== undefined) refuseOverBudget(holder, spent, format, all);
    // The request that is weighed is counted already; its tokens are not known yet. Headers tell of what it is refused for.
    if (byRequests !== undefined && byRequests.used > byRequests.limit)
      throw over(holder, 'requests', byRequests, format, { ...all, requests: byRequests });
    if (byTokens !== undefined && byTokens.used >= byTokens.limit)
      throw over(holder, 'tokens', byTokens, format, { ...all, tokens: byTokens });
    return all;
  }

  function standing(limit: number | undefined, used: Used | undefined): Standing | undefined {
    if (limit === undefined || used === undefined) return undefined;
    return { limit: mine(limit), used: used.count, left: used.left };
  }

  function over(
    holder: Holder,
    what: 'requests' | 'tokens',
    { limit, left }: Standing,
    format: FormatName,
    all: Standings,
  ): GatewayError {
    return new GatewayError(
      'rate-limited',
      `Rate limit reached: ${said(holder)} is limited to ${limit} ${what} per minute${ofModels(holder)}.`,
      { retryAfter: Math.max(1, Math.ceil(left / 1000)), headers: limitHeaders(all, format, now()) },
    );
  }

  /** Official SDKs would try again on their own, within seconds: they are told not to. */
  function refuseOverBudget(holder: Holder, spent: Spent, format: FormatName, all: Standings): void {
    const { budgetDay, budgetMonth } = holder.limits;
    const ofMonth = budgetMonth !== undefined && spent.month >= budgetMonth;
    if (!ofMonth && (budgetDay === undefined || spent.day < budgetDay)) return;
    const at = now();
    const date = new Date(at);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    const until = ofMonth ? Date.UTC(year, month + 1) : Date.UTC(year, month, day + 1);
    const budget = ofMonth
      ? 'this month. It renews at the start of the next one (UTC).'
      : 'today. It renews at 00:00 UTC.';
    throw new GatewayError(
      'quota-exceeded',
      `${capitalized(said(holder))} has used up its budget${ofModels(holder)} for ${budget}`,
      {
        retryAfter: Math.max(1, Math.ceil((until - at) / 1000)),
        headers: { ...limitHeaders(all, format, at), 'x-should-retry': 'false' },
      },
    );
  }

  /** Lets one in, unless as many of its holder as may be are in flight. */
  function enter(
    holder: Holder,
    response: ServerResponse,
    format: FormatName,
    all: Standings,
  ): Standings | Promise<Standings> {
    const { concurrentRequests } = holder.limits;
    if (concurrentRequests === undefined) return all;
    const limit = mine(concurrentRequests);
    const leave = inFlight.enter(holder.name, limit);
    return leave instanceof Promise
      ? leave.then((entered) => begin(entered, holder, limit, response, format, all))
      : begin(leave, holder, limit, response, format, all);
  }

  /** Counts one that is let in as in flight, until `response` closes. */
  function begin(
    leave: Leave | undefined,
    holder: Holder,
    limit: number,
    response: ServerResponse,
    format: FormatName,
    all: Standings,
  ): Standings {
    if (leave === undefined) {
      throw new GatewayError(
        'rate-limited',
        `Rate limit reached: ${said(holder)} is limited to ${limit} requests at a time${ofModels(holder)}.`,
        { retryAfter: SOON, headers: limitHeaders(all, format, now()) },
      );
    }
    // The caller may have left in the meantime.
    if (response.closed) leave();
    else response.on('close', leave);
    return all;
  }

  return {
    admit(holder, response, format, beside) {
      const { name, limits } = holder;
      const { requestsPerMinute, tokensPerMinute, budgetDay, budgetMonth } = limits;
      const at = performance.now();
      if (tokensPerMinute !== undefined) counted.tokens.set(name, true, at);
      const hasBudget = budgetDay !== undefined || budgetMonth !== undefined;
      if (hasBudget) counted.money.set(name, holder, at);

      const ofRequests = requestsPerMinute === undefined ? undefined : requests.add(name, 1);
      const ofTokens = tokensPerMinute === undefined ? undefined : tokens.used(name);
      const spent = hasBudget ? spending.of(name) : undefined;
      // All at once: with Redis that is one way there and back. Without it, nothing is waited for.
      if (isHere(ofRequests) && isHere(ofTokens) && isHere(spent))
        return enter(holder, response, format, weigh(holder, format, beside, ofRequests, ofTokens, spent));
      return Promise.all([ofRequests, ofTokens, spent]).then((figures) =>
        enter(holder, response, format, weigh(holder, format, beside, ...figures)),
      );
    },
    occupy({ name, limits: { concurrentRequests } }) {
      return concurrentRequests === undefined ? () => {} : inFlight.enter(name, mine(concurrentRequests));
    },
    charge(name, took, cost, time) {
      const at = performance.now();
      // Windows count here where they cannot count elsewhere: they do not fail.
      if (took > 0 && counted.tokens.get(name, at)) void tokens.add(name, took);
      if (cost > 0 && counted.money.get(name, at)) spending.charge(name, cost, time);
    },
    budgets() {
      const all = [...counted.money.entries(performance.now())].flatMap(([name, holder]) =>
        budgetsOf(of, holder, spending.known(name)),
      );
      return all.length <= MOST_BUDGETS ? all : all.toSorted(byShareLeft).slice(0, MOST_BUDGETS);
    },
    close: inFlight.close,
  };
}

function isHere<T>(figure: T | Promise<T>): figure is T {
  return !(figure instanceof Promise);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
