/** Reserves what a request may cost of the budgets of its key and its group, until its cost is charged. */

import type { BudgetReserve } from '../../store/keys/key-limits.ts';
import type { LimitHolder } from './limit-holder.ts';
import { sharedPeriods } from './periods.ts';
import type { Release, Reservations } from './reservations.ts';
import type { Spending, Spent } from './spending.ts';

/** What a request may cost, in US dollars. */
export type CostEstimate = Readonly<Record<BudgetReserve, number>>;

/**
 * Holds an amount of a holder's budgets.
 * @param check throws if it does not fit.
 * @returns a function that gives it back.
 */
export function holdAmount(
  { reservations, spending }: { readonly reservations: Reservations; readonly spending: Spending },
  holder: LimitHolder,
  amount: number,
  check: (before: number, spent: Spent) => void,
): Release | Promise<Release> {
  const { name } = holder;
  const release = once(() => reservations.release(name, amount));
  const decide = (before: number, spent: Spent): Release => {
    try {
      check(before, spent);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  };
  // The order matters: what another request gives back between the two reads has been charged by then.
  const before = reservations.hold(name, amount);
  const spent = spending.get(name, sharedPeriods(holder.limits));
  if (!(before instanceof Promise) && !(spent instanceof Promise)) return decide(before, spent);
  return Promise.all([before, spent]).then((figures) => decide(...figures));
}

/** Runs several reservations one after the other. If one is refused, those before it are given back. */
export function holdAll(
  holds: readonly (() => Release | Promise<Release>)[],
  held: readonly Release[] = [],
): Release | Promise<Release> {
  const releaseAll = (): void => {
    for (const release of held) release();
  };
  const [hold, ...rest] = holds;
  if (hold === undefined) return releaseAll;
  try {
    const release = hold();
    if (!(release instanceof Promise)) return holdAll(rest, [...held, release]);
    return release.then(
      (later) => holdAll(rest, [...held, later]),
      (error: unknown) => {
        releaseAll();
        throw error;
      },
    );
  } catch (error) {
    releaseAll();
    throw error;
  }
}

function once(run: () => void): Release {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
