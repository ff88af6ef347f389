/** The limits of keys and of their groups: who is over one is told so before anything is done for them. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../conversation/prompt.ts';
import type { KeyLimits, Principal } from '../keys.ts';
import type { Recorder } from '../usage/exchange-record.ts';
import { type Taken, takenBy } from '../usage/taken.ts';
import { type Budget, type Counters, openAccount } from './account.ts';
import { limitHeaders, type Standings } from './limit-headers.ts';

/**
 * What a request takes, in tokens and in money, is known only when it is over, and is charged a moment after that. So a
 * request is refused where a limit is used up already: the ones in flight at that moment may go beyond it.
 */
export interface Limits {
  /**
   * Counts a request, until `response` closes as one in flight: of its key, and if that lets it in, of the key's group.
   * So who goes on asking with a key that is over its limit takes nothing from the others of the group.
   * @returns headers for its answer.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with the same headers.
   */
  admit(
    principal: Principal,
    response: ServerResponse,
    format: FormatName,
  ): LimitHeaders | Promise<LimitHeaders>;
  /** Charges what exchanges took to their key, and to the group that it was of. */
  readonly charge: (taken: Taken) => void;
  /** The same of one exchange. */
  readonly record: Recorder;
  /** The budgets of keys and groups that came lately, as far as this process knows, up to a bound. */
  budgets(): readonly Budget[];
  close(): void;
}

/** Names in lower case. */
type LimitHeaders = Record<string, string>;

type Limited = Pick<Principal, 'limits' | 'group'>;

const NOT_LIMITED: Standings = { requests: undefined, tokens: undefined };

/** Whether anything at all is limited, of a key or of its group. */
export function isLimited({ limits, group }: Limited): boolean {
  return hasLimit(limits) || (group !== undefined && hasLimit(group.limits));
}

function hasLimit(limits: KeyLimits): boolean {
  return (
    limits.requestsPerMinute !== undefined ||
    limits.tokensPerMinute !== undefined ||
    limits.concurrentRequests !== undefined ||
    limits.budgetDay !== undefined ||
    limits.budgetMonth !== undefined
  );
}

/** Whether what answers take counts, in tokens or in money. */
export function isMetered({ limits, group }: Limited): boolean {
  return hasMeter(limits) || (group !== undefined && hasMeter(group.limits));
}

function hasMeter({ tokensPerMinute, budgetDay, budgetMonth }: KeyLimits): boolean {
  return tokensPerMinute !== undefined || budgetDay !== undefined || budgetMonth !== undefined;
}

/**
 * @param of where the figures of keys are kept, and those of groups.
 * @param now milliseconds since 1970.
 * @param share into how many parts limits are divided, now that each process counts by itself; rounded up.
 */
export function limitsOf(
  of: { readonly keys: Counters; readonly groups: Counters },
  now: () => number = Date.now,
  share: () => number = () => 1,
): Limits {
  const keys = openAccount('key', of.keys, now, share);
  const groups = openAccount('group', of.groups, now, share);

  function charge({ key, group, tokens, cost, time }: Taken): void {
    keys.charge(key, tokens, cost, time);
    if (group !== undefined) groups.charge(group, tokens, cost, time);
  }

  return {
    admit(principal, response, format) {
      const { limits, group } = principal;
      const own = hasLimit(limits) ? keys.admit(principal, response, format, NOT_LIMITED) : NOT_LIMITED;
      const all =
        group === undefined || !hasLimit(group.limits)
          ? own
          : own instanceof Promise
            ? own.then((beside) => groups.admit(group, response, format, beside))
            : groups.admit(group, response, format, own);
      return all instanceof Promise
        ? all.then((standings) => limitHeaders(standings, format, now()))
        : limitHeaders(all, format, now());
    },
    charge,
    record(record) {
      const taken = takenBy(record);
      if (taken !== undefined) charge(taken);
    },
    budgets: () => [...keys.budgets(), ...groups.budgets()],
    close() {
      keys.close();
      groups.close();
    },
  };
}
