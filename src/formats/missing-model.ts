/** Refusals with status 400 or 422 that say that the vendor does not have the model, or no longer. */

import { wordSet } from '../lib/words.ts';

/** The words of Groq, Mistral and OpenAI for it, as the code or the type of the error. */
const CODES: ReadonlySet<string | undefined> = wordSet('model_decommissioned invalid_model model_not_found');

/**
 * The words of DeepSeek, OpenRouter, Mistral, LiteLLM and Groq. Only the beginning of a message counts: what follows may
 * quote the caller.
 */
const MISSING =
  /^(?:model not exist|\S{1,128} is not a valid model|(?:\/[\w/]{1,64}: )?invalid model(?:: | name passed in )|the model \S{1,128} has been decommissioned)/i;

/** Whether a refusal says that the vendor does not have the model. @param words its type and its code. */
export function saysModelIsMissing(message: string, ...words: readonly (string | undefined)[]): boolean {
  return words.some((word) => CODES.has(word)) || MISSING.test(message);
}
