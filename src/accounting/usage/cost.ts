/** The cost of an exchange, by the catalog's prices or as its vendor reports it. */

import type { Model } from '../../catalog/model.ts';
import type { Tier, Tokens } from '../../conversation/tokens.ts';

/** No true figure of a vendor is larger. */
export const MAX_TOKENS = 1e9;

/** No answer costs as much. */
const MAX_DOLLARS = 10_000;

/** Whether all figures of a usage are plausible. */
export function isSane({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
  cacheWriteHour = 0,
  searches = 0,
}: Tokens): boolean {
  return (
    isCount(input) &&
    isCount(output) &&
    isCount(cacheRead) &&
    isCount(cacheWrite) &&
    isCount(cacheWriteHour) &&
    isCount(searches)
  );
}

function isCount(count: number): boolean {
  return count >= 0 && count <= MAX_TOKENS;
}

/**
 * The cost of a usage in US dollars, at `prices` (dollars per million tokens). Undefined if the vendor reported no
 * usage, or an implausible one, because what nobody counted is not free. Cached tokens without a price of their own
 * cost as much as other input.
 * @param tiers how the answer was served.
 */
export function computeCost(
  usage: Tokens,
  prices: Model['prices'],
  tiers: readonly Tier[] = [],
): number | undefined {
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0, searches = 0 } = usage;
  if (input === undefined && output === undefined) return undefined;
  if (!isSane(usage)) return undefined;
  const rates = ratesFor(prices, input ?? 0);
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

/** What a million tokens cost. */
type Rates = Pick<Model['prices'], 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWriteHour'>;

/** The prices of a request with so many input tokens: those of a long prompt, if it is one. */
export function ratesFor(prices: Model['prices'], tokens: number): Rates {
  const { long } = prices;
  return long !== undefined && tokens > long.above ? long : prices;
}

/** A cost in US dollars that a vendor reports; undefined if it is implausible. A reported zero means unknown. */
export function saneDollars(dollars: number | undefined): number | undefined {
  return dollars !== undefined && dollars > 0 && dollars < MAX_DOLLARS ? dollars : undefined;
}
