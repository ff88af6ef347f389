/** Budgets and what is left of them, for metrics. */

import type { AccountOf, Holder } from './holder.ts';
import type { Spent } from './spending.ts';

/** A budget and what is left of it, in US dollars. The rest is negative if the last answers exceeded the budget. */
export interface Budget {
  readonly of: AccountOf;
  /** The name of the key or of the group. */
  readonly name: string;
  /** The models that it covers; absent means all. */
  readonly models?: string;
  readonly period: 'day' | 'month';
  readonly budget: number;
  readonly left: number;
}

/** The most budgets that are reported: each is a series of its own in Prometheus. */
export const MOST_BUDGETS = 1_000;

/** The budgets of a holder, with what is left of each. */
export function listBudgets(
  of: AccountOf,
  { name, of: holder = name, models, limits }: Holder,
  spent: Spent,
): readonly Budget[] {
  const until = (period: Budget['period'], budget: number | undefined): readonly Budget[] =>
    budget === undefined
      ? []
      : [{ of, name: holder, ...(models && { models }), period, budget, left: budget - spent[period] }];
  return [...until('day', limits.budgetDay), ...until('month', limits.budgetMonth)];
}

/** Orders budgets by the share that is left. A budget of zero has nothing left. */
export function byShareLeft(one: Budget, other: Budget): number {
  return one.left / (one.budget || 1) - other.left / (other.budget || 1);
}
