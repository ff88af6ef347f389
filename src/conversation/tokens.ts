/** What an answer took, in tokens. */

import { asNumber, type Json, type JsonObject } from '../lib/json.ts';
import type { MediaTokens, Usage } from './reply.ts';

/** What a usage has besides the figures that are recorded and billed. */
type Unbilled = 'inputMedia' | 'outputMedia' | 'formatSpecific';

/** The figures as the vendor reported them; undefined for those that it did not report. */
export type Tokens = { readonly [figure in Exclude<keyof Usage, Unbilled>]?: number | undefined } & {
  /** Web searches that are billed by their number. */
  readonly searches?: number | undefined;
};

/**
 * Tiers with a price of their own: at a time of the vendor's choice (`flex`), before others (`fast`, also called
 * `priority`, and `ultrafast`), and in one region only (`us`).
 */
export const TIERS = ['flex', 'fast', 'ultrafast', 'us'] as const;

export type Tier = (typeof TIERS)[number];

/** The fields by which a request asks for a tier: of OpenAI, of Google (in either spelling), and two of Anthropic. */
export const TIER_FIELDS = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const;

/** The fields in which answers tell their usage. */
export type UsageField = 'usage' | 'usageMetadata';

/** How a format reports the tokens of an answer. */
export interface UsageReader {
  /** The field in which an answer reports its usage. */
  readonly field: UsageField;
  /**
   * The figures in the usage objects of one answer: its first and its last, if they differ.
   * @param model the model as the vendor calls it; '' if that is not known.
   */
  tokens(figures: readonly JsonObject[], model: string): Tokens;
  /** The tiers it was served in, by the same objects. @param beside finds the `service_tier` beside them, at a cost. */
  tiers(figures: readonly JsonObject[], beside: () => string | undefined): readonly Tier[];
  /** What the vendor says it charged, in US dollars; undefined if it does not tell. */
  dollars?(figures: readonly JsonObject[]): number | undefined;
  /** The fields of a stream's events that hold text of the answer, and the field around the first of them. */
  readonly text: { readonly within: string; readonly fields: readonly string[] };
  /** Whether a stream's first figures count only its input, and no output yet (Anthropic). */
  readonly beginsWithInput?: boolean;
}

const BY_WORD: ReadonlyMap<string | undefined, Tier> = new Map([
  ['flex', 'flex'],
  ['fast', 'fast'],
  ['priority', 'fast'],
  ['ultrafast', 'ultrafast'],
  ['us', 'us'],
]);

/** The tiers that vendors' words mean. Most words mean none. */
export function findNamedTiers(...words: readonly (string | undefined)[]): readonly Tier[] {
  return words.map((word) => BY_WORD.get(word)).filter((tier) => tier !== undefined);
}

/** A vendor's figure as a whole number of at least 0; undefined if it is not a number. */
export function parseCount(value: Json | undefined): number | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : Math.max(0, Math.trunc(tokens));
}

/**
 * The usage that counts of two: the later one, unless it has nothing but zeros. Some services tell the figures, and end
 * their stream with a usage of zeros. A count never falls.
 */
export function laterUsage(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  return earlier === undefined || hasCounts(later) ? later : earlier;
}

function hasCounts(usage: JsonObject): boolean {
  for (const name in usage) if ((asNumber(usage[name]) ?? 0) > 0) return true;
  return false;
}

/** The usage that counts of those that an answer reports. */
export function lastUsage(figures: readonly JsonObject[]): JsonObject {
  return figures.reduce<JsonObject | undefined>(laterUsage, undefined) ?? {};
}

/**
 * Bounds each figure by the one that includes it: what was cached by the input, and thoughts by the output. Some services
 * count a text of their own as cached, but not as input (Grok at Azure), and clients subtract one from the other.
 */
export function boundParts(tokens: Tokens): Tokens {
  const { input, output } = tokens;
  const cacheRead = atMost(tokens.cacheRead, input);
  const cacheWrite = atMost(tokens.cacheWrite, input && input - (cacheRead ?? 0));
  const cacheWriteHour = atMost(tokens.cacheWriteHour, cacheWrite);
  return { ...tokens, cacheRead, cacheWrite, cacheWriteHour, reasoning: atMost(tokens.reasoning, output) };
}

/** A figure, and not more than another one if both are known. */
function atMost(tokens: number | undefined, most: number | undefined): number | undefined {
  return tokens === undefined || most === undefined ? tokens : Math.min(tokens, most);
}

/** The kinds of media whose tokens a usage counts separately. */
const MEDIA_KINDS = ['audio', 'image', 'video'] as const satisfies readonly (keyof MediaTokens)[];

/**
 * The tokens of media in a usage. A count of 0 is left out.
 * @param input the vendor's own count of a kind in the input, and `output` that in the output.
 */
export function withMedia(
  input: (kind: keyof MediaTokens) => Json | undefined,
  output: (kind: keyof MediaTokens) => Json | undefined,
): Pick<Usage, 'inputMedia' | 'outputMedia'> {
  const inputMedia = countMedia(input);
  const outputMedia = countMedia(output);
  return { ...(inputMedia && { inputMedia }), ...(outputMedia && { outputMedia }) };
}

function countMedia(count: (kind: keyof MediaTokens) => Json | undefined): MediaTokens | undefined {
  const counts = MEDIA_KINDS.map((kind) => [kind, parseCount(count(kind))] as const);
  const some = counts.filter(([, tokens]) => tokens);
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

/** The sum of both; a figure that only one of them has is taken from that one. */
export function addTokens(one: Tokens, other: Tokens): Tokens {
  const sum = (figure: keyof Tokens): number | undefined =>
    one[figure] === undefined && other[figure] === undefined
      ? undefined
      : (one[figure] ?? 0) + (other[figure] ?? 0);
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
    cacheWriteHour: sum('cacheWriteHour'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    searches: sum('searches'),
  };
}

/** Input and output together; an unknown figure counts 0. */
export function sumTokens({ input = 0, output = 0 }: Tokens): number {
  return input + output;
}

/** Tokens as the usage of a reply, without the unknown figures. */
export function toUsage(tokens: Tokens): Usage {
  const { input, cacheRead, cacheWrite, cacheWriteHour, output, reasoning } = tokens;
  const usage: { -readonly [figure in keyof Usage]: Usage[figure] } = {};
  if (input !== undefined) usage.input = input;
  if (cacheRead !== undefined) usage.cacheRead = cacheRead;
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite;
  if (cacheWriteHour !== undefined) usage.cacheWriteHour = cacheWriteHour;
  if (output !== undefined) usage.output = output;
  if (reasoning !== undefined) usage.reasoning = reasoning;
  return usage;
}
