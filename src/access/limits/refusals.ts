/** The errors for callers who are over a limit, with headers that say the same as their messages. */

import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { AccountOf, Holder } from './holder.ts';
import { limitHeaders, type Standing, type Standings } from './limit-headers.ts';
import type { Spent } from './spending.ts';

/** A request that is being checked against limits. */
export interface CheckedRequest {
  readonly of: AccountOf;
  readonly holder: Holder;
  /** The format of the answer. */
  readonly format: FormatName;
  /** What is left of the limits that headers tell about. */
  readonly standings: Standings;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Seconds after which one of the exchanges in flight may be over. */
const SOON = 1;

/** @returns a GatewayError `rate-limited`, for a limit per minute. */
export function overRate(
  request: CheckedRequest,
  what: 'requests' | 'tokens',
  { limit, left }: Standing,
): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Rate limit reached: ${subject(request)} is limited to ${limit} ${what} per minute${models(request)}.`,
    { retryAfter: Math.max(1, Math.ceil(left / 1000)), headers: headers(request) },
  );
}

/** @returns a GatewayError `rate-limited`, for a limit of requests in flight. */
export function overConcurrency(request: CheckedRequest, limit: number): GatewayError {
  return new GatewayError(
    'rate-limited',
    `Rate limit reached: ${subject(request)} is limited to ${limit} requests at a time${models(request)}.`,
    { retryAfter: SOON, headers: headers(request) },
  );
}

/**
 * Official SDKs would retry on their own within seconds, so a header tells them not to.
 * @returns a GatewayError `quota-exceeded`; undefined if the budget is not used up.
 */
export function overBudget(request: CheckedRequest, spent: Spent): GatewayError | undefined {
  const { budgetDay, budgetMonth } = request.holder.limits;
  const ofMonth = budgetMonth !== undefined && spent.month >= budgetMonth;
  if (!ofMonth && (budgetDay === undefined || spent.day < budgetDay)) return undefined;
  const date = new Date(request.now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const until = ofMonth ? Date.UTC(year, month + 1) : Date.UTC(year, month, day + 1);
  const budget = ofMonth
    ? 'this month. It renews at the start of the next one (UTC).'
    : 'today. It renews at 00:00 UTC.';
  return new GatewayError(
    'quota-exceeded',
    `${capitalized(subject(request))} has used up its budget${models(request)} for ${budget}`,
    {
      retryAfter: Math.max(1, Math.ceil((until - request.now) / 1000)),
      headers: { ...headers(request), 'x-should-retry': 'false' },
    },
  );
}

function headers({ standings, format, now }: CheckedRequest): Record<string, string> {
  return limitHeaders(standings, format, now);
}

function subject({ of, holder }: CheckedRequest): string {
  return of === 'key' ? 'this API key' : `the group ${holder.of ?? holder.name} of this API key`;
}

function models({ holder }: CheckedRequest): string {
  return holder.models === undefined ? '' : ` for ${holder.models}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
