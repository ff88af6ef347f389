/** Token figures of a response and neutral usage. */

import type { Usage } from '../../conversation/reply.ts';
import { asNumber, asObject, type Json, type JsonObject } from '../../json.ts';
import { isEmpty } from './fields.ts';

/**
 * `usage` of a response; undefined where there is none.
 * Some services leave reasoning out of output_tokens: known by reasoning above output, or a total that has all three.
 */
export function parseUsage(value: Json | undefined): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, total_tokens, ...rest } =
    usage;
  const inputDetails = asObject(input_tokens_details) ?? {};
  const input = count(input_tokens);
  const told = count(output_tokens);
  const reasoning = count(asObject(output_tokens_details)?.['reasoning_tokens']);
  const cacheRead = count(inputDetails['cached_tokens']);
  const cacheWrite = count(inputDetails['cache_write_tokens']);
  const total = count(total_tokens);
  const apart =
    reasoning !== undefined &&
    told !== undefined &&
    (reasoning > told || (reasoning > 0 && total === (input ?? 0) + told + reasoning));
  const output = apart ? told + reasoning : told;
  return {
    ...(input !== undefined && { input }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
    ...(!isEmpty(rest) && { own: { format: 'responses', fields: rest } }),
  };
}

/** Usage as a response tells it, all figures there; null where nothing is known. */
export function renderUsage(usage: Usage): JsonObject | null {
  if (usage.input === undefined && usage.output === undefined) return null;
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  return {
    ...usage.own?.fields,
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

function count(value: Json | undefined): number | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : Math.max(0, tokens);
}
