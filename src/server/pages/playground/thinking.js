/** How a model is told to think: by the words it has, or by a number of tokens. The catalog says which. */

/** @import { Thinking } from './dialogue.js' */

/** What the words stand for where thinking is a number of tokens. @type {Record<string, number>} */
const BUDGETS = { low: 1024, medium: 8192, high: 24576 };

/** A model that the list does not have is asked as the newest are. */
export const UNKNOWN = { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false };

/**
 * The words that can be chosen from.
 * @param {Thinking | undefined} thinking
 * @returns {readonly string[]}
 */
export function effortsOf(thinking) {
  if (!thinking) return [];
  if (thinking.efforts.length > 0) return thinking.efforts;
  return thinking.budget ? Object.keys(BUDGETS) : [];
}

/**
 * Tokens to think with, where that is how the model is told; else undefined.
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 * @param {number} most
 */
export function budgetOf(thinking, effort, most = Number.POSITIVE_INFINITY) {
  if (!thinking?.budget || thinking.kinds.includes('effort')) return undefined;
  const { min, max } = thinking.budget;
  return Math.min(max, most, Math.max(min, BUDGETS[effort] ?? min));
}
