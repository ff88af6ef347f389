/** Budgets and what is left of them, for metrics. */

import type { Holder } from './account.ts';
import type { Spent } from './spending.ts';

/** Whose limits they are. */
export type AccountOf = 'key' | 'group';

/** A budget, and what is left of it: less than nothing where the last answers went beyond it. In US dollars. */
export interface Budget {
  readonly of: AccountOf;
  /** Of the key, or of the group. */
  readonly name: string;
  /** The models that it is for; absent: all of them. */
  readonly models?: string;
  readonly period: 'day' | 'month';
  readonly budget: number;
  readonly left: number;
}

/** Of more budgets than this not all are told: each is a series of its own to whoever keeps them. */
export const MOST_BUDGETS = 1_000;

export function budgetsOf(
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

/** A budget of nothing has nothing left. */
export function byShareLeft(one: Budget, other: Budget): number {
  return one.left / (one.budget || 1) - other.left / (other.budget || 1);
}
