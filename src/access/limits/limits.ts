/** The limits of keys and of their groups: who is over one is told so before anything is done for them. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../../conversation/prompt.ts';
import type { Principal } from '../principal.ts';
import { type Counters, openAccount } from './account.ts';
import type { Budget } from './budgets.ts';
import type { Consumption } from './consumption.ts';
import type { Leave } from './in-flight.ts';
import { limitHeaders, type Standings } from './limit-headers.ts';
import { hasLimit } from './limited.ts';
import { type AskedModels, type ModelCounters, openModelAccounts } from './model-accounts.ts';

/**
 * What a request takes, in tokens and in money, is known only when it is over, and is charged a moment after that. So a
 * request is refused where a limit is used up already: the ones in flight at that moment may go beyond it.
 */
export interface Limits {
  /**
   * Counts a request, until `response` closes as one in flight: of its key, and if that lets it in, of the key's group.
   * So who goes on asking with a key that is over its limit takes nothing from the others of the group.
   * @returns how far they are, and headers for its answer.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with the same headers.
   */
  admit(principal: Principal, response: ServerResponse, format: FormatName): Allowed | Promise<Allowed>;
  /**
   * Counts a message that is on its way as one in flight: of its key, and if that has room, of the key's group.
   * @returns what is called when it is whole, once; undefined where as many are in flight as may be.
   */
  occupy(principal: Principal): Promise<Leave | undefined>;
  /**
   * The same of what is limited of a model.
   * @param beside how far the request is with the limits for all models; undefined where there are none.
   * @returns how far it is with all of them.
   */
  admitModel(
    principal: Principal,
    asked: AskedModels,
    response: ServerResponse,
    format: FormatName,
    beside: Standings | undefined,
  ): Allowed | Promise<Allowed>;
  /** Charges what exchanges took to their key, and to the group that it was of. */
  readonly charge: (consumption: Consumption) => void;
  /** The budgets of keys and groups that came lately, as far as this process knows, up to a bound. */
  budgets(): readonly Budget[];
  close(): void;
}

/** What a request is told that is let in. */
export interface Allowed {
  readonly standings: Standings;
  /** Headers: names in lower case. */
  readonly allowance: Readonly<Record<string, string>>;
}

/** Where the figures of keys or of groups are kept: those of all models, and those of some. */
export interface AllCounters {
  readonly all: Counters;
  readonly byModel: ModelCounters;
}

const NONE: readonly never[] = [];
const NOT_LIMITED: Standings = { requests: undefined, tokens: undefined };

/**
 * @param of where the figures of keys are kept, and those of groups.
 * @param now milliseconds since 1970.
 * @param share into how many parts limits are divided, now that each process counts by itself; rounded up.
 */
export function limitsOf(
  of: { readonly keys: AllCounters; readonly groups: AllCounters },
  now: () => number = Date.now,
  share: () => number = () => 1,
): Limits {
  const keys = openAccount('key', of.keys.all, now, share);
  const groups = openAccount('group', of.groups.all, now, share);
  const keyModels = openModelAccounts('key', of.keys.byModel, now, share);
  const groupModels = openModelAccounts('group', of.groups.byModel, now, share);

  function charge(consumption: Consumption): void {
    const { key, group, tokens, cost, time } = consumption;
    keys.charge(key, tokens, cost, time);
    keyModels.charge(key, consumption);
    if (group === undefined) return;
    groups.charge(group, tokens, cost, time);
    groupModels.charge(group, consumption);
  }

  function told(standings: Standings | Promise<Standings>, format: FormatName): Allowed | Promise<Allowed> {
    if (standings instanceof Promise) return standings.then((all) => told(all, format));
    return { standings, allowance: limitHeaders(standings, format, now()) };
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
      return told(all, format);
    },
    async occupy({ name, limits, group }) {
      const leave = await keys.occupy({ name, limits });
      if (leave === undefined || group === undefined) return leave;
      const leaveGroup = await groups.occupy(group);
      if (leaveGroup === undefined) {
        leave();
        return undefined;
      }
      return () => {
        leave();
        leaveGroup();
      };
    },
    admitModel(principal, asked, response, format, beside = NOT_LIMITED) {
      const { name, modelLimits = NONE, group } = principal;
      const own = keyModels.admit(name, modelLimits, asked, response, format, beside);
      const { modelLimits: ofGroup } = group ?? {};
      const all =
        group === undefined || ofGroup === undefined
          ? own
          : own instanceof Promise
            ? own.then((so) => groupModels.admit(group.name, ofGroup, asked, response, format, so))
            : groupModels.admit(group.name, ofGroup, asked, response, format, own);
      return told(all, format);
    },
    charge,
    budgets: () => [keys, keyModels, groups, groupModels].flatMap((account) => account.budgets()),
    close() {
      for (const account of [keys, keyModels, groups, groupModels]) account.close();
    },
  };
}
