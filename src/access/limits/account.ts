/** Enforces the limits of keys, or of groups: counts what each of them uses, and refuses a request over a limit. */

import type { FormatName } from '../../conversation/prompt.ts';
import type { CallerResponse } from '../caller.ts';
import { type Budget, byShareLeft, listBudgets, MAX_BUDGETS } from './budgets.ts';
import type { InFlight, ReleaseSlot } from './in-flight.ts';
import { type LimitState, type LimitStates, tighter } from './limit-headers.ts';
import type { AccountKind, LimitHolder } from './limit-holder.ts';
import type { LimitReport } from './limit-report.ts';
import { hasBudget } from './limited.ts';
import { sharedPeriods } from './periods.ts';
import { openRecentlyUsed } from './recently-used.ts';
import { type CheckedRequest, overBudget, overConcurrency, overRate, overReserve } from './refusals.ts';
import type { Release, Reservations } from './reservations.ts';
import { type CostEstimate, holdAmount } from './reserve.ts';
import type { Spending, Spent } from './spending.ts';
import type { UsageWindow, Used } from './window.ts';

/** Where figures are kept. */
export interface Counters {
  readonly requests: UsageWindow;
  readonly tokens: UsageWindow;
  readonly inFlight: InFlight;
  readonly spending: Spending;
  readonly reservations: Reservations;
}

/** The clock of limits. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** The time zone in which budgets renew; absent means UTC. */
  readonly timeZone?: string | undefined;
}

