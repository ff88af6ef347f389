/**
 * `usageMetadata`. Gemini counts thoughts beside the answer and what its tools read beside the prompt; neutrally
 * both are inside. A figure of 0 is left out on its wire.
 */

import type { Usage } from '../../conversation/reply.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber } from '../../json.ts';
import { FORMAT, type UsageMetadata } from './wire.ts';

/** The usage in a chunk; undefined where it tells no figures yet. */
export function parseUsage(value: JsonObject): Usage | undefined {
  const prompt = count(value['promptTokenCount']);
  const answer = count(value['candidatesTokenCount']);
  const total = count(value['totalTokenCount']);
  if (prompt === undefined && answer === undefined && total === undefined) return undefined;
  const cached = count(value['cachedContentTokenCount']);
  const thoughts = count(value['thoughtsTokenCount']);
  const {
    promptTokenCount: _prompt,
    candidatesTokenCount: _answer,
    totalTokenCount: _total,
    cachedContentTokenCount: _cached,
    thoughtsTokenCount: _thoughts,
    ...rest
  } = value;
  return {
    input: (prompt ?? 0) + (count(value['toolUsePromptTokenCount']) ?? 0),
    ...(cached !== undefined && { cacheRead: cached }),
    output: (answer ?? 0) + (thoughts ?? 0),
    ...(thoughts !== undefined && { reasoning: thoughts }),
    ...(Object.keys(rest).length > 0 && { own: { format: FORMAT, fields: rest } }),
  };
}

/** Gemini's figures, and the tier it names among them; undefined where nothing is known. */
export function renderUsage(usage: Usage, tier?: string): JsonObject | undefined {
  const { input, output, cacheRead, reasoning, own } = usage;
  if (input === undefined && output === undefined) return undefined;
  const fields = own?.format === FORMAT ? own.fields : undefined;
  const byTools = asNumber(fields?.['toolUsePromptTokenCount']) ?? 0;
  const prompt = Math.max(0, (input ?? 0) - byTools);
  const answer = Math.max(0, (output ?? 0) - (reasoning ?? 0));
  const figures = {
    promptTokenCount: prompt,
    ...(answer > 0 && { candidatesTokenCount: answer }),
    ...(cacheRead !== undefined && cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning !== undefined && reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: (input ?? 0) + (output ?? 0),
  } satisfies UsageMetadata & Record<string, Json>;
  return { ...(tier && { serviceTier: tier === 'default' ? 'standard' : tier }), ...fields, ...figures };
}

function count(value: Json | undefined): number | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : Math.max(0, tokens);
}
