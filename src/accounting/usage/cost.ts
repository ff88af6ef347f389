/** What an exchange cost, by the catalog's prices or as its vendor says. */

import type { Model } from '../../catalog/model.ts';
import type { Tier, Tokens } from '../../conversation/tokens.ts';

/** No vendor's figure is larger: what is, was miscounted. */
export const MAX_TOKENS = 1e9;

/** No answer costs as much. */
const MAX_DOLLARS = 10_000;

/** Whether figures can be true. */
export function isSane({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
  cacheWriteHour = 0,
  searches = 0,
}: Tokens): boolean {
  return [input, output, cacheRead, cacheWrite, cacheWriteHour, searches].every(isCount);
}

function isCount(count: number): boolean {
  return count >= 0 && count <= MAX_TOKENS;
}

/**
 * US dollars of a usage at `prices` (dollars per million tokens); undefined where the vendor told no usage, or one
 * that cannot be, for what nobody counted is not free. A cache without a price of its own is input like any other.
 * @param tiers how the answer was served.
 */
export function costOf(
  usage: Tokens,
  prices: Model['prices'],
  tiers: readonly Tier[] = [],
): number | undefined {
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0, searches = 0 } = usage;
  if (input === undefined && output === undefined) return undefined;
  if (!isSane(usage)) return undefined;
  const { long } = prices;
  const rates = long !== undefined && (input ?? 0) > long.above ? long : prices;
  const { cacheRead: read = rates.input, cacheWrite: write = rates.input } = rates;
  const { cacheWriteHour: hour = write } = rates;
  const plain = Math.max(0, (input ?? 0) - cacheRead - cacheWrite);
  const perMillion =
    plain * rates.input +
    cacheRead * read +
    Math.max(0, cacheWrite - cacheWriteHour) * write +
    cacheWriteHour * hour +
    (output ?? 0) * rates.output;
  const multiple = tiers.reduce((product, tier) => product * (prices.tiers?.[tier] ?? 1), 1);
  return (multiple * perMillion) / 1e6 + (searches * (prices.searches ?? 0)) / 1e3;
}

/** Dollars that a vendor says; undefined where they cannot be: what is told as nothing is not known, and none is a fortune. */
export function saneDollars(dollars: number | undefined): number | undefined {
  return dollars !== undefined && dollars > 0 && dollars < MAX_DOLLARS ? dollars : undefined;
}
