/**
 * `usage`. Anthropic's `input_tokens` excludes what was read from the cache and written to it. The reply's `input` includes
 * both. Thinking is part of the output tokens in either.
 */

import { findFormatFields, withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { Usage } from '../../../conversation/reply.ts';
import {
  addTokens,
  boundParts,
  findNamedTiers,
  parseCount,
  type Tier,
  type Tokens,
  toUsage,
  type UsageReader,
} from '../../../conversation/tokens.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isEmpty, otherFields, withoutNulls } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { parseCost } from '../../reported-cost.ts';
import { renderUsedTier } from './service-tier.ts';

/** Reads what an answer consumed, from the figures of its events. */
export const usageReader: UsageReader = {
  field: 'usage',
  tokens: (figures) => sumIterations(figures.reduce(mergeFigures, {})),
  tiers: (figures) => findTiers(figures.reduce(mergeFigures, {})),
  dollars: parseCost,
  text: { within: 'delta', fields: ['text', 'thinking', 'partial_json'] },
  beginsWithInput: true,
};

/** `service_tier` has no influence on the price: `priority` is paid for in advance ("Service tiers"). */
function findTiers({ speed, inference_geo }: JsonObject): readonly Tier[] {
  return findNamedTiers(asText(speed), asText(inference_geo));
}

/**
 * Iterations that are billed in addition to what the usage counts (SDK, BetaIterationsUsage; "Advisor tool", usage and
 * billing): a compaction and an advisor each read the whole conversation once more.
 */
const BILLED_ITERATIONS: ReadonlySet<string | undefined> = new Set(['compaction', 'advisor_message']);

/**
 * Adds up all that is billed for an answer. An advisor is another model. Its tokens count at the prices of the requested
 * one.
 */
function sumIterations(figures: JsonObject): Tokens {
  return asObjects(figures['iterations'])
    .filter(({ type }) => BILLED_ITERATIONS.has(asText(type)))
    .map(parseTokens)
    .reduce(addTokens, parseTokens(figures));
}

/**
 * Merges two reports of usage. Each later figure replaces the earlier one, unless it is null or 0: the figures are those
 * of the whole answer so far ("Streaming messages"), and some services count the input at the start alone. Kimi and Qwen
 * count all input at the start, and at the end say how much of it was cached (maximhq/bifrost#5510): what is left of the
 * input may be 0 then. Figures beside `iterations` are final, zeros too: the start of an answer that begins with a
 * compaction counts what the compaction reads, and the end only what the answer has read after it.
 */
export function mergeFigures(earlier: JsonObject, later: JsonObject): JsonObject {
  if (isEmpty(earlier)) return withoutNulls(later);
  if (asObjects(later['iterations']).length > 0) return { ...earlier, ...withoutNulls(later) };
  const isSplitLater = countCached(later) > countCached(earlier);
  const news = Object.entries(withoutNulls(later)).filter(
    ([name, value]) =>
      value !== 0 || earlier[name] === undefined || (isSplitLater && name === 'input_tokens'),
  );
  return { ...earlier, ...Object.fromEntries(news) };
}

/** How much of the input a report says was read from the cache or written to it. */
function countCached(figures: JsonObject): number {
  const { cacheRead = 0, cacheWrite = 0 } = parseTokens(figures);
  return cacheRead + cacheWrite;
}

function parseTokens(figures: JsonObject): Tokens {
  const creation = asObject(figures['cache_creation']);
  const uncached = parseCount(figures['input_tokens']);
  const cacheRead = parseCount(figures['cache_read_input_tokens']);
  const hour = parseCount(creation?.['ephemeral_1h_input_tokens']);
  const minutes = parseCount(creation?.['ephemeral_5m_input_tokens']);
  const byLifetime = hour === undefined && minutes === undefined ? undefined : (hour ?? 0) + (minutes ?? 0);
  const cacheWrite = parseCount(figures['cache_creation_input_tokens']) ?? byLifetime;
  // A stream's start breaks down by lifetime what it wrote. What Anthropic's own tools add later is only in the sum.
  const cacheWriteHour = hour && byLifetime && Math.round(hour * Math.max(1, (cacheWrite ?? 0) / byLifetime));
  return boundParts({
    input: uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
    cacheWriteHour,
    output: parseCount(figures['output_tokens']),
    reasoning: parseCount(asObject(figures['output_tokens_details'])?.['thinking_tokens']),
    searches: parseCount(asObject(figures['server_tool_use'])?.['web_search_requests']),
  });
}

/** The figures that a reply has too, in the report and in its objects; and the tier. */
const FIGURES = wordSet(`
  input_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation output_tokens
  output_tokens_details service_tier
`);
const LIFETIMES: ReadonlySet<string> = new Set(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']);
const DETAILS: ReadonlySet<string> = new Set(['thinking_tokens']);

/** Parses all figures of an answer, with the fields that only Anthropic has. The tier is a field of the reply itself. */
export function parseUsage(figures: JsonObject): Usage {
  const lifetimes = otherFields(asObject(figures['cache_creation']) ?? {}, LIFETIMES);
  const details = otherFields(asObject(figures['output_tokens_details']) ?? {}, DETAILS);
  return {
    ...toUsage(parseTokens(figures)),
    ...withFormatSpecific('messages', {
      ...otherFields(figures, FIGURES),
      ...(!isEmpty(lifetimes) && { cache_creation: lifetimes }),
      ...(!isEmpty(details) && { output_tokens_details: details }),
    }),
  };
}

/**
 * Renders the usage of an answer with all fields that Anthropic's document requires, in the last event of a stream too.
 * Unknown figures are 0, so that clients can add them up. The three input figures always add up to the whole input, even if
 * a vendor reports more cached tokens than input tokens.
 * @param tier the tier that served the answer, if it is known.
 */
export function renderUsage(usage: Usage, tier: string | undefined): JsonObject {
  // A vendor that names no lifetime keeps what it caches for minutes.
  const { input = 0, output = 0, cacheWriteHour = 0, reasoning, formatSpecific } = usage;
  const cacheRead = Math.min(input, usage.cacheRead ?? 0);
  const cacheWrite = Math.min(input - cacheRead, usage.cacheWrite ?? 0);
  const fields = findFormatFields(formatSpecific, 'messages');
  const details = { ...asObject(fields['output_tokens_details']), thinking_tokens: reasoning ?? 0 };
  return {
    inference_geo: null,
    server_tool_use: null,
    speed: null,
    ...fields,
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ...asObject(fields['cache_creation']),
      ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWriteHour),
      ephemeral_1h_input_tokens: cacheWriteHour,
    },
    output_tokens: output,
    output_tokens_details: reasoning === undefined ? null : details,
    service_tier: renderUsedTier(tier),
  };
}
