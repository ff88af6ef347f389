/** The `usage` of a response, to and from neutral usage. All figures are tokens. */

import type { Usage } from '../../../conversation/reply.ts';
import {
  boundParts,
  findNamedTiers,
  lastUsage,
  parseCount,
  type Tokens,
  toUsage,
  type UsageReader,
} from '../../../conversation/tokens.ts';
import { asObject, isEmpty, type Json, type JsonObject, otherFields } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { countKinds, settleCounts } from '../../openai/usage.ts';
import { parseCost } from '../../reported-cost.ts';

/** Finds the usage in the bytes of a native answer. */
export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures, model) => parseTokens(lastUsage(figures), model),
  tiers: (_, beside) => findNamedTiers(beside()),
  dollars: parseCost,
  text: { within: 'delta', fields: ['delta'] },
};

/** @param model the model as the vendor calls it */
function parseTokens(usage: JsonObject, model: string): Tokens {
  const inputDetails = asObject(usage['input_tokens_details']);
  const outputDetails = asObject(usage['output_tokens_details']);
  const counts = {
    input: parseCount(usage['input_tokens']),
    output: parseCount(usage['output_tokens']),
    total: parseCount(usage['total_tokens']),
    reasoning: parseCount(outputDetails?.['reasoning_tokens']),
    inputKinds: countKinds(inputDetails),
    outputKinds: countKinds(outputDetails),
  };
  return boundParts({
    ...settleCounts(counts, model),
    cacheRead: parseCount(inputDetails?.['cached_tokens']),
    cacheWrite: parseCount(inputDetails?.['cache_write_tokens']),
    cacheWriteHour: parseCount(asObject(inputDetails?.['cache_write_tokens_details'])?.['ttl_12h_tokens']),
  });
}

const FIGURES = wordSet('input_tokens input_tokens_details output_tokens output_tokens_details total_tokens');

/**
 * Parses the `usage` of a response, and keeps its other fields; undefined if it is not an object.
 * @param model the model as the vendor calls it
 */
export function parseUsage(value: Json | undefined, model: string): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const rest = otherFields(usage, FIGURES);
  return {
    ...toUsage(parseTokens(usage, model)),
    ...(!isEmpty(rest) && { formatSpecific: { format: 'responses', fields: rest } }),
  };
}

/** Renders usage with all figures that a response has; null if neither input nor output is known. */
export function renderUsage(usage: Usage): JsonObject | null {
  if (usage.input === undefined && usage.output === undefined) return null;
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  return {
    ...usage.formatSpecific?.fields,
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
