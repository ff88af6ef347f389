/** Log probabilities of tokens (OpenAI API reference, `choices[].logprobs`). */

import type { TokenLogprob } from '../../../conversation/reply.ts';
import { asList, asNumber, asObject, isList, type Json, type JsonObject } from '../../../lib/json.ts';
import { parseTokens, renderTokens } from '../../openai/logprobs.ts';

/** The tokens of a `logprobs`, or those of its refusal if it has no others. Together sends two lists instead. */
export function parseLogprobs(logprobs: Json | undefined): readonly TokenLogprob[] {
  const fields = asObject(logprobs);
  if (fields === undefined) return [];
  const { content, refusal, tokens } = fields;
  if (isList(tokens)) return parseColumns(tokens, asList(fields['token_logprobs']));
  const spoken = parseTokens(content);
  return spoken.length > 0 ? spoken : parseTokens(refusal);
}

/** Tokens as the `logprobs` of a choice; those of a refusal have a list of their own. */
export function renderLogprobs(tokens: readonly TokenLogprob[], isRefusal: boolean): JsonObject {
  const rendered = renderTokens(tokens, true);
  return isRefusal ? { content: null, refusal: rendered } : { content: rendered, refusal: null };
}

function parseColumns(tokens: readonly Json[], logprobs: readonly Json[]): TokenLogprob[] {
  return tokens.flatMap((token, at) =>
    typeof token === 'string' ? [{ token, logprob: asNumber(logprobs[at]) ?? 0 }] : [],
  );
}
