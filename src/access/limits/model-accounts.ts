/** Accounts of the limits for some models, and which of them each request is charged to. */

import type { FormatName } from '../../conversation/prompt.ts';
import type { CallerResponse } from '../caller.ts';
import type { ModelHolder } from '../principal.ts';
import { type Account, type Clock, type Counters, openAccount } from './account.ts';
import type { Consumption } from './consumption.ts';
import type { LimitStates } from './limit-headers.ts';
import type { AccountKind } from './limit-holder.ts';
import type { LimitReport } from './limit-report.ts';
import { hasBudget } from './limited.ts';
import { openRecentlyUsed, type RecentlyUsed } from './recently-used.ts';
import type { Release } from './reservations.ts';
import { type CostEstimate, holdAll } from './reserve.ts';

/** The models of a request. */
export interface RequestedModels {
  /** The model that is asked for. */
  readonly model: string;
  /** Other models that its body names; the vendor may use them instead. */
  readonly otherModels: readonly string[];
  otherNames(model: string): readonly string[];
}

/** A limit for some models: its owner, and the models. */
export interface ModelLimitHolder {
  /** The name of the key or of the group. */
  readonly of: string;
  has(model: string): boolean;
}

/** Recently used limits, by the name under which their figures are kept. */
export type RecentModelLimits = RecentlyUsed<ModelLimitHolder>;

export interface ModelCounters extends Counters {
  readonly recent: RecentModelLimits;
}

export interface ModelAccounts extends Pick<Account, 'budgets' | 'close'> {
  /**
   * Counts a request for each of `holders` that covers one of its models, as an account does.
   * @param name the name of the key or of the group.
   */
  admit(
    name: string,
    holders: readonly ModelHolder[],
    asked: RequestedModels,
    response: CallerResponse,
    format: FormatName,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates>;
  /** Holds what a request may cost of the budgets that cover one of its models, as an account does. */
  reserve(
    holders: readonly ModelHolder[],
    asked: RequestedModels,
    estimate: CostEstimate,
    format: FormatName,
    otherLimits: LimitStates,
  ): Release | Promise<Release>;
  /** The limits for some models of a key or a group, with what is spent of their budgets. */
  report(
    name: string,
    holders: readonly ModelHolder[],
    otherNames: RequestedModels['otherNames'],
  ): Promise<readonly LimitReport[]>;
  /** Charges what an exchange with a model used. */
  charge(name: string, consumption: Consumption): void;
}

/** How long it is known which limits to charge, in milliseconds: longer than an answer takes. */
const KEEP = 86_400_000;

/** Limits that were used within the time that answers may take. */
export function openRecentModelLimits(): RecentModelLimits {
  return openRecentlyUsed<ModelLimitHolder>(KEEP);
}

/** The parameters are those of `openAccount`. */
export function openModelAccounts(
  of: AccountKind,
  { recent, ...counters }: ModelCounters,
  clock: Clock,
  share: () => number,
): ModelAccounts {
  const account = openAccount(of, counters, clock, share);
  /** By name and model. Undefined until the first request with a limit by model, so that others pay nothing for it. */
  let charged: RecentlyUsed<readonly ModelHolder[]> | undefined;

  function admitAll(
    holders: readonly ModelHolder[],
    response: CallerResponse,
    format: FormatName,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates> {
    let standings = otherLimits;
    for (const [at, holder] of holders.entries()) {
      const admitted = account.admit(holder, response, format, standings);
      if (admitted instanceof Promise)
        return admitted.then((all) => admitAll(holders.slice(at + 1), response, format, all));
      standings = admitted;
    }
    return standings;
  }

  /** Notes which models limits are for: their spending is read from the store by that. */
  function use(
    name: string,
    holders: readonly ModelHolder[],
    otherNames: RequestedModels['otherNames'],
    at: number,
  ): void {
    for (const { name: place, allows } of holders)
      recent.set(place, { of: name, has: (each) => allows(each, otherNames) }, at);
  }

  return {
    report(name, holders, otherNames) {
      use(name, holders, otherNames, performance.now());
      return Promise.all(holders.map(account.report));
    },
    admit(name, all, asked, response, format, otherLimits) {
      const { model, otherNames } = asked;
      const holders = holdersFor(all, asked);
      if (holders.length === 0) return otherLimits;
      const at = performance.now();
      charged ??= openRecentlyUsed(KEEP);
      charged.set(getPlace(name, model), holders, at);
      use(name, holders, otherNames, at);
      return admitAll(holders, response, format, otherLimits);
    },
    reserve: (all, asked, estimate, format, otherLimits) =>
      holdAll(
        holdersFor(all, asked)
          .filter(({ limits }) => hasBudget(limits))
          .map((holder) => () => account.reserve(holder, estimate, format, otherLimits)),
      ),
    charge(name, { model, tokens, cost, time }) {
      if (charged === undefined || model === undefined) return;
      for (const holder of charged.get(getPlace(name, model), performance.now()) ?? [])
        account.charge(holder.name, tokens, cost, time);
    },
    budgets: account.budgets,
    close: account.close,
  };
}

/** The limits that cover one of the models of a request. */
function holdersFor(
  all: readonly ModelHolder[],
  { model, otherModels, otherNames }: RequestedModels,
): readonly ModelHolder[] {
  return all.filter(({ allows }) => [model, ...otherModels].some((each) => allows(each, otherNames)));
}

/** No model's id has a line break in it. */
function getPlace(name: string, model: string): string {
  return `${name}\n${model}`;
}
