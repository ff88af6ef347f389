/** Notes on figures of a configuration that seem to be in another gateway's unit: seconds, and dollars for one token. */

import type { Config } from '../config/schema.ts';

/** The times that a model needs; the others may well be short. */
const TIMES = ['firstByte', 'idle', 'quiet', 'total'] as const;

/** Milliseconds in which hardly any model answers. As seconds they are twenty minutes. */
const SHORT = 1_200;

/** Dollars per million tokens. The cheapest models cost some hundredths; the dearest cost 0.001 dollars for one token. */
const CHEAP = 0.001;

/** A sentence for each time and each price that is hardly meant. */
export function findUnitNotes({ timeouts, models }: Config): readonly string[] {
  return [
    ...TIMES.filter((name) => timeouts[name] <= SHORT).map(
      (name) =>
        `timeouts.${name} is ${timeouts[name]} milliseconds. For ${timeouts[name]} seconds, write ${timeouts[name] * 1_000}.`,
    ),
    ...models
      .filter(({ prices }) => [prices.input, prices.output].some((price) => price > 0 && price < CHEAP))
      .map(
        ({ id }) =>
          `The prices of ${id} are in dollars per million tokens, and so low that they may be meant for one token.`,
      ),
  ];
}
