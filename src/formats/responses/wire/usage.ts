/** Token figures of a response and neutral usage. */

import type { Usage } from '../../../conversation/reply.ts';
import { countOf, type Tokens, tiersNamed, type UsageReader, usageOf } from '../../../conversation/tokens.ts';
import { asObject, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { dollarsTold, outputWithReasoning } from '../../openai/usage.ts';

export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => parseTokens(figures.at(-1) ?? {}),
  tiers: (_, beside) => tiersNamed(beside()),
  dollars: dollarsTold,
  text: { within: 'delta', fields: ['delta'] },
};

/** What the `usage` of a response counts. */
function parseTokens(usage: JsonObject): Tokens {
  const inside = asObject(usage['input_tokens_details']);
  const input = countOf(usage['input_tokens']);
  const told = countOf(usage['output_tokens']);
  const reasoning = countOf(asObject(usage['output_tokens_details'])?.['reasoning_tokens']);
  const total = countOf(usage['total_tokens']);
  return {
    input,
    cacheRead: countOf(inside?.['cached_tokens']),
    cacheWrite: countOf(inside?.['cache_write_tokens']),
    cacheWriteHour: countOf(asObject(inside?.['cache_write_tokens_details'])?.['ttl_12h_tokens']),
    output: told === undefined ? undefined : outputWithReasoning(told, { input, reasoning, total }),
    reasoning,
  };
}

/** `usage` of a response with what else it says; undefined where there is none. */
export function parseUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const {
    input_tokens: _input,
    input_tokens_details: _inside,
    output_tokens: _output,
    output_tokens_details: _outside,
    total_tokens: _total,
    ...rest
  } = usage;
  return {
    ...usageOf(parseTokens(usage)),
    ...(!isEmpty(rest) && { formatSpecific: { format: 'responses', fields: rest } }),
  };
}

/** Usage as a response tells it, all figures there; null where nothing is known. */
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
