/** Token counts, both ways. */

import type { Usage } from '../../conversation/reply.ts';
import { asNumber, asObject, type JsonObject } from '../../json.ts';
import { isEmpty, said } from './body.ts';

/**
 * A `usage` object. Input includes cached tokens and output includes reasoning; services that leave reasoning out of
 * completion_tokens (xAI, Vercel for Gemini) are known by their sums.
 * @param hiddenThoughts whether the total may hold output that no other figure does (Google's own compatible endpoint)
 */
export function parseUsage(usage: JsonObject, hiddenThoughts: boolean): Usage {
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    prompt_tokens_details: inside,
    completion_tokens_details: outside,
    ...rest
  } = usage;
  const { cached_tokens: cached, cache_write_tokens: written, ...promptRest } = asObject(inside) ?? {};
  const { reasoning_tokens: thought, ...completionRest } = asObject(outside) ?? {};
  const input = count(prompt);
  const read =
    count(cached) ??
    // DeepSeek; Together and Moonshot; Mistral; services in front of Claude.
    count(rest['prompt_cache_hit_tokens']) ??
    count(rest['cached_tokens']) ??
    count(rest['num_cached_tokens']) ??
    count(rest['cache_read_input_tokens']);
  // Azure's Grok counts a text of its own as cached, but not as input.
  const cacheRead = read !== undefined && input !== undefined ? Math.min(read, input) : read;
  const cacheWrite = count(written) ?? count(rest['cache_creation_input_tokens']);
  const spent = outputOf(input, count(completion), count(total), count(thought), hiddenThoughts);
  const own = said({
    ...rest,
    ...(!isEmpty(said(promptRest)) && { prompt_tokens_details: said(promptRest) }),
    ...(!isEmpty(said(completionRest)) && { completion_tokens_details: said(completionRest) }),
  });
  return {
    ...(input !== undefined && { input }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...spent,
    ...(!isEmpty(own) && { own: { format: 'chat-completions', fields: own } }),
  };
}

/** Usage as chat-completions tells it; what other vendors count beyond it stands beside it under their own names. */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead, cacheWrite, reasoning } = usage;
  const own = usage.own?.fields ?? {};
  const details = usage.own?.format === 'chat-completions' ? own : {};
  const prompt = {
    ...asObject(details['prompt_tokens_details']),
    ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
    ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
  };
  const completion = {
    ...asObject(details['completion_tokens_details']),
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
  };
  return {
    ...own,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(!isEmpty(prompt) && { prompt_tokens_details: prompt }),
    ...(!isEmpty(completion) && { completion_tokens_details: completion }),
  };
}

/** Whether anything is known: a usage of zeros nobody counted would be a lie. */
export function isKnown(usage: Usage): boolean {
  return usage.input !== undefined || usage.output !== undefined;
}

function outputOf(
  input: number | undefined,
  completion: number | undefined,
  total: number | undefined,
  reasoning: number | undefined,
  hiddenThoughts: boolean,
): { readonly output?: number; readonly reasoning?: number } {
  if (completion === undefined) return reasoning === undefined ? {} : { output: reasoning, reasoning };
  if (reasoning !== undefined) {
    const apart =
      reasoning > completion || (reasoning > 0 && total === (input ?? 0) + completion + reasoning);
    return { output: apart ? completion + reasoning : completion, reasoning };
  }
  const hidden =
    hiddenThoughts && total !== undefined && input !== undefined ? total - input - completion : 0;
  return hidden > 0 ? { output: completion + hidden, reasoning: hidden } : { output: completion };
}

function count(value: JsonObject[string]): number | undefined {
  const number = asNumber(value);
  return number === undefined ? undefined : Math.max(0, Math.trunc(number));
}
