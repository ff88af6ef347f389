/**
 * `usage`. Anthropic's `input_tokens` leaves out what was read from the cache and written to it; neutrally both are
 * inside. Thinking is inside `output_tokens` in both.
 */

import { formatFields, formatSpecificOf } from '../../../conversation/format-specific.ts';
import type { Usage } from '../../../conversation/reply.ts';
import {
  addTokens,
  countOf,
  type Tier,
  type Tokens,
  tiersNamed,
  type UsageReader,
  usageOf,
} from '../../../conversation/tokens.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isEmpty, withoutNulls } from '../../../lib/json.ts';
import { FORMAT } from './wire.ts';

export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => withIterations(figures.reduce(mergeFigures, {})),
  tiers: (figures) => servedBy(figures.reduce(mergeFigures, {})),
  text: { within: 'delta', fields: ['text', 'thinking', 'partial_json'] },
  beginsWithInput: true,
};

/** Its `service_tier` is no matter of price: `priority` is paid for in advance (Service tiers). */
function servedBy({ speed, inference_geo }: JsonObject): readonly Tier[] {
  return tiersNamed(asText(speed), asText(inference_geo));
}

/**
 * Iterations that are billed beside what the usage counts (SDK, BetaIterationsUsage; Advisor tool, usage and billing):
 * a compaction reads the whole dialogue once more, an advisor reads it too.
 */
const BESIDE: ReadonlySet<string | undefined> = new Set(['compaction', 'advisor_message']);

/** All that is billed of an answer. An advisor is another model: its tokens count, at the prices of the one asked. */
function withIterations(figures: JsonObject): Tokens {
  return asObjects(figures['iterations'])
    .filter(({ type }) => BESIDE.has(asText(type)))
    .map(parseTokens)
    .reduce(addTokens, parseTokens(figures));
}

/** Figures as told so far: later ones replace earlier ones, one by one, and null tells nothing. */
export function mergeFigures(earlier: JsonObject, later: JsonObject): JsonObject {
  return { ...earlier, ...withoutNulls(later) };
}

/** What all figures of an answer count. */
function parseTokens(figures: JsonObject): Tokens {
  const creation = asObject(figures['cache_creation']);
  const uncached = countOf(figures['input_tokens']);
  const cacheRead = countOf(figures['cache_read_input_tokens']);
  const hour = countOf(creation?.['ephemeral_1h_input_tokens']);
  const minutes = countOf(creation?.['ephemeral_5m_input_tokens']);
  const byPlace = hour === undefined && minutes === undefined ? undefined : (hour ?? 0) + (minutes ?? 0);
  const cacheWrite = countOf(figures['cache_creation_input_tokens']) ?? byPlace;
  // A stream tells by place what its beginning wrote; what Anthropic's own tools add to it is in the sum alone.
  const cacheWriteHour = hour && byPlace && Math.round(hour * Math.max(1, (cacheWrite ?? 0) / byPlace));
  return {
    input: uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
    cacheWriteHour,
    output: countOf(figures['output_tokens']),
    reasoning: countOf(asObject(figures['output_tokens_details'])?.['thinking_tokens']),
    searches: countOf(asObject(figures['server_tool_use'])?.['web_search_requests']),
  };
}

/** All figures of an answer with what else they say; the tier is the answer's own, not its usage's. */
export function parseUsage(figures: JsonObject): Usage {
  const {
    input_tokens: _input,
    cache_read_input_tokens: _read,
    cache_creation_input_tokens: _written,
    cache_creation,
    output_tokens: _output,
    output_tokens_details,
    service_tier: _tier,
    ...rest
  } = figures;
  const {
    ephemeral_5m_input_tokens: _minutes,
    ephemeral_1h_input_tokens: _hour,
    ...places
  } = asObject(cache_creation) ?? {};
  const { thinking_tokens: _thinking, ...details } = asObject(output_tokens_details) ?? {};
  return {
    ...usageOf(parseTokens(figures)),
    ...formatSpecificOf(FORMAT, {
      ...rest,
      ...(!isEmpty(places) && { cache_creation: places }),
      ...(!isEmpty(details) && { output_tokens_details: details }),
    }),
  };
}

/**
 * Anthropic's figures. What is not known is 0, which clients can add up; and they do add up to all input, so a vendor
 * that counts more in its cache than it read is not followed there.
 */
export function renderUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheWriteHour, reasoning, formatSpecific: own } = usage;
  const cacheRead = Math.min(input, usage.cacheRead ?? 0);
  const cacheWrite = Math.min(input - cacheRead, usage.cacheWrite ?? 0);
  const fields = formatFields(own, FORMAT);
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
