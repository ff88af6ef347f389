/** How a request sets the reasoning of a model: by an effort level, or by a token budget. The catalog says which. */

/** @import { Thinking } from './dialogue.js' */

/** The token budget that an effort level stands for if the model takes a budget. @type {Record<string, number>} */
const BUDGETS = { low: 1024, medium: 8192, high: 24576 };

/** The reasoning setting of a model that is not in the catalog. It is the one that the newest models have. */
export const UNKNOWN = { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false };

/**
 * @param {Thinking | undefined} thinking
 * @returns {readonly string[]} the effort levels that the user can choose from
 */
export function effortsOf(thinking) {
  if (!thinking) return [];
  if (thinking.efforts.length > 0) return thinking.efforts;
  return thinking.budget ? Object.keys(BUDGETS) : [];
}

/**
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 * @param {number} most the largest budget that the request allows
 * @returns {number | undefined} tokens; undefined if the model does not take a budget
 */
export function budgetOf(thinking, effort, most = Number.POSITIVE_INFINITY) {
  if (!thinking?.budget || thinking.kinds.includes('effort')) return undefined;
  const { min, max } = thinking.budget;
  return Math.min(max, most, Math.max(min, BUDGETS[effort] ?? min));
}
