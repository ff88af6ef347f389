/** Enforces the limits of keys and of groups, before anything else is done for a request. */

import type { FormatName } from '../../conversation/prompt.ts';
import type { KeyLimits } from '../../store/keys/key-limits.ts';
import type { Principal } from '../principal.ts';
import { Account, type Clock, type CountedRequest, type Counters } from './account.ts';
import type { Budget } from './budgets.ts';
import type { Consumption } from './consumption.ts';
import type { ReleaseSlot } from './in-flight.ts';
import { type LimitStates, limitHeaders } from './limit-headers.ts';
import type { LimitReport } from './limit-report.ts';
import { hasBudget, hasLimit } from './limited.ts';
import { ModelAccounts, type ModelCounters, type RequestedModels } from './model-accounts.ts';
import type { Release } from './reservations.ts';
import { type CostEstimate, holdAll } from './reserve.ts';
import { openTagsInUse, tagName } from './tags-in-use.ts';

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
  admit(request: LimitedRequest): LimitsPassed | Promise<LimitsPassed>;
  /**
   * Counts a message that is still arriving as in flight: for its key and, if the key has room, for the key's group.
   * @returns a function to call once, when the message has arrived; undefined if there is no room.
   */
  reserveSlot(principal: Principal): Promise<ReleaseSlot | undefined>;
  /**
   * Counts a request for the limits that cover its model.
   * @returns what is left of all limits.
   */
  admitModel(request: LimitedRequest, asked: RequestedModels): LimitsPassed | Promise<LimitsPassed>;
  /** The limits for some models that have admitted a request, by the names that `charge` takes; undefined if there are none. */
  placesByModel(principal: Principal, asked: RequestedModels): readonly string[] | undefined;
  /**
   * The tag that a request of a key counts for, since the number of tags is bounded.
   * @param said what the request says that it is for; undefined if it says nothing.
   */
  boundTag(key: string, said: string | undefined): string;
  /**
   * Counts a request for the limits of its tag, as `boundTag` returned it.
   * @returns what is left of all limits.
   */
  admitTag(request: LimitedRequest, tag: string): LimitsPassed | Promise<LimitsPassed>;
  /**
   * Holds what a request may cost of all budgets that apply to it.
   * @returns a function to call once, when the cost has been charged.
   * @throws GatewayError `rate-limited` or `quota-exceeded`.
   */
  reserve(
    request: LimitedRequest,
    asked: RequestedModels & { readonly tag: string | undefined },
    estimate: CostEstimate,
  ): Release | Promise<Release>;
  /** Charges what exchanges used to their key, and to the group that the key belonged to. */
  readonly charge: (consumption: Consumption) => void;
  /** All limits that apply to a caller, with what is spent of their budgets. */
  report(principal: Principal, otherNames: RequestedModels['otherNames']): Promise<readonly LimitReport[]>;
  /** The budgets of recently active keys and groups, as far as this process knows them, up to a bound. */
  budgets(): readonly Budget[];
  /** Resolves when the stored figures are no longer read. */
  close(): Promise<void>;
}

/** A request as far as limits concern it. */
export interface LimitedRequest extends CountedRequest {
  readonly principal: Principal;
  /** What is left of the limits that it has passed before; absent if it has passed none. */
  readonly standings?: LimitStates | undefined;
}

/** What the limits return for a request that they admit. */
export interface LimitsPassed {
  readonly standings: LimitStates;
  /** Headers, with names in lower case. */
  readonly limitHeaders: Readonly<Record<string, string>>;
}

/** Where the figures of keys or of groups are kept: for all models, and for some. */
export interface AllCounters {
  readonly all: Counters;
  readonly byModel: ModelCounters;
}

const NONE: readonly never[] = [];
const NO_LIMITS: KeyLimits = {};
const NOT_LIMITED: LimitStates = { requests: undefined, tokens: undefined };

/**
 * @param counters where the figures of keys and those of groups are kept.
 * @param clock the clock and the time zone of budgets.
 * @param share returns the number of parts into which limits are divided, if each process counts by itself at the
 * moment; each part is rounded up.
 */
