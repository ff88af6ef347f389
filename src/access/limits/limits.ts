/** Enforces the limits of keys and of groups, before anything else is done for a request. */

import type { FormatName } from '../../conversation/prompt.ts';
import type { CallerResponse } from '../caller.ts';
import type { Principal } from '../principal.ts';
import { type Counters, openAccount } from './account.ts';
import type { Budget } from './budgets.ts';
import type { Consumption } from './consumption.ts';
import type { Leave } from './in-flight.ts';
import { limitHeaders, type Standings } from './limit-headers.ts';
import { hasBudget, hasLimit } from './limited.ts';
import { type AskedModels, type ModelCounters, openModelAccounts } from './model-accounts.ts';
import type { Release } from './reservations.ts';
import { type CostEstimate, holdAll } from './reserve.ts';

/**
 * Tokens and cost of a request are known only when it is over, and are charged a moment later. So a request is refused
 * if a limit is used up already. Until it is charged, a request holds what it may cost of each budget, so that those in
 * flight together do not exceed it by more than `budgetReserve` says.
 */
export interface Limits {
  /**
   * Counts a request, in flight until `response` closes: for its key and, if the key has room, for the key's group. So
   * a caller who goes on asking with a key over its limit takes nothing from the others in the group.
   * @returns how much is left, and the headers for the answer.
   * @throws GatewayError `rate-limited` or `quota-exceeded`, with the same headers.
   */
  admit(principal: Principal, response: CallerResponse, format: FormatName): Allowed | Promise<Allowed>;
  /**
   * Counts a message that is still arriving as in flight: for its key and, if the key has room, for the key's group.
   * @returns a function to call once, when the message has arrived; undefined if there is no room.
   */
  occupy(principal: Principal): Promise<Leave | undefined>;
  /**
   * Counts a request for the limits that cover its model.
   * @param beside what is left of the limits for all models; undefined if there are none.
   * @returns what is left of all limits.
   */
  admitModel(
    principal: Principal,
    asked: AskedModels,
    response: CallerResponse,
    format: FormatName,
    beside: Standings | undefined,
  ): Allowed | Promise<Allowed>;
  /**
   * Holds what a request may cost of all budgets that apply to it.
   * @param beside what is left of the limits that headers tell about.
   * @returns a function to call once, when the cost has been charged.
   * @throws GatewayError `rate-limited` or `quota-exceeded`.
   */
  reserve(
    principal: Principal,
    asked: AskedModels,
    estimate: CostEstimate,
    format: FormatName,
    beside: Standings | undefined,
  ): Release | Promise<Release>;
  /** Charges what exchanges used to their key, and to the group that the key belonged to. */
  readonly charge: (consumption: Consumption) => void;
  /** The budgets of recently active keys and groups, as far as this process knows them, up to a bound. */
  budgets(): readonly Budget[];
  close(): void;
}

/** What the limits return for a request that they admit. */
export interface Allowed {
  readonly standings: Standings;
  /** Headers, with names in lower case. */
  readonly allowance: Readonly<Record<string, string>>;
}

/** Where the figures of keys or of groups are kept: for all models, and for some. */
export interface AllCounters {
  readonly all: Counters;
  readonly byModel: ModelCounters;
}

const NONE: readonly never[] = [];
const NOT_LIMITED: Standings = { requests: undefined, tokens: undefined };

/**
 * @param of where the figures of keys and those of groups are kept.
 * @param now returns milliseconds since 1970.
 * @param share returns the number of parts into which limits are divided, if each process counts by itself at the
 * moment; each part is rounded up.
 */
export function openLimitsOver(
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
    reserve(principal, asked, estimate, format, beside = NOT_LIMITED) {
      const { limits, modelLimits = NONE, group } = principal;
      const { modelLimits: ofGroup = NONE } = group ?? {};
      return holdAll([
        ...(hasBudget(limits) ? [() => keys.reserve(principal, estimate, format, beside)] : NONE),
        ...(modelLimits.length > 0
          ? [() => keyModels.reserve(modelLimits, asked, estimate, format, beside)]
          : NONE),
        ...(group !== undefined && hasBudget(group.limits)
          ? [() => groups.reserve(group, estimate, format, beside)]
          : NONE),
        ...(ofGroup.length > 0
          ? [() => groupModels.reserve(ofGroup, asked, estimate, format, beside)]
          : NONE),
      ]);
    },
    charge,
    budgets: () => [keys, keyModels, groups, groupModels].flatMap((account) => account.budgets()),
    close() {
      for (const account of [keys, keyModels, groups, groupModels]) account.close();
    },
  };
}
