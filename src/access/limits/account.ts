/** Enforces the limits of keys, or of groups: counts what each of them uses, and refuses a request over a limit. */

import type { Route } from '../../conversation/route.ts';
import type { CallerResponse } from '../caller.ts';
import { type Budget, budgetsLeft, byShareLeft, MAX_BUDGETS } from './budgets.ts';
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

/** A request that is counted. */
export interface CountedRequest {
  readonly response: CallerResponse;
  /** Tells the format of a refusal. */
  readonly route: Pick<Route, 'format'>;
}

/** The clock of limits. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** The time zone in which budgets renew; absent means UTC. */
  readonly timeZone?: string | undefined;
}

/** How long answers of a holder are charged after its last request, in milliseconds: longer than an answer takes. */
export const MAX_ANSWER_TIME = 86_400_000;

/** Counts what the holders of one kind use, and refuses their requests over a limit. */
export class Account {
  readonly #of: AccountKind;
  readonly #counters: Counters;
  readonly #now: () => number;
  readonly #timeZone: string;
  readonly #share: () => number;
  /** The holders whose tokens are counted, and those whose money is. */
  readonly #metered = {
    tokens: openRecentlyUsed<true>(MAX_ANSWER_TIME),
    money: openRecentlyUsed<LimitHolder>(MAX_ANSWER_TIME),
  };

  /**
   * @param share returns the number of parts into which limits are divided, if each process counts by itself at the
   * moment; each part is rounded up.
   */
  constructor(of: AccountKind, counters: Counters, { now, timeZone = 'UTC' }: Clock, share: () => number) {
    this.#of = of;
    this.#counters = counters;
    this.#now = now;
    this.#timeZone = timeZone;
    this.#share = share;
  }

  /**
   * Counts a request of a holder with limits, in flight until its response closes.
   * @param otherLimits what is left of other limits that apply to the request.
   * @returns what is left of all of them.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with headers that say the same.
   */
  admit(
    holder: LimitHolder,
    request: CountedRequest,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates> {
    const { name, limits } = holder;
    const { requestsPerMinute, tokensPerMinute } = limits;
    const { requests, tokens, spending } = this.#counters;
    const at = performance.now();
    if (tokensPerMinute !== undefined) this.#metered.tokens.set(name, true, at);
    const isBudgeted = hasBudget(limits);
    if (isBudgeted) this.#metered.money.set(name, holder, at);

    const usedRequests = requestsPerMinute === undefined ? undefined : requests.add(name, 1);
    const usedTokens = tokensPerMinute === undefined ? undefined : tokens.used(name);
    const spent = isBudgeted ? spending.get(name, sharedPeriods(limits)) : undefined;
    // All at once: one round trip with Redis. Without Redis there is no promise to wait for.
    if (isLocal(usedRequests) && isLocal(usedTokens) && isLocal(spent))
      return this.#enter(
        holder,
        request,
        this.#check(holder, request, otherLimits, usedRequests, usedTokens, spent),
      );
    return Promise.all([usedRequests, usedTokens, spent]).then((figures) =>
      this.#enter(holder, request, this.#check(holder, request, otherLimits, ...figures)),
    );
  }

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
    request: CountedRequest,
    otherLimits: LimitStates,
  ): Release | Promise<Release> {
    const amount = estimate[holder.limits.budgetReserve ?? 'typical'];
    return holdAmount(this.#counters, holder, amount, (before, spent) => {
      const refusal = overReserve(this.#checked(holder, request, otherLimits), {
        amount,
        before,
        spent,
        share: this.#share(),
      });
      if (refusal !== undefined) throw refusal;
    });
  }

  /**
   * Counts something of a holder as in flight that is not a request yet.
   * @returns a function to call once, when it is over; undefined if the limit is reached.
   */
  reserveSlot({
    name,
    limits: { concurrentRequests },
  }: LimitHolder): ReleaseSlot | undefined | Promise<ReleaseSlot | undefined> {
    if (concurrentRequests === undefined) return () => {};
    return this.#counters.inFlight.enter(name, this.#portion(concurrentRequests));
  }

  /**
   * Charges what an exchange used, as far as that is limited.
   * @param time when the exchange began, in milliseconds since 1970.
   */
  charge(name: string, usedTokens: number, cost: number, time: number): void {
    const { tokens, spending } = this.#counters;
    const at = performance.now();
    // A window counts in this process if it cannot count elsewhere: it does not fail.
    if (usedTokens > 0 && this.#metered.tokens.get(name, at)) void tokens.add(name, usedTokens);
    const budgeted = cost > 0 ? this.#metered.money.get(name, at) : undefined;
    if (budgeted !== undefined) spending.charge(name, cost, time, sharedPeriods(budgeted.limits));
  }

  /** The limits of a holder, with what is spent of its budgets. */
  async report({ name, of: owner = name, models, limits }: LimitHolder): Promise<LimitReport> {
    const spent = await this.#counters.spending.get(name, sharedPeriods(limits));
    return { of: this.#of, name: owner, ...(models && { models }), limits, spent };
  }

  /** The budgets of recently active holders, as far as this process knows them; if there are very many, the most used. */
  budgets(): readonly Budget[] {
    const { spending, reservations } = this.#counters;
    const all = [...this.#metered.money.entries(performance.now())].flatMap(([name, holder]) =>
      budgetsLeft(this.#of, holder, spending.known(name), reservations.held(name)),
    );
    return all.length <= MAX_BUDGETS ? all : all.toSorted(byShareLeft).slice(0, MAX_BUDGETS);
  }

  close(): void {
    this.#counters.inFlight.close();
    this.#counters.reservations.close();
  }

  /**
   * Refuses a request over a limit. What is not limited is undefined among the figures.
   * @returns what is left of each limit, the others included.
   */
  #check(
    holder: LimitHolder,
    request: CountedRequest,
    otherLimits: LimitStates,
    usedRequests: Used | undefined,
    usedTokens: Used | undefined,
    spent: Spent | undefined,
  ): LimitStates {
    const { limits } = holder;
    const byRequests = this.#standing(limits.requestsPerMinute, usedRequests);
    const byTokens = this.#standing(limits.tokensPerMinute, usedTokens);
    const all = {
      requests: tighter(byRequests, otherLimits.requests),
      tokens: tighter(byTokens, otherLimits.tokens),
    };
    const refusal = spent && overBudget(this.#checked(holder, request, all), spent);
    if (refusal !== undefined) throw refusal;
    // The request itself is counted already; its tokens are not known yet. Headers show the limit that refuses it.
    if (byRequests !== undefined && byRequests.used > byRequests.limit)
      throw overRate(this.#checked(holder, request, { ...all, requests: byRequests }), 'request', byRequests);
    if (byTokens !== undefined && byTokens.used >= byTokens.limit)
      throw overRate(this.#checked(holder, request, { ...all, tokens: byTokens }), 'token', byTokens);
    return all;
  }

  /** Counts a request as in flight until its response closes. @throws GatewayError if the limit is reached. */
  #enter(holder: LimitHolder, request: CountedRequest, all: LimitStates): LimitStates | Promise<LimitStates> {
    const { concurrentRequests } = holder.limits;
    if (concurrentRequests === undefined) return all;
    const { response } = request;
    const limit = this.#portion(concurrentRequests);
    const begin = (leave: ReleaseSlot | undefined): LimitStates => {
      if (leave === undefined) throw overConcurrency(this.#checked(holder, request, all), limit);
      // Each limit listens by itself, those of fallbacks too. Node would warn of a leak from the eleventh listener on.
      response.setMaxListeners(0);
      // The caller may have left in the meantime.
      if (response.closed) leave();
      else response.on('close', leave);
      return all;
    };
    const leave = this.#counters.inFlight.enter(holder.name, limit);
    return leave instanceof Promise ? leave.then(begin) : begin(leave);
  }

  #checked(holder: LimitHolder, { route }: CountedRequest, standings: LimitStates): CheckedRequest {
    return {
      of: this.#of,
      holder,
      format: route.format,
      standings,
      now: this.#now(),
      timeZone: this.#timeZone,
    };
  }

  #standing(limit: number | undefined, used: Used | undefined): LimitState | undefined {
    if (limit === undefined || used === undefined) return undefined;
    return { limit: this.#portion(limit), used: used.count, left: used.left };
  }

  /** This process's part of a limit. */
  #portion(limit: number): number {
    return Math.ceil(limit / this.#share());
  }
}

function isLocal<T>(figure: T | Promise<T>): figure is T {
  return !(figure instanceof Promise);
}
