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
export function isBudgeted(limited: Limited): boolean {
  return hasAny(limited, hasBudget);
}

/** Whether requests hold the longest answer they may get of a key's or its group's budgets. */
export function holdsLongest({ limits, group }: Limited): boolean {
  return limits.budgetReserve === 'longest' || group?.limits.budgetReserve === 'longest';
}

/** Whether any limit for some models applies to a key or its group. */
export function isLimitedByModel({ modelLimits, group }: Limited): boolean {
  return modelLimits !== undefined || group?.modelLimits !== undefined;
}

/** Whether the other models that a request names count for a limit: one for some models, or a budget that holds `longest`. */
export function isLimitedByOthers(limited: Limited): boolean {
  return isLimitedByModel(limited) || (isBudgeted(limited) && holdsLongest(limited));
}

/** Whether the tokens or the cost of answers are limited, for all models or for some. */
export function isMetered(limited: Limited): boolean {
  return hasAny(limited, hasMeter);
}

/** Whether any limits of a key, of its tags or of its group have something, for all models or for some. */
function hasAny({ limits, modelLimits, tagLimits, group }: Limited, has: typeof hasBudget): boolean {
  return (
    has(limits) ||
    (tagLimits !== undefined && has(tagLimits)) ||
    hasByModel(modelLimits, has) ||
    (group !== undefined && (has(group.limits) || hasByModel(group.modelLimits, has)))
  );
}

function hasByModel(holders: readonly ModelHolder[] | undefined, has: typeof hasBudget): boolean {
  return holders?.some(({ limits }) => has(limits)) ?? false;
}

function hasMeter(limits: KeyLimits): boolean {
  return limits.tokensPerMinute !== undefined || hasBudget(limits);
}
