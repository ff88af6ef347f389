/** What an answer took, in tokens: the figures of its usage alone. */

import { asNumber, compact, type Json, type JsonObject } from '../lib/json.ts';
import type { Usage } from './reply.ts';

/** As the vendor told them; undefined where it said nothing. */
export type Tokens = { readonly [figure in Exclude<keyof Usage, 'formatSpecific'>]?: number | undefined } & {
  /** Web searches that are billed by their number. */
  readonly searches?: number | undefined;
};

/**
 * Ways to be served that are billed otherwise: when there is time for it (`flex`), before others (`fast`, also called
 * `priority`, and `ultrafast`), in one region only (`us`).
 */
export const TIERS = ['flex', 'fast', 'ultrafast', 'us'] as const;

export type Tier = (typeof TIERS)[number];

/** The fields in which answers tell their usage. */
export type UsageField = 'usage' | 'usageMetadata';

/** How a format tells what an answer took. */
export interface UsageReader {
  /** The field in which an answer tells its usage. */
  readonly field: UsageField;
  /** What usage objects of one answer tell: its first and its last, where they differ. */
  tokens(figures: readonly JsonObject[]): Tokens;
  /** How it was served, by the same figures or by the `service_tier` that stands beside them, looked for where asked. */
  tiers(figures: readonly JsonObject[], beside: () => string | undefined): readonly Tier[];
  /** US dollars that the vendor itself says it took; undefined where it says nothing. */
  dollars?(figures: readonly JsonObject[]): number | undefined;
  /** The fields of a stream's events that hold text of the answer, and what the first of them is within. */
  readonly text: { readonly within: string; readonly fields: readonly string[] };
  /** Whether a stream's first figures are those of its beginning, and count nothing yet of its output (Anthropic). */
  readonly beginsWithInput?: boolean;
}

const BY_WORD: ReadonlyMap<string | undefined, Tier> = new Map([
  ['flex', 'flex'],
  ['fast', 'fast'],
  ['priority', 'fast'],
  ['ultrafast', 'ultrafast'],
  ['us', 'us'],
]);

/** What vendors' words for how an answer was served mean for its price; most mean nothing. */
export function tiersNamed(...words: readonly (string | undefined)[]): readonly Tier[] {
  return words.map((word) => BY_WORD.get(word)).filter((tier) => tier !== undefined);
}

/** A vendor's figure as a whole number from 0 on; undefined where it is no number. */
export function countOf(value: Json | undefined): number | undefined {
  const tokens = asNumber(value);
  return tokens === undefined ? undefined : Math.max(0, Math.trunc(tokens));
}

/** Both together; a figure that only one of them tells is as that one tells it. */
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

/** Input and output together; what nobody told counts nothing. */
export function sumOf({ input = 0, output = 0 }: Tokens): number {
  return input + output;
}

/** Tokens as the usage of a reply, in which what nobody told is absent. */
export function usageOf({ searches: _, ...figures }: Tokens): Usage {
  return compact(figures);
}
