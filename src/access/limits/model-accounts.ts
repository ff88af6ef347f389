/** Accounts of the limits for some models, and which of them each request is charged to. */

import type { ModelHolder } from '../principal.ts';
import { Account, type Clock, type CountedRequest, type Counters } from './account.ts';
import type { Budget } from './budgets.ts';
import type { Consumption } from './consumption.ts';
import type { LimitStates } from './limit-headers.ts';
import type { AccountKind } from './limit-holder.ts';
import type { LimitReport } from './limit-report.ts';
import { hasBudget } from './limited.ts';
import type { RecentlyUsed } from './recently-used.ts';
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

/** The limits for some models of all keys, or of all groups. */
export class ModelAccounts {
  readonly #account: Account;
  readonly #recent: RecentModelLimits;
  /** What the names of their limits begin with: a group may have the name of a key. */
  readonly #prefix: string;

  /** The parameters are those of `Account`. */
  constructor(of: AccountKind, { recent, ...counters }: ModelCounters, clock: Clock, share: () => number) {
    this.#account = new Account(of, counters, clock, share);
    this.#recent = recent;
    this.#prefix = `${of} `;
  }

  /**
   * Counts a request for each of `all` that covers one of its models, as an account does.
   * @param name the name of the key or of the group.
   */
  admit(
    name: string,
    all: readonly ModelHolder[],
    asked: RequestedModels,
    request: CountedRequest,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates> {
    const holders = holdersFor(all, asked);
    if (holders.length === 0) return otherLimits;
    this.#use(name, holders, asked.otherNames, performance.now());
    return this.#admitAll(holders, request, otherLimits);
  }

  /** Holds what a request may cost of the budgets that cover one of its models, as an account does. */
  reserve(
    all: readonly ModelHolder[],
    asked: RequestedModels,
    estimate: CostEstimate,
    request: CountedRequest,
    otherLimits: LimitStates,
  ): Release | Promise<Release> {
    return holdAll(
      holdersFor(all, asked)
        .filter(({ limits }) => hasBudget(limits))
        .map((holder) => () => this.#account.reserve(holder, estimate, request, otherLimits)),
    );
  }

  /** The limits for some models of a key or a group, with what is spent of their budgets. */
  report(
    name: string,
    holders: readonly ModelHolder[],
    otherNames: RequestedModels['otherNames'],
  ): Promise<readonly LimitReport[]> {
    this.#use(name, holders, otherNames, performance.now());
    return Promise.all(holders.map((holder) => this.#account.report(holder)));
  }

  /** The names, for `charge`, of those of `all` that cover a request. */
  places(all: readonly ModelHolder[], asked: RequestedModels): readonly string[] {
    return holdersFor(all, asked).map(({ name }) => this.#prefix + name);
  }

  /** Charges what an exchange used to the limits of these accounts that it counts for. */
  charge({ modelLimits = [], tokens, cost, time }: Consumption): void {
    for (const place of modelLimits)
      if (place.startsWith(this.#prefix))
        this.#account.charge(place.slice(this.#prefix.length), tokens, cost, time);
  }

  /** As those of an account. */
  budgets(): readonly Budget[] {
    return this.#account.budgets();
  }

  close(): void {
    this.#account.close();
  }

  #admitAll(
    holders: readonly ModelHolder[],
    request: CountedRequest,
    otherLimits: LimitStates,
  ): LimitStates | Promise<LimitStates> {
    let standings = otherLimits;
    for (const [at, holder] of holders.entries()) {
      const admitted = this.#account.admit(holder, request, standings);
      if (admitted instanceof Promise)
        return admitted.then((all) => this.#admitAll(holders.slice(at + 1), request, all));
      standings = admitted;
    }
    return standings;
  }

  /** Notes which models limits are for: their spending is read from the store by that. */
  #use(
    name: string,
    holders: readonly ModelHolder[],
    otherNames: RequestedModels['otherNames'],
    at: number,
  ): void {
    for (const { name: place, allows } of holders)
      this.#recent.set(place, { of: name, has: (each) => allows(each, otherNames) }, at);
  }
}

/** The limits that cover one of the models of a request. */
function holdersFor(
  all: readonly ModelHolder[],
  { model, otherModels, otherNames }: RequestedModels,
): readonly ModelHolder[] {
  return all.filter(({ allows }) => [model, ...otherModels].some((each) => allows(each, otherNames)));
}
