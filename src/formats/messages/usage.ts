/**
 * `usage`. Anthropic's `input_tokens` leaves out what was read from the cache and written to it; neutrally both are
 * inside. Thinking is inside `output_tokens` in both.
 */

import type { Usage } from '../../conversation/reply.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject } from '../../json.ts';
import { withoutNulls } from './finish.ts';
import { usedTier } from './service-tier.ts';
import { FORMAT, ownOf } from './wire.ts';

/** Figures as told so far: later ones replace earlier ones, one by one, and null tells nothing. */
export function mergeFigures(earlier: JsonObject, later: Json | undefined): JsonObject {
  return { ...earlier, ...withoutNulls(asObject(later) ?? {}) };
}

/** All figures of an answer by their meaning; the tier is the answer's own, not its usage's. */
export function parseUsage(figures: JsonObject): Usage {
  const {
    input_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens,
    cache_creation,
    output_tokens,
    output_tokens_details,
    service_tier: _,
    ...rest
  } = figures;
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens, ...places } = asObject(cache_creation) ?? {};
  const { thinking_tokens, ...details } = asObject(output_tokens_details) ?? {};
  const uncached = count(input_tokens);
  const cacheRead = count(cache_read_input_tokens);
  const hour = count(ephemeral_1h_input_tokens);
  const minutes = count(ephemeral_5m_input_tokens);
  const byPlace = hour === undefined && minutes === undefined ? undefined : (hour ?? 0) + (minutes ?? 0);
  const cacheWrite = count(cache_creation_input_tokens) ?? byPlace;
  const output = count(output_tokens);
  const reasoning = count(thinking_tokens);
  return {
    ...(uncached !== undefined && { input: uncached + (cacheRead ?? 0) + (cacheWrite ?? 0) }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(hour !== undefined && { cacheWriteHour: hour }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
    ...ownOf({
      ...rest,
      ...(Object.keys(places).length > 0 && { cache_creation: places }),
      ...(Object.keys(details).length > 0 && { output_tokens_details: details }),
    }),
  };
}

/**
 * Anthropic's figures. What is not known is 0, which clients can add up; and they do add up to all input, so a vendor
 * that counts more in its cache than it read is not followed there.
 */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheWriteHour, reasoning, own } = usage;
  const cacheRead = Math.min(input, usage.cacheRead ?? 0);
  const cacheWrite = Math.min(input - cacheRead, usage.cacheWrite ?? 0);
  const fields = own?.format === FORMAT ? own.fields : {};
  return {
    ...fields,
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    ...(cacheWriteHour !== undefined && {
      cache_creation: {
        ...asObject(fields['cache_creation']),
        ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWriteHour),
        ephemeral_1h_input_tokens: cacheWriteHour,
      },
    }),
    output_tokens: output,
    ...(reasoning !== undefined && {
      output_tokens_details: { ...asObject(fields['output_tokens_details']), thinking_tokens: reasoning },
    }),
  };
}

/** `{ service_tier }` as an answer's usage tells it, else nothing: to be spread. */
export function renderTier(tier: string | undefined): JsonObject {
  return tier === undefined ? {} : { service_tier: usedTier(tier) };
}

function count(value: Json | undefined): number | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : Math.max(0, tokens);
}
