/** The limits of keys: who is over one is told so before anything is done for them. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../conversation/prompt.ts';
import { GatewayError } from '../errors.ts';
import type { KeyLimits, Principal } from '../keys.ts';
import { isSane } from '../usage/cost.ts';
import type { Recorder } from '../usage/exchange-record.ts';
import type { InFlight } from './in-flight.ts';
import { limitHeaders, type Standing } from './limit-headers.ts';
import type { Spending, Spent } from './spending.ts';
import type { UsageWindow } from './window.ts';

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
  admit(principal: Principal, response: ServerResponse, format: FormatName): Promise<Record<string, string>>;
  /** Charges what an exchange took to its key. */
  readonly record: Recorder;
  close(): void;
}

/** Where figures are kept. */
export interface Counters {
  readonly requests: UsageWindow;
  readonly tokens: UsageWindow;
  readonly inFlight: InFlight;
  readonly spending: Spending;
}

/** Seconds after which one of the exchanges in flight may be over. */
const SOON = 1;

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
  const counted = { tokens: new Set<string>(), money: new Set<string>() };
  const mine = (limit: number): number => Math.ceil(limit / share());

  async function standing(
    of: Standing['of'],
    limit: number | undefined,
    used: () => ReturnType<UsageWindow['used']>,
  ): Promise<Standing | undefined> {
    if (limit === undefined) return undefined;
    const { count, left } = await used();
    return { of, limit: mine(limit), used: count, left };
  }

  return {
    async admit({ name, limits }, response, format) {
      const { requestsPerMinute, tokensPerMinute, concurrentRequests, budgetDay, budgetMonth } = limits;
      if (tokensPerMinute !== undefined) counted.tokens.add(name);
      const hasBudget = budgetDay !== undefined || budgetMonth !== undefined;
      if (hasBudget) counted.money.add(name);

      // All at once: with Redis that is one way there and back.
      const [ofRequests, ofTokens, spent] = await Promise.all([
        standing('requests', requestsPerMinute, () => requests.add(name, 1)),
        standing('tokens', tokensPerMinute, () => tokens.used(name)),
        hasBudget ? spending.of(name) : undefined,
      ]);
      const standings = [ofRequests, ofTokens].filter((each) => each !== undefined);
      const headers = limitHeaders(standings, format, now());
      if (spent !== undefined) refuseOverBudget(limits, spent, now(), headers);
      if (ofRequests !== undefined && ofRequests.used > ofRequests.limit) throw over(ofRequests, headers);
      if (ofTokens !== undefined && ofTokens.used >= ofTokens.limit) throw over(ofTokens, headers);

      if (concurrentRequests !== undefined) {
        const leave = await inFlight.enter(name, mine(concurrentRequests));
        if (leave === undefined) {
          throw new GatewayError(
            'rate-limited',
            `This API key may have ${mine(concurrentRequests)} requests in flight at a time.`,
            { retryAfter: SOON, headers },
          );
        }
        // The caller may have left in the meantime.
        if (response.closed || response.destroyed) leave();
        else response.once('close', leave);
      }
      return headers;
    },
    record({ key, usage, cost, time }) {
      if (key === undefined) return;
      const took = isSane(usage) ? Math.round((usage.input ?? 0) + (usage.output ?? 0)) : 0;
      // Windows count here where they cannot count elsewhere: they do not fail.
      if (took > 0 && counted.tokens.has(key)) void tokens.add(key, took);
      if (cost !== undefined && cost > 0 && Number.isFinite(cost) && counted.money.has(key))
        spending.charge(key, cost, time);
    },
    close: inFlight.close,
  };
}

function over({ of, limit, left }: Standing, headers: Record<string, string>): GatewayError {
  return new GatewayError('rate-limited', `This API key may use ${limit} ${of} a minute.`, {
    retryAfter: Math.max(1, Math.ceil(left / 1000)),
    headers,
  });
}

/** Official SDKs would try again on their own, within seconds: they are told not to. */
function refuseOverBudget(
  { budgetDay, budgetMonth }: KeyLimits,
  spent: Spent,
  now: number,
  headers: Record<string, string>,
): void {
  const ofMonth = budgetMonth !== undefined && spent.month >= budgetMonth;
  if (!ofMonth && (budgetDay === undefined || spent.day < budgetDay)) return;
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const until = ofMonth ? Date.UTC(year, month + 1) : Date.UTC(year, month, day + 1);
  const budget = ofMonth ? 'this month' : 'today';
  throw new GatewayError('quota-exceeded', `The budget of this API key for ${budget} is used up.`, {
    retryAfter: Math.max(1, Math.ceil((until - now) / 1000)),
    headers: { ...headers, 'x-should-retry': 'false' },
  });
}
