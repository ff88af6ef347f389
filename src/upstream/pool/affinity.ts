/**
 * Which of several upstreams a session stays at, so that its prompts are cached where it asks next and its encrypted
 * thoughts come back to the account that can read them. Told by a hash alone: all processes say the same, and nobody
 * has to remember anything.
 */

import { hash } from 'node:crypto';
import type { Pickable } from './pick.ts';

export interface Placed extends Pickable {
  /** What tells it from all others, in every process. */
  readonly place: string;
}

/** How much more than its share one may be asked at a time on account of sessions, and how much is never too much. */
const MOST_OF_SHARE = 1.5;
const FEW = 8;

/**
 * The one that a session belongs to, of those that `fits` lets through and that are not crowded (Mirrokni, Thorup and
 * Zadimoghaddam, "Consistent Hashing with Bounded Loads"). Of one that is gone the sessions go to all others, and no
 * other session moves; each has as many as its weight says (weighted rendezvous hashing: Schindelhauer and Schomaker,
 * "Weighted Distributed Hash Tables").
 * @returns undefined where none fits, or all that do are crowded.
 */
export function homeOf<T extends Placed>(
  all: readonly T[],
  session: string,
  fits: (one: T) => boolean,
): T | undefined {
  const share = shareOf(all);
  let home: T | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const one of all) {
    if (!fits(one) || (one.inFlight >= FEW && one.inFlight + 1 > MOST_OF_SHARE * share * one.weight))
      continue;
    const score = -one.weight / Math.log(fractionOf(`${one.place}\n${session}`));
    if (score <= highest) continue;
    highest = score;
    home = one;
  }
  return home;
}

/** How many exchanges there would be for each unit of weight, with one more, if they were spread evenly. */
function shareOf(all: readonly Pickable[]): number {
  let inFlight = 1;
  let weight = 0;
  for (const one of all) {
    inFlight += one.inFlight;
    weight += one.weight;
  }
  return inFlight / weight;
}

/** A number between 0 and 1, neither of them, that is as good as any other for a text, and always the same. */
function fractionOf(text: string): number {
  return (hash('sha256', text, 'buffer').readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
