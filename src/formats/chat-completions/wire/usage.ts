/** `usage`: the token counts of an answer, in both directions. */

import { findFormatFields, withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { MediaTokens, Usage } from '../../../conversation/reply.ts';
import {
  boundParts,
  findNamedTiers,
  lastUsage,
  parseCount,
  type Tokens,
  toUsage,
  type UsageReader,
  withMedia,
} from '../../../conversation/tokens.ts';
import {
  asObject,
  isEmpty,
  type JsonObject,
  otherFields,
  presentFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { countKinds, settleCounts } from '../../openai/usage.ts';
import { parseCost } from '../../reported-cost.ts';

/** Reads the usage of a native answer, which passes byte for byte. */
export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures, model) => parseTokens(lastUsage(figures), model),
  tiers: (_, beside) => findNamedTiers(beside()),
  dollars: parseCost,
  text: {
    within: 'delta',
    fields: ['content', 'reasoning_content', 'reasoning', 'refusal', 'transcript', 'arguments'],
  },
};

/** The details of the input. mlx-vlm counts in the names of responses (earendil-works/pi#2326). */
function detailInput(usage: JsonObject): JsonObject | undefined {
  return asObject(usage['prompt_tokens_details']) ?? asObject(usage['input_tokens_details']);
}

/** The details of the output, in either format's name. */
function detailOutput(usage: JsonObject): JsonObject | undefined {
  return asObject(usage['completion_tokens_details']) ?? asObject(usage['output_tokens_details']);
}

/**
 * The counts of a `usage` object. Input includes cached tokens and output includes reasoning.
 * @param model the model as the vendor calls it.
 */
function parseTokens(usage: JsonObject, model: string): Tokens {
  const inside = detailInput(usage);
  const outside = detailOutput(usage);
  const counts = {
    input: parseCount(usage['prompt_tokens']) ?? parseCount(usage['input_tokens']),
    output: parseCount(usage['completion_tokens']) ?? parseCount(usage['output_tokens']),
    total: parseCount(usage['total_tokens']),
    reasoning: parseCount(outside?.['reasoning_tokens']),
    inputKinds: [...countKinds(inside), ...countKinds(presentFields(usage, CACHE_FIGURES))],
    outputKinds: countKinds(outside),
  };
  const { input, output, reasoning } = settleCounts(counts, model);
  const cacheRead =
    parseCount(inside?.['cached_tokens']) ??
    // In this order: DeepSeek; Together and Moonshot; Mistral; services in front of Claude.
    parseCount(usage['prompt_cache_hit_tokens']) ??
    parseCount(usage['cached_tokens']) ??
    parseCount(usage['num_cached_tokens']) ??
    parseCount(usage['cache_read_input_tokens']);
  return boundParts({
    input,
    cacheRead,
    cacheWrite:
      parseCount(inside?.['cache_write_tokens']) ??
      // Qwen (Model Studio, "Context cache": writing to an explicit cache costs more); services in front of Claude.
      parseCount(inside?.['cache_creation_input_tokens']) ??
      // vLLM (`PromptTokenUsageInfo`).
      parseCount(inside?.['created_cache_tokens']) ??
      parseCount(usage['cache_creation_input_tokens']),
    output,
    reasoning,
  });
}

/** The cache figures of services in front of Claude, by the names of Anthropic, which counts them apart from the input. */
const CACHE_FIGURES: readonly string[] = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/** The figures that a reply has too, in the usage and in its details. */
const FIGURES = wordSet(`
  prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details
  input_tokens output_tokens input_tokens_details output_tokens_details
`);
const PROMPT_FIGURES: ReadonlySet<string> = new Set(['cached_tokens', 'cache_write_tokens']);
const COMPLETION_FIGURES: ReadonlySet<string> = new Set(['reasoning_tokens']);

/**
 * A `usage` object with its counts, and its other figures in `formatSpecific`.
 * @param model the model as the vendor calls it.
 */
export function parseUsage(usage: JsonObject, model: string): Usage {
  const inside = detailInput(usage) ?? {};
  const outside = detailOutput(usage) ?? {};
  const promptDetails = withoutNulls(otherFields(inside, PROMPT_FIGURES));
  const completionDetails = withoutNulls(otherFields(outside, COMPLETION_FIGURES));
  const others = withoutNulls({
    ...otherFields(usage, FIGURES),
    ...(!isEmpty(promptDetails) && { prompt_tokens_details: promptDetails }),
    ...(!isEmpty(completionDetails) && { completion_tokens_details: completionDetails }),
  });
  return {
    ...toUsage(parseTokens(usage, model)),
    ...withMedia(
      (kind) => inside[`${kind}_tokens`],
      (kind) => outside[`${kind}_tokens`],
    ),
    ...withFormatSpecific('chat-completions', others),
  };
}

/**
 * Usage as the `usage` object of an answer. Further figures of other vendors keep their own names. The details are always
 * present, as they are at OpenAI: clients read `usage.prompt_tokens_details.cached_tokens` without a check.
 */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite, reasoning = 0, inputMedia, outputMedia } = usage;
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
      ...renderMedia(inputMedia),
    },
    completion_tokens_details: {
      ...asObject(details['completion_tokens_details']),
      reasoning_tokens: reasoning,
      ...renderMedia(outputMedia),
    },
  };
}

/** Tokens of media, in the fields of OpenAI (sound) and OpenRouter (images and films). */
function renderMedia(tokens: MediaTokens | undefined): JsonObject | undefined {
  if (tokens === undefined) return undefined;
  return Object.fromEntries(Object.entries(tokens).map(([kind, count]) => [`${kind}_tokens`, count]));
}

/** Whether any count is known. A usage of zeros that the vendor never counted would be wrong. */
export function hasTokens(usage: Usage): boolean {
  return usage.input !== undefined || usage.output !== undefined;
}
