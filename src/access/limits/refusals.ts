/** The errors for callers who are over a limit, with headers that say the same as their messages. */

import type { FormatName } from '../../conversation/prompt.ts';
import { count } from '../../lib/count.ts';
import { GatewayError } from '../../lib/errors.ts';
import { BUDGETS, listBudgets, PERIODS, type Period } from '../../store/keys/key-limits.ts';
import { type LimitState, type LimitStates, limitHeaders } from './limit-headers.ts';
import type { AccountKind, LimitHolder } from './limit-holder.ts';
import { nextStart } from './periods.ts';
import type { Spent } from './spending.ts';

/** A request that is being checked against limits. */
export interface CheckedRequest {
  readonly of: AccountKind;
  readonly holder: LimitHolder;
  /** The format of the answer. */
  readonly format: FormatName;
  /** What is left of the limits that headers tell about. */
  readonly standings: LimitStates;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In which budgets renew. */
  readonly timeZone: string;
}

/** Seconds after which one of the exchanges in flight may be over. */
const RETRY_SOON = 1;

/** @returns a GatewayError `rate-limited`, for a limit per minute. */
export function overRate(
  request: CheckedRequest,
  what: 'request' | 'token',
  { limit, left }: LimitState,
): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Rate limit reached: ${subject(request)} is limited to ${count(limit, what)} per minute${models(request)}.`,
    { retryAfter: Math.max(1, Math.ceil(left / 1000)), headers: headers(request) },
  );
}

/** @returns a GatewayError `rate-limited`, for a limit of requests in flight. */
export function overConcurrency(request: CheckedRequest, limit: number): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Rate limit reached: ${subject(request)} is limited to ${count(limit, 'request')} at a time${models(request)}.`,
    { retryAfter: RETRY_SOON, headers: headers(request) },
  );
}

/**
 * Official SDKs would retry on their own within seconds, so a header tells them not to.
 * @returns a GatewayError `quota-exceeded`; undefined if the budget is not used up.
 */
export function overBudget(request: CheckedRequest, spent: Spent): GatewayError | undefined {
  const { limits } = request.holder;
  // The one that renews last says how long to wait.
  const period = PERIODS.findLast((each) => {
    const budget = limits[BUDGETS[each]];
    return budget !== undefined && spent[each] >= budget;
  });
  if (period === undefined) return undefined;
  const { wait, words } = renewal(period, request);
  return new GatewayError(
    'quota-exceeded',
    `${capitalized(subject(request))} has used up its budget${models(request)} ${BUDGET_PHRASES[period]}. ${words}`,
    {
      retryAfter: wait,
      headers: { ...headers(request), 'x-should-retry': 'false' },
    },
  );
}

/** What a request asks to hold of budgets. Amounts are in US dollars. */
export interface RequestedReserve {
  /** What it holds itself. */
  readonly amount: number;
  /** What earlier requests in flight hold. */
  readonly before: number;
  readonly spent: Spent;
  /** The number of processes that share what is left, if each of them counts by itself. */
  readonly share: number;
}

/**
 * A `longest` reservation must fit into what is left. A `typical` one is an estimate, so it is refused only if earlier
 * requests hold all that is left: alone, a request is never refused for what it may cost.
 * @returns a GatewayError `rate-limited` if it may fit once requests in flight are over, `quota-exceeded` if it would not
 *   fit without them either; undefined if it fits.
 */
export function overReserve(
  request: CheckedRequest,
  { amount, before, spent, share }: RequestedReserve,
): GatewayError | undefined {
  const { limits } = request.holder;
  const isStrict = limits.budgetReserve === 'longest';
  const budgets = listBudgets(limits).map(({ period, budget }) => ({ period, left: budget - spent[period] }));
  // No wait for requests in flight helps with these.
  const exceeded = budgets.findLast(({ left }) => isStrict && amount > left / share);
  if (exceeded !== undefined) return exceedsBudget(request, exceeded.period, amount, exceeded.left / share);
  const full = budgets.find(({ left }) =>
    isStrict ? before + amount > left / share : before > 0 && before >= left,
  );
  return full && budgetReserved(request, full.period);
}

function budgetReserved(request: CheckedRequest, period: Period): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Requests in progress may use up what is left of the budget of ${subject(request)}${models(request)} ${BUDGET_PHRASES[period]}. Try again when they are over.`,
    { retryAfter: RETRY_SOON, headers: headers(request) },
  );
}

/** How a sentence says what a budget is for. */
const BUDGET_PHRASES: Readonly<Record<Period, string>> = {
  day: 'for today',
  week: 'for this week',
  month: 'for this month',
  total: 'in total',
};

function exceedsBudget(request: CheckedRequest, period: Period, amount: number, left: number): GatewayError {
  const { wait } = renewal(period, request);
  return new GatewayError(
    'quota-exceeded',
    `This request may cost ${formatDollars(amount)}, and ${subject(request)} has ${formatDollars(Math.max(0, left))} left of its budget${models(request)} ${BUDGET_PHRASES[period]}. Ask for a shorter answer: limit its tokens.`,
    {
      retryAfter: wait,
      headers: { ...headers(request), 'x-should-retry': 'false' },
    },
  );
}

/** Dollars in four significant digits, never in exponents. */
function formatDollars(dollars: number): string {
  const digits = dollars > 0 ? Math.max(2, 3 - Math.floor(Math.log10(dollars))) : 2;
  return `$${dollars.toFixed(Math.min(12, digits))}`;
}

/** The wait for a budget that never renews, in seconds: a client asks again after a month at most. */
const NEVER_RENEWS = 31 * 86_400;

/** How a sentence says when a budget is new again, in a time zone. */
const RENEWAL_PHRASES: Readonly<Record<Period, (zone: string) => string>> = {
  day: (zone) => `It renews at 00:00 ${zone}.`,
  week: (zone) => `It renews on Monday (${zone}).`,
  month: (zone) => `It renews at the start of the next one (${zone}).`,
  total: () => 'It does not renew.',
};

/** Seconds until the budget of a period is new again, and a sentence that says when that is. */
function renewal(
  period: Period,
  { now, timeZone }: CheckedRequest,
): { readonly wait: number; readonly words: string } {
  const start = nextStart(period, now, timeZone);
  const wait = start === undefined ? NEVER_RENEWS : Math.max(1, Math.ceil((start - now) / 1000));
  return { wait, words: RENEWAL_PHRASES[period](timeZone) };
}

function headers({ standings, format, now }: CheckedRequest): Record<string, string> {
  return limitHeaders(standings, format, now);
}

function subject({ of, holder }: CheckedRequest): string {
  if (of === 'tag') return 'the tag or end user of this request';
  return of === 'key' ? 'this API key' : `the group ${holder.of ?? holder.name} of this API key`;
}

function models({ holder }: CheckedRequest): string {
  return holder.models === undefined ? '' : ` for ${holder.models}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
