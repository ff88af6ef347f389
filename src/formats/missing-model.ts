/** Refusals that say that the vendor does not have the model, or no longer. */

import { wordSet } from '../lib/words.ts';

/** The words of Groq, Mistral, OpenAI, GitHub and Hugging Face for it, as the code or the type of the error. */
const CODES: ReadonlySet<string | undefined> = wordSet(
  'model_decommissioned invalid_model model_not_found unknown_model model_not_supported',
);

/**
 * The words of DeepSeek (before and since version 4), xAI, SiliconFlow, GitHub and Z.ai, MiniMax, Z.ai's messages,
 * Bedrock, Copilot, OpenRouter, Mistral, LiteLLM and Groq. Only the beginning of a message counts: what follows may quote
 * the caller.
 */
const MISSING =
  /^(?:model (?:not exist|not found|does not exist)|the supported api model names are |(?:invalid params, )?unknown model|(?:\[\d{4}\]\[)?(?:模型不存在|modelcode: does not exist)|the provided model identifier is invalid|the requested model is not supported|\S{1,128} is not a valid model|(?:\/[\w/]{1,64}: )?invalid model(?:: | name passed in )|the model \S{1,128} has been decommissioned)/i;

/**
 * Whether a refusal with status 400 or 422 says that the vendor does not have the model.
 * @param words its type and its code.
 */
export function saysModelIsMissing(message: string, ...words: readonly (string | undefined)[]): boolean {
  return words.some((word) => CODES.has(word)) || MISSING.test(message);
}

/**
 * Whether what a 404 or 410 does not find is a model. OpenRouter: "No endpoints found for a/b:free." or "… that support
 * tool use"; NVIDIA: "Function '23d4f03a-…': Not found for account …".
 */
export function isModelMissing(message = '', code?: string): boolean {
  if (code === 'DeploymentNotFound' || /model/i.test(`${message} ${code}`)) return true;
  return /^(?:no endpoints (?:found|available)|function '[\w-]{1,64}': not found)/i.test(message);
}
