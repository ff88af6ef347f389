/** Budgets and what is left of them, for metrics. */

import { listBudgets, type Period } from '../../store/keys/key-limits.ts';
import type { AccountKind, LimitHolder } from './limit-holder.ts';
import type { Spent } from './spending.ts';

/** A budget and what is left of it, in US dollars. The rest is negative if the last answers exceeded the budget. */
export interface Budget {
  readonly of: AccountKind;
  /** The name of the key or of the group. */
  readonly name: string;
  /** The models that it covers; absent means all. */
  readonly models?: string;
  readonly period: Period;
  readonly budget: number;
  readonly left: number;
  /** What requests in flight of this process hold of it. */
  readonly reserved: number;
}

/** The most budgets that are reported: each is a series of its own in Prometheus. */
export const MAX_BUDGETS = 1_000;

/** The budgets of a holder, with what is left of each. @param reserved what its requests in flight hold. */
export function budgetsLeft(
  of: AccountKind,
  { name, of: holder = name, models, limits }: LimitHolder,
  spent: Spent,
  reserved: number,
): readonly Budget[] {
  return listBudgets(limits).map(({ period, budget }) => ({
    of,
    name: holder,
    ...(models && { models }),
    period,
    budget,
    left: budget - spent[period],
    reserved,
  }));
}

/** Orders budgets by the share that is left. A budget of zero has nothing left. */
export function byShareLeft(one: Budget, other: Budget): number {
  return one.left / (one.budget || 1) - other.left / (other.budget || 1);
}
