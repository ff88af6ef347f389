/** What a model costs at a time: of some it is known from which day on it costs something else. */

import type { Model } from './model.ts';

/** @param time milliseconds since 1970. @returns the prices as they are then: no new ones, so that they can be told apart. */
export function pricesAt(prices: Model['prices'], time: number): Model['prices'] {
  let now = prices;
  while (now.later !== undefined && time >= Date.parse(now.later.from)) now = now.later.prices;
  return now;
}