export interface Account {
  /**
   * Counts a request of a holder with limits, in flight until `response` closes.
   * @param otherLimits what is left of other limits that apply to the request.
   * @returns what is left of all of them.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with headers that say the same.
   */
  admit(
    holder: LimitHolder,
    response: CallerResponse,
    format: FormatName,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates>;
  /**
   * Holds what a request may cost of the budgets of a holder.
   * @param otherLimits what is left of other limits, for the headers of a refusal.
   * @returns a function to call once, when the cost has been charged.
   * @throws GatewayError `rate-limited` if requests in flight hold what is left; `quota-exceeded` if it would not fit
   *   without them either.
   */
  reserve(
    holder: LimitHolder,
    estimate: CostEstimate,
    format: FormatName,
    otherLimits: LimitStates,
  ): Release | Promise<Release>;
  /**
   * Counts something of a holder as in flight that is not a request yet.
   * @returns a function to call once, when it is over; undefined if the limit is reached.
   */
  reserveSlot(holder: LimitHolder): ReleaseSlot | undefined | Promise<ReleaseSlot | undefined>;
  /**
   * Charges what an exchange used, as far as that is limited.
   * @param time when the exchange began, in milliseconds since 1970.
   */
  charge(name: string, tokens: number, cost: number, time: number): void;
  /** The limits of a holder, with what is spent of its budgets. */
  report(holder: LimitHolder): Promise<LimitReport>;
  /** The budgets of recently active holders, as far as this process knows them; if there are very many, the most used. */
  budgets(): readonly Budget[];
  close(): void;
}

/** How long answers of a holder are charged after its last request, in milliseconds: longer than an answer takes. */
const MAX_ANSWER_TIME = 86_400_000;

/**
 * @param share returns the number of parts into which limits are divided, if each process counts by itself at the moment;
 * each part is rounded up.
 */
export function openAccount(
  of: AccountKind,
  { requests, tokens, inFlight, spending, reservations }: Counters,
  { now, timeZone = 'UTC' }: Clock,
  share: () => number,
): Account {
  /** The holders whose tokens are counted, and those whose money is. */
  const metered = {
    tokens: openRecentlyUsed<true>(MAX_ANSWER_TIME),
    money: openRecentlyUsed<LimitHolder>(MAX_ANSWER_TIME),
  };
  const portion = (limit: number): number => Math.ceil(limit / share());
  const checked = (holder: LimitHolder, format: FormatName, standings: LimitStates): CheckedRequest => {
    return { of, holder, format, standings, now: now(), timeZone };
  };

  /**
   * Refuses a request over a limit. What is not limited is undefined among the figures.
   * @returns what is left of each limit, the others included.
   */
  function check(
    holder: LimitHolder,
    format: FormatName,
    otherLimits: LimitStates,
    usedRequests: Used | undefined,
    usedTokens: Used | undefined,
    spent: Spent | undefined,
  ): LimitStates {
    const { limits } = holder;
    const byRequests = standing(limits.requestsPerMinute, usedRequests);
    const byTokens = standing(limits.tokensPerMinute, usedTokens);
    const all = {
      requests: tighter(byRequests, otherLimits.requests),
      tokens: tighter(byTokens, otherLimits.tokens),
    };
    const refusal = spent && overBudget(checked(holder, format, all), spent);
    if (refusal !== undefined) throw refusal;
    // The request itself is counted already; its tokens are not known yet. Headers show the limit that refuses it.
    if (byRequests !== undefined && byRequests.used > byRequests.limit)
      throw overRate(checked(holder, format, { ...all, requests: byRequests }), 'request', byRequests);
    if (byTokens !== undefined && byTokens.used >= byTokens.limit)
      throw overRate(checked(holder, format, { ...all, tokens: byTokens }), 'token', byTokens);
    return all;
  }

  function standing(limit: number | undefined, used: Used | undefined): LimitState | undefined {
    if (limit === undefined || used === undefined) return undefined;
    return { limit: portion(limit), used: used.count, left: used.left };
  }

  /** Counts a request as in flight until `response` closes. @throws GatewayError if the limit is reached. */
  function enter(
    holder: LimitHolder,
    response: CallerResponse,
    format: FormatName,
    all: LimitStates,
  ): LimitStates | Promise<LimitStates> {
    const { concurrentRequests } = holder.limits;
    if (concurrentRequests === undefined) return all;
    const limit = portion(concurrentRequests);
    const begin = (leave: ReleaseSlot | undefined): LimitStates => {
      if (leave === undefined) throw overConcurrency(checked(holder, format, all), limit);
      // Each limit listens by itself, those of fallbacks too. Node would warn of a leak from the eleventh listener on.
      response.setMaxListeners(0);
      // The caller may have left in the meantime.
      if (response.closed) leave();
      else response.on('close', leave);
      return all;
    };
    const leave = inFlight.enter(holder.name, limit);
    return leave instanceof Promise ? leave.then(begin) : begin(leave);
  }

  return {
    admit(holder, response, format, otherLimits) {
      const { name, limits } = holder;
      const { requestsPerMinute, tokensPerMinute } = limits;
      const at = performance.now();
      if (tokensPerMinute !== undefined) metered.tokens.set(name, true, at);
      const isBudgeted = hasBudget(limits);
      if (isBudgeted) metered.money.set(name, holder, at);

      const usedRequests = requestsPerMinute === undefined ? undefined : requests.add(name, 1);
      const usedTokens = tokensPerMinute === undefined ? undefined : tokens.used(name);
      const spent = isBudgeted ? spending.get(name, sharedPeriods(limits)) : undefined;
      // All at once: one round trip with Redis. Without Redis there is no promise to wait for.
      if (isLocal(usedRequests) && isLocal(usedTokens) && isLocal(spent))
        return enter(
          holder,
          response,
          format,
          check(holder, format, otherLimits, usedRequests, usedTokens, spent),
        );
      return Promise.all([usedRequests, usedTokens, spent]).then((figures) =>
        enter(holder, response, format, check(holder, format, otherLimits, ...figures)),
      );
    },
    reserve(holder, estimate, format, otherLimits) {
      const amount = estimate[holder.limits.budgetReserve ?? 'typical'];
      return holdAmount({ reservations, spending }, holder, amount, (before, spent) => {
        const refusal = overReserve(checked(holder, format, otherLimits), {
          amount,
          before,
          spent,
          share: share(),
        });
        if (refusal !== undefined) throw refusal;
      });
    },
    reserveSlot({ name, limits: { concurrentRequests } }) {
      return concurrentRequests === undefined ? () => {} : inFlight.enter(name, portion(concurrentRequests));
    },
    charge(name, usedTokens, cost, time) {
      const at = performance.now();
      // A window counts in this process if it cannot count elsewhere: it does not fail.
      if (usedTokens > 0 && metered.tokens.get(name, at)) void tokens.add(name, usedTokens);
      const budgeted = cost > 0 ? metered.money.get(name, at) : undefined;
      if (budgeted !== undefined) spending.charge(name, cost, time, sharedPeriods(budgeted.limits));
    },
    async report(holder) {
      const { name, of: owner = name, models, limits } = holder;
      const spent = await spending.get(name, sharedPeriods(limits));
      return { of, name: owner, ...(models && { models }), limits, spent };
    },
    budgets() {
      const all = [...metered.money.entries(performance.now())].flatMap(([name, holder]) =>
        listBudgets(of, holder, spending.known(name), reservations.held(name)),
      );
      return all.length <= MAX_BUDGETS ? all : all.toSorted(byShareLeft).slice(0, MAX_BUDGETS);
    },
    close() {
      inFlight.close();
      reservations.close();
    },
  };
}

function isLocal<T>(figure: T | Promise<T>): figure is T {
  return !(figure instanceof Promise);
}
