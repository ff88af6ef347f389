/** Whether a principal has limits at all, and of which kind. */

import type { KeyLimits } from '../../store/keys/key-limits.ts';
import type { ModelHolder, Principal } from '../principal.ts';

type Limited = Pick<Principal, 'limits' | 'modelLimits' | 'tagLimits' | 'group'>;

/** Whether any limit for all models applies to a key or its group. */
export function isLimited({ limits, group }: Limited): boolean {
  return hasLimit(limits) || (group !== undefined && hasLimit(group.limits));
}

export function hasLimit(limits: KeyLimits): boolean {
  return (
    limits.requestsPerMinute !== undefined ||
    limits.tokensPerMinute !== undefined ||
    limits.concurrentRequests !== undefined ||
    hasBudget(limits)
  );
}

/** Whether there is a budget of any period. */
export function hasBudget({ budgetDay, budgetWeek, budgetMonth, budgetTotal }: KeyLimits): boolean {
  return (
    budgetDay !== undefined ||
    budgetMonth !== undefined ||
    budgetWeek !== undefined ||
    budgetTotal !== undefined
  );
}

/** Whether any budget applies to a key or its group, for all models or for some. */
export function isBudgeted({ limits, modelLimits, tagLimits, group }: Limited): boolean {
  return (
    hasBudget(limits) ||
    (tagLimits !== undefined && hasBudget(tagLimits)) ||
    hasBudgetByModel(modelLimits) ||
    (group !== undefined && (hasBudget(group.limits) || hasBudgetByModel(group.modelLimits)))
  );
}

function hasBudgetByModel(holders: readonly ModelHolder[] | undefined): boolean {
  return holders?.some(({ limits }) => hasBudget(limits)) ?? false;
}

/** Whether any limit for some models applies to a key or its group. */
export function isLimitedByModel({ modelLimits, group }: Limited): boolean {
  return modelLimits !== undefined || group?.modelLimits !== undefined;
}

/** Whether the tokens or the cost of answers are limited, for all models or for some. */
export function isMetered({ limits, modelLimits, tagLimits, group }: Limited): boolean {
  return (
    hasMeter(limits) ||
    (tagLimits !== undefined && hasMeter(tagLimits)) ||
    hasMeterByModel(modelLimits) ||
    (group !== undefined && (hasMeter(group.limits) || hasMeterByModel(group.modelLimits)))
  );
}

function hasMeterByModel(holders: readonly ModelHolder[] | undefined): boolean {
  return holders?.some(({ limits }) => hasMeter(limits)) ?? false;
}

function hasMeter(limits: KeyLimits): boolean {
  return limits.tokensPerMinute !== undefined || hasBudget(limits);
}
