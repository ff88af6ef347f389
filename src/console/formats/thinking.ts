/** How a request sets the reasoning of a model: by an effort level, or by a token budget. The catalog says which. */

import type { Thinking } from './dialogue.ts';

/** The token budget that an effort level stands for if the model takes a budget. */
const BUDGETS: Readonly<Record<string, number>> = { low: 1024, medium: 8192, high: 24576 };

/** The reasoning setting of a model that is not in the catalog. It is the one that the newest models have. */
export const UNKNOWN: Thinking = { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false };

/** The effort levels that the user can choose from. */
export function listEfforts(thinking: Thinking | undefined): readonly string[] {
  if (thinking === undefined) return [];
  if (thinking.efforts.length > 0) return thinking.efforts;
  return thinking.budget ? Object.keys(BUDGETS) : [];
}

/**
 * The token budget for an effort level; undefined if the model does not take a budget.
 * @param most the largest budget that the request allows
 */
export function chooseBudget(
  thinking: Thinking | undefined,
  effort: string,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  if (!thinking?.budget || thinking.kinds.includes('effort')) return undefined;
  const { min, max } = thinking.budget;
  return Math.min(max, most, Math.max(min, BUDGETS[effort] ?? min));
}
