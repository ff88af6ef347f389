/** Tells Gemini 3 and later models from those before. */

import type { ModelTraits } from '../../format.ts';

/**
 * Whether a model is Gemini 3 or later. Those take a level of thinking, and earlier ones a budget (Gemini API,
 * "Thinking"); the catalog says of each model which of the two it takes.
 */
export function isGemini3({ thinking }: ModelTraits): boolean {
  return thinking?.kinds.includes('effort') === true;
}
