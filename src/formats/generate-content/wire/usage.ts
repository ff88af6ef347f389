/**
 * `usageMetadata`. Gemini counts thoughts apart from the answer, and what its tools read apart from the prompt; the
 * neutral figures include both. Gemini leaves out a figure of 0.
 */

import { findFormatFields, withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { MediaTokens, Usage } from '../../../conversation/reply.ts';
import {
  boundParts,
  findNamedTiers,
  laterUsage,
  parseCount,
  type Tier,
  type Tokens,
  toUsage,
  type UsageReader,
  withMedia,
} from '../../../conversation/tokens.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asNumber, asObjects, asText, compact, otherFields } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { renderUsedTier } from './service-tier.ts';

/** Reads what an answer took from its `usageMetadata`. */
export const usageReader: UsageReader = {
  field: 'usageMetadata',
  tokens: (figures) => parseTokens(figures.reduce(laterFigures, {})) ?? {},
  tiers: (figures) => parseTiers(figures.at(-1) ?? {}),
  text: { within: 'parts', fields: ['text'] },
};

/** The tier in the figures. Vertex AI has words of its own for it: `ON_DEMAND_FLEX`, `ON_DEMAND_PRIORITY`. */
function parseTiers({ serviceTier, trafficType }: JsonObject): readonly Tier[] {
  const onDemand = /^ON_DEMAND_(\w+)$/.exec(asText(trafficType) ?? '')?.[1];
  return findNamedTiers((asText(serviceTier) ?? onDemand)?.toLowerCase());
}

/**
 * The figures so far. The last ones replace all others, but a chunk without figures for the answer keeps the earlier
 * ones.
 */
export function laterFigures(earlier: JsonObject, later: JsonObject): JsonObject {
  if (laterUsage(earlier, later) === earlier) return earlier;
  if ('candidatesTokenCount' in later || 'thoughtsTokenCount' in later) return later;
  const { candidatesTokenCount, thoughtsTokenCount } = earlier;
  return { ...later, ...compact({ candidatesTokenCount, thoughtsTokenCount }) };
}

/** The counts in the metadata of a chunk; undefined if it has none yet. */
function parseTokens(value: JsonObject): Tokens | undefined {
  const prompt = parseCount(value['promptTokenCount']);
  const answer = parseCount(value['candidatesTokenCount']);
  if (prompt === undefined && answer === undefined && parseCount(value['totalTokenCount']) === undefined)
    return undefined;
  const reasoning = parseCount(value['thoughtsTokenCount']);
  return boundParts({
    input: (prompt ?? 0) + (parseCount(value['toolUsePromptTokenCount']) ?? 0),
    cacheRead: parseCount(value['cachedContentTokenCount']),
    output: (answer ?? 0) + (reasoning ?? 0),
    reasoning,
  });
}

/** The figures that a reply has too. */
const FIGURES = wordSet(`
  promptTokenCount candidatesTokenCount totalTokenCount cachedContentTokenCount thoughtsTokenCount
`);

/** The tokens of a medium in the counts by modality (ModalityTokenCount); undefined if those do not name it. */
function countMedium(details: Json | undefined, kind: keyof MediaTokens): Json | undefined {
  return asObjects(details).find(({ modality }) => modality === kind.toUpperCase())?.['tokenCount'];
}

/** The tokens of media as counts by modality. What the other tokens stand for is not known. */
function renderDetails(tokens: MediaTokens | undefined): readonly JsonObject[] | undefined {
  return (
    tokens &&
    Object.entries(tokens).map(([kind, tokenCount]) => ({ modality: kind.toUpperCase(), tokenCount }))
  );
}

/** The usage in the metadata of a chunk, with Google's further fields; undefined if it has no figures yet. */
export function parseUsage(value: JsonObject): Usage | undefined {
  const tokens = parseTokens(value);
  if (tokens === undefined) return undefined;
  return {
    ...toUsage(tokens),
    ...withMedia(
      (kind) => countMedium(value['promptTokensDetails'], kind),
      (kind) => countMedium(value['candidatesTokensDetails'], kind),
    ),
    ...withFormatSpecific('generate-content', otherFields(value, FIGURES)),
  };
}

/** The usage as `usageMetadata`, with the tier that Gemini names in it; undefined if no figure is known. */
export function renderUsage(usage: Usage, tier?: string): JsonObject | undefined {
  const { input, output, cacheRead, reasoning, inputMedia, outputMedia, formatSpecific: own } = usage;
  if (input === undefined && output === undefined) return undefined;
  const fields = findFormatFields(own, 'generate-content');
  const byTools = asNumber(fields['toolUsePromptTokenCount']) ?? 0;
  const prompt = Math.max(0, (input ?? 0) - byTools);
  const answer = Math.max(0, (output ?? 0) - (reasoning ?? 0));
  const figures = {
    promptTokenCount: prompt,
    ...(answer > 0 && { candidatesTokenCount: answer }),
    ...(cacheRead !== undefined && cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning !== undefined && reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: (input ?? 0) + (output ?? 0),
  };
  const details = {
    promptTokensDetails: renderDetails(inputMedia),
    candidatesTokensDetails: renderDetails(outputMedia),
  };
  return {
    ...(tier && { serviceTier: renderUsedTier(tier) }),
    ...compact(details),
    ...fields,
    ...figures,
  };
}
