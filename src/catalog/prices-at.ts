/** What a model costs at a given time. For some models the day of a later price is known. */

import type { Model } from './model.ts';

/**
 * The prices at a time.
 * @param time milliseconds since 1970.
 * @returns an object of the catalog itself, never a copy.
 */
export function findPrices(prices: Model['prices'], time: number): Model['prices'] {
  let now = prices;
  while (now.later !== undefined && time >= Date.parse(now.later.from)) now = now.later.prices;
  return now;
}
