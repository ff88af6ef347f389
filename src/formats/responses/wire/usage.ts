/** The `usage` of a response, to and from neutral usage. All figures are tokens. */

import type { Usage } from '../../../conversation/reply.ts';
import {
  findNamedTiers,
  parseCount,
  type Tokens,
  toUsage,
  type UsageReader,
} from '../../../conversation/tokens.ts';
import { asObject, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { outputWithReasoning, parseCost } from '../../openai/usage.ts';

/** Finds the usage in the bytes of a native answer. */
export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => parseTokens(figures.at(-1) ?? {}),
  tiers: (_, beside) => findNamedTiers(beside()),
  dollars: parseCost,
  text: { within: 'delta', fields: ['delta'] },
};

function parseTokens(usage: JsonObject): Tokens {
  const inputDetails = asObject(usage['input_tokens_details']);
  const input = parseCount(usage['input_tokens']);
  const output = parseCount(usage['output_tokens']);
  const reasoning = parseCount(asObject(usage['output_tokens_details'])?.['reasoning_tokens']);
  const total = parseCount(usage['total_tokens']);
  return {
    input,
    cacheRead: parseCount(inputDetails?.['cached_tokens']),
    cacheWrite: parseCount(inputDetails?.['cache_write_tokens']),
    cacheWriteHour: parseCount(asObject(inputDetails?.['cache_write_tokens_details'])?.['ttl_12h_tokens']),
    output: output === undefined ? undefined : outputWithReasoning(output, { input, reasoning, total }),
    reasoning,
  };
}

/** Parses the `usage` of a response, and keeps its other fields; undefined if it is not an object. */
export function parseUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const {
    input_tokens: _input,
    input_tokens_details: _inputDetails,
    output_tokens: _output,
    output_tokens_details: _outputDetails,
    total_tokens: _total,
    ...rest
  } = usage;
  return {
    ...toUsage(parseTokens(usage)),
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
