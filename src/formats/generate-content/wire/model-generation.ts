/** What tells Gemini 3 and later from those before. */

import type { ModelTraits } from '../../format.ts';

/**
 * Whether a model is of Gemini 3 or later: these are told how much to think by a level, those before by a budget
 * (Gemini API, "Thinking"), which is what the catalog says of a model.
 */
export function isGemini3({ thinking }: ModelTraits): boolean {
  return thinking?.kinds.includes('effort') === true;
}
