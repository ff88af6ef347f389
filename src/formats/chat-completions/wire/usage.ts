/** `usage`: the token counts of an answer, in both directions. */

import { findFormatFields, withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { Usage } from '../../../conversation/reply.ts';
import {
  findNamedTiers,
  parseCount,
  type Tokens,
  toUsage,
  type UsageReader,
} from '../../../conversation/tokens.ts';
import { asObject, isEmpty, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { outputWithReasoning, parseCost } from '../../openai/usage.ts';

/** Reads the usage of a native answer, which passes byte for byte. */
export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => parseTokens(figures.at(-1) ?? {}, false),
  tiers: (_, beside) => findNamedTiers(beside()),
  dollars: parseCost,
  text: { within: 'delta', fields: ['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments'] },
};

/**
 * The counts of a `usage` object. Input includes cached tokens and output includes reasoning.
 * @param reasoningInTotalOnly whether the total may include reasoning that no other figure has (Google's
 *   OpenAI-compatible endpoint).
 */
function parseTokens(usage: JsonObject, reasoningInTotalOnly: boolean): Tokens {
  const inside = asObject(usage['prompt_tokens_details']);
  const input = parseCount(usage['prompt_tokens']);
  const read =
    parseCount(inside?.['cached_tokens']) ??
    // In this order: DeepSeek; Together and Moonshot; Mistral; services in front of Claude.
    parseCount(usage['prompt_cache_hit_tokens']) ??
    parseCount(usage['cached_tokens']) ??
    parseCount(usage['num_cached_tokens']) ??
    parseCount(usage['cache_read_input_tokens']);
  return {
    input,
    // Grok at Azure counts a text of its own as cached, but not as input.
    cacheRead: read !== undefined && input !== undefined ? Math.min(read, input) : read,
    cacheWrite:
      parseCount(inside?.['cache_write_tokens']) ??
      // Qwen (Model Studio, "Context cache": writing to an explicit cache costs more); services in front of Claude.
      parseCount(inside?.['cache_creation_input_tokens']) ??
      parseCount(usage['cache_creation_input_tokens']),
    ...outputOf(usage, input, reasoningInTotalOnly),
  };
}

/**
 * A `usage` object with its counts, and its other figures in `formatSpecific`.
 * @param reasoningInTotalOnly see `Dialect.reasoningInTotalOnly`.
 */
export function parseUsage(usage: JsonObject, reasoningInTotalOnly: boolean): Usage {
  const {
    prompt_tokens: _prompt,
    completion_tokens: _completion,
    total_tokens: _total,
    prompt_tokens_details: inside,
    completion_tokens_details: outside,
    ...rest
  } = usage;
  const { cached_tokens: _cached, cache_write_tokens: _written, ...promptRest } = asObject(inside) ?? {};
  const { reasoning_tokens: _thought, ...completionRest } = asObject(outside) ?? {};
  const promptDetails = withoutNulls(promptRest);
  const completionDetails = withoutNulls(completionRest);
  const others = withoutNulls({
    ...rest,
    ...(!isEmpty(promptDetails) && { prompt_tokens_details: promptDetails }),
    ...(!isEmpty(completionDetails) && { completion_tokens_details: completionDetails }),
  });
  return {
    ...toUsage(parseTokens(usage, reasoningInTotalOnly)),
    ...withFormatSpecific('chat-completions', others),
  };
}

/**
 * Usage as the `usage` object of an answer. Further figures of other vendors keep their own names. The details are always
 * present, as they are at OpenAI: clients read `usage.prompt_tokens_details.cached_tokens` without a check.
 */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite, reasoning = 0 } = usage;
  const details = findFormatFields(usage.formatSpecific, 'chat-completions');
  return {
    ...usage.formatSpecific?.fields,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      ...asObject(details['prompt_tokens_details']),
      cached_tokens: cacheRead,
      ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: {
      ...asObject(details['completion_tokens_details']),
      reasoning_tokens: reasoning,
    },
  };
}

/** Whether any count is known. A usage of zeros that the vendor never counted would be wrong. */
export function hasTokens(usage: Usage): boolean {
  return usage.input !== undefined || usage.output !== undefined;
}

function outputOf(
  usage: JsonObject,
  input: number | undefined,
  reasoningInTotalOnly: boolean,
): Pick<Tokens, 'output' | 'reasoning'> {
  const reasoning = parseCount(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']);
  const completion = parseCount(usage['completion_tokens']);
  const total = parseCount(usage['total_tokens']);
  if (completion === undefined) return reasoning === undefined ? {} : { output: reasoning, reasoning };
  if (reasoning !== undefined) {
    return { output: outputWithReasoning(completion, { input, reasoning, total }), reasoning };
  }
  const hidden =
    reasoningInTotalOnly && total !== undefined && input !== undefined ? total - input - completion : 0;
  return hidden > 0 ? { output: completion + hidden, reasoning: hidden } : { output: completion };
}
