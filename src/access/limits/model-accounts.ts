/** What keys, or groups of them, have of their limits for some models: an account of each such limit, and who is charged to which. */

import type { ServerResponse } from 'node:http';
import type { FormatName } from '../../conversation/prompt.ts';
import type { ModelHolder } from '../principal.ts';
import { type Account, type Counters, openAccount } from './account.ts';
import type { AccountOf } from './budgets.ts';
import type { Consumption } from './consumption.ts';
import type { Standings } from './limit-headers.ts';
import { openUsedLately, type UsedLately } from './used-lately.ts';

/** Of which models a request is. */
export interface AskedModels {
  /** The one that is asked. */
  readonly model: string;
  /** Others that its body names, which the vendor may ask instead. */
  readonly beside: readonly string[];
  otherNames(model: string): readonly string[];
}

/** Whose figures they are, and of which models. */
export interface Share {
  /** Name of the key or of the group. */
  readonly of: string;
  has(model: string): boolean;
}

/** Those that came lately, by what their figures are kept under. */
export type Shares = UsedLately<Share>;

export interface ModelCounters extends Counters {
  readonly shares: Shares;
}

export interface ModelAccounts extends Pick<Account, 'budgets' | 'close'> {
  /**
   * Counts a request for each of `holders` that has one of its models, as an account does.
   * @param name of the key or of the group that they are of.
   */
  admit(
    name: string,
    holders: readonly ModelHolder[],
    asked: AskedModels,
    response: ServerResponse,
    format: FormatName,
    beside: Standings,
  ): Standings | Promise<Standings>;
  /** Charges what exchanges with a model took. */
  charge(name: string, taken: Consumption): void;
}

/** For how long who is charged to which is known, in milliseconds: longer than an answer takes. */
const KEEP = 86_400_000;

export function openShares(): Shares {
  return openUsedLately<Share>(KEEP);
}

/** The parameters are those of `openAccount`. */
export function openModelAccounts(
  of: AccountOf,
  { shares, ...counters }: ModelCounters,
  now: () => number,
  share: () => number,
): ModelAccounts {
  const account = openAccount(of, counters, now, share);
  /** By name and model. Undefined until somebody is limited by model: who has nothing of it pays nothing. */
  let charged: UsedLately<readonly ModelHolder[]> | undefined;

  function admitAll(
    holders: readonly ModelHolder[],
    response: ServerResponse,
    format: FormatName,
    beside: Standings,
  ): Standings | Promise<Standings> {
    let standings = beside;
    for (const [at, holder] of holders.entries()) {
      const told = account.admit(holder, response, format, standings);
      if (told instanceof Promise)
        return told.then((so) => admitAll(holders.slice(at + 1), response, format, so));
      standings = told;
    }
    return standings;
  }

  return {
    admit(name, all, { model, beside: others, otherNames }, response, format, beside) {
      const holders = all.filter(({ allows }) => [model, ...others].some((each) => allows(each, otherNames)));
      if (holders.length === 0) return beside;
      const at = performance.now();
      charged ??= openUsedLately(KEEP);
      charged.set(placeOf(name, model), holders, at);
      for (const { name: place, allows } of holders)
        shares.set(place, { of: name, has: (each) => allows(each, otherNames) }, at);
      return admitAll(holders, response, format, beside);
    },
    charge(name, { model, tokens, cost, time }) {
      if (charged === undefined || model === undefined) return;
      for (const holder of charged.get(placeOf(name, model), performance.now()) ?? [])
        account.charge(holder.name, tokens, cost, time);
    },
    budgets: account.budgets,
    close: account.close,
  };
}

/** No id of a model has a line break in it. */
function placeOf(name: string, model: string): string {
  return `${name}\n${model}`;
}
