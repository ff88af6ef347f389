/** Token counts, both ways. */

import { formatFields, formatSpecificOf } from '../../../conversation/format-specific.ts';
import type { Usage } from '../../../conversation/reply.ts';
import { countOf, type Tokens, tiersNamed, type UsageReader, usageOf } from '../../../conversation/tokens.ts';
import { asObject, isEmpty, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { dollarsTold, outputWithReasoning } from '../../openai/usage.ts';

export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => parseTokens(figures.at(-1) ?? {}, false),
  tiers: (_, beside) => tiersNamed(beside()),
  dollars: dollarsTold,
  text: { within: 'delta', fields: ['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments'] },
};

/**
 * What a `usage` object counts. Input includes cached tokens and output includes reasoning.
 * @param hiddenThoughts whether the total may hold output that no other figure does (Google's own compatible endpoint)
 */
function parseTokens(usage: JsonObject, hiddenThoughts: boolean): Tokens {
  const inside = asObject(usage['prompt_tokens_details']);
  const input = countOf(usage['prompt_tokens']);
  const read =
    countOf(inside?.['cached_tokens']) ??
    // DeepSeek; Together and Moonshot; Mistral; services in front of Claude.
    countOf(usage['prompt_cache_hit_tokens']) ??
    countOf(usage['cached_tokens']) ??
    countOf(usage['num_cached_tokens']) ??
    countOf(usage['cache_read_input_tokens']);
  return {
    input,
    // Azure's Grok counts a text of its own as cached, but not as input.
    cacheRead: read !== undefined && input !== undefined ? Math.min(read, input) : read,
    cacheWrite:
      countOf(inside?.['cache_write_tokens']) ??
      // Qwen (Model Studio, "Context cache": explicit ones cost more to write); services in front of Claude.
      countOf(inside?.['cache_creation_input_tokens']) ??
      countOf(usage['cache_creation_input_tokens']),
    ...outputOf(usage, input, hiddenThoughts),
  };
}

/** A `usage` object with what else it says. */
export function parseUsage(usage: JsonObject, hiddenThoughts: boolean): Usage {
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
  const own = withoutNulls({
    ...rest,
    ...(!isEmpty(promptDetails) && { prompt_tokens_details: promptDetails }),
    ...(!isEmpty(completionDetails) && { completion_tokens_details: completionDetails }),
  });
  return {
    ...usageOf(parseTokens(usage, hiddenThoughts)),
    ...formatSpecificOf('chat-completions', own),
  };
}

/**
 * Usage as chat-completions tells it; what other vendors count beyond it stands beside it under their own names. OpenAI
 * says of every answer how much was cached and thought, and clients read it unasked: `usage.prompt_tokens_details.cached_tokens`.
 */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite, reasoning = 0 } = usage;
  const details = formatFields(usage.formatSpecific, 'chat-completions');
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

/** Whether anything is known: a usage of zeros nobody counted would be a lie. */
export function hasTokens(usage: Usage): boolean {
  return usage.input !== undefined || usage.output !== undefined;
}

function outputOf(
  usage: JsonObject,
  input: number | undefined,
  hiddenThoughts: boolean,
): Pick<Tokens, 'output' | 'reasoning'> {
  const reasoning = countOf(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']);
  const completion = countOf(usage['completion_tokens']);
  const total = countOf(usage['total_tokens']);
  if (completion === undefined) return reasoning === undefined ? {} : { output: reasoning, reasoning };
  if (reasoning !== undefined) {
    return { output: outputWithReasoning(completion, { input, reasoning, total }), reasoning };
  }
  const hidden =
    hiddenThoughts && total !== undefined && input !== undefined ? total - input - completion : 0;
  return hidden > 0 ? { output: completion + hidden, reasoning: hidden } : { output: completion };
}