export function openLimitsOver(
  counters: { readonly keys: AllCounters; readonly groups: AllCounters; readonly tags: Counters },
  clock: Clock,
  share: () => number = () => 1,
): Limits {
  const keys = new Account('key', counters.keys.all, clock, share);
  const groups = new Account('group', counters.groups.all, clock, share);
  const keyModels = new ModelAccounts('key', counters.keys.byModel, clock, share);
  const groupModels = new ModelAccounts('group', counters.groups.byModel, clock, share);

  const tags = new Account('tag', counters.tags, clock, share);
  const boundTag = openTagsInUse();

  function charge(consumption: Consumption): void {
    const { key, group, tag, tokens, cost, time } = consumption;
    keys.charge(key, tokens, cost, time);
    keyModels.charge(consumption);
    if (tag !== undefined) tags.charge(tagName(key, tag), tokens, cost, time);
    if (group === undefined) return;
    groups.charge(group, tokens, cost, time);
    groupModels.charge(consumption);
  }

  function withHeaders(
    standings: LimitStates | Promise<LimitStates>,
    format: FormatName,
  ): LimitsPassed | Promise<LimitsPassed> {
    if (standings instanceof Promise) return standings.then((all) => withHeaders(all, format));
    return { standings, limitHeaders: limitHeaders(standings, format, clock.now()) };
  }

  return {
    admit(request) {
      const { principal, route } = request;
      const { limits, group } = principal;
      const own = hasLimit(limits) ? keys.admit(principal, request, NOT_LIMITED) : NOT_LIMITED;
      const all =
        group === undefined || !hasLimit(group.limits)
          ? own
          : own instanceof Promise
            ? own.then((left) => groups.admit(group, request, left))
            : groups.admit(group, request, own);
      return withHeaders(all, route.format);
    },
    async reserveSlot({ name, limits, group }) {
      const leave = await keys.reserveSlot({ name, limits });
      if (leave === undefined || group === undefined) return leave;
      const leaveGroup = await groups.reserveSlot(group);
      if (leaveGroup === undefined) {
        leave();
        return undefined;
      }
      return () => {
        leave();
        leaveGroup();
      };
    },
    admitModel(request, asked) {
      const { principal, route, standings = NOT_LIMITED } = request;
      const { name, modelLimits = NONE, group } = principal;
      const own = keyModels.admit(name, modelLimits, asked, request, standings);
      const { modelLimits: ofGroup } = group ?? {};
      const all =
        group === undefined || ofGroup === undefined
          ? own
          : own instanceof Promise
            ? own.then((left) => groupModels.admit(group.name, ofGroup, asked, request, left))
            : groupModels.admit(group.name, ofGroup, asked, request, own);
      return withHeaders(all, route.format);
    },
    placesByModel({ modelLimits = NONE, group }, asked) {
      const ofGroup = group?.modelLimits ?? NONE;
      const places = [...keyModels.places(modelLimits, asked), ...groupModels.places(ofGroup, asked)];
      return places.length === 0 ? undefined : places;
    },
    boundTag,
    admitTag(request, tag) {
      const { principal, route, standings = NOT_LIMITED } = request;
      const { name, tagLimits = NO_LIMITS } = principal;
      const holder = { name: tagName(name, tag), limits: tagLimits };
      return withHeaders(tags.admit(holder, request, standings), route.format);
    },
    reserve(request, asked, estimate) {
      const { principal, standings = NOT_LIMITED } = request;
      const { name, limits, modelLimits = NONE, tagLimits, group } = principal;
      const { modelLimits: ofGroup = NONE } = group ?? {};
      const holds: (() => Release | Promise<Release>)[] = [];
      if (hasBudget(limits)) holds.push(() => keys.reserve(principal, estimate, request, standings));
      if (tagLimits !== undefined && asked.tag !== undefined && hasBudget(tagLimits)) {
        const holder = { name: tagName(name, asked.tag), limits: tagLimits };
        holds.push(() => tags.reserve(holder, estimate, request, standings));
      }
      if (modelLimits.length > 0)
        holds.push(() => keyModels.reserve(modelLimits, asked, estimate, request, standings));
      if (group !== undefined && hasBudget(group.limits))
        holds.push(() => groups.reserve(group, estimate, request, standings));
      if (ofGroup.length > 0)
        holds.push(() => groupModels.reserve(ofGroup, asked, estimate, request, standings));
      return holdAll(holds);
    },
    charge,
    async report({ name, limits, modelLimits = NONE, group }, otherNames) {
      const { modelLimits: ofGroup = NONE } = group ?? {};
      const reports = await Promise.all(
        [
          hasLimit(limits) ? [keys.report({ name, limits })] : NONE,
          keyModels.report(name, modelLimits, otherNames),
          group !== undefined && hasLimit(group.limits) ? [groups.report(group)] : NONE,
          groupModels.report(group?.name ?? '', ofGroup, otherNames),
        ].map(async (some) => Promise.all(await some)),
      );
      return reports.flat();
    },
    budgets: () => [keys, keyModels, groups, groupModels].flatMap((account) => account.budgets()),
    async close() {
      for (const account of [keys, keyModels, groups, groupModels, tags]) account.close();
    },
  };
}
