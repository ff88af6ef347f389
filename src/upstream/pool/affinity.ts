/**
 * Which of several upstreams a session stays with, so that its prompts are cached there and its encrypted reasoning
 * returns to the account that can read it. A hash alone decides: all processes agree, and none has to remember
 * anything.
 */

import { hash } from 'node:crypto';
import { type Pickable, shareOfEach } from './pick.ts';

export interface Placed extends Pickable {
  /** Identifies the upstream, alike in every process. */
  readonly place: string;
}

/**
 * How many times its share of exchanges an upstream may have because of sessions, and how many exchanges are never too
 * many.
 */
const MAX_SHARE = 1.5;
const FEW = 8;

/**
 * Finds the upstream of a session, among those that `fits` accepts and that are not crowded (Mirrokni, Thorup and
 * Zadimoghaddam, "Consistent Hashing with Bounded Loads"). If one is gone, its sessions go to all others and no other
 * session moves; each has as many as its weight says (weighted rendezvous hashing: Schindelhauer and Schomaker,
 * "Weighted Distributed Hash Tables").
 * @returns undefined if none fits, or all that do are crowded.
 */
export function chooseHome<T extends Placed>(
  all: readonly T[],
  session: string,
  fits: (one: T) => boolean,
): T | undefined {
  const share = shareOfEach(all);
  let home: T | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const one of all) {
    if (!fits(one) || (one.inFlight >= FEW && one.inFlight + 1 > MAX_SHARE * share * one.weight)) continue;
    const score = -one.weight / Math.log(hashToFraction(`${one.place}\n${session}`));
    if (score <= highest) continue;
    highest = score;
    home = one;
  }
  return home;
}

/** A number between 0 and 1, both exclusive, that is evenly distributed over texts and always the same for one. */
function hashToFraction(text: string): number {
  return (hash('sha256', text, 'buffer').readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
