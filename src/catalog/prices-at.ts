/** What a model costs at a time: of some prices it is known on which day they rise. */

import type { Model, Rates } from './model.ts';

/** @param time milliseconds since 1970. @returns the prices as they are then. */
export function pricesAt(prices: Model['prices'], time: number): Model['prices'] {
  const { later, long, ...now } = prices;
  if (later === undefined || time < Date.parse(later.from)) return prices;
  return {
    ...now,
    ...raised(now, later.times),
    ...(long !== undefined && { long: { above: long.above, ...raised(long, later.times) } }),
  };
}

function raised({ input, output, cacheRead, cacheWrite, cacheWriteHour }: Rates, times: number): Rates {
  return {
    input: input * times,
    output: output * times,
    ...(cacheRead !== undefined && { cacheRead: cacheRead * times }),
    ...(cacheWrite !== undefined && { cacheWrite: cacheWrite * times }),
    ...(cacheWriteHour !== undefined && { cacheWriteHour: cacheWriteHour * times }),
  };
}
