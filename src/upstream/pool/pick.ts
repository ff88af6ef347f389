/** Which of several upstreams gets the next request: the least busy one for its weight, and among those each its share. */

export interface Pickable {
  readonly weight: number;
  readonly inFlight: number;
}

/** An upstream that gets its share of the requests also while none is busy. */
export interface Sharing extends Pickable {
  /** How far it is behind its share of the turns. At first 0; only `pick` changes it. */
  credit: number;
}

/**
 * Picks the least busy upstream that `fits` accepts. An upstream of three times the weight of the lightest is as busy
 * with three exchanges as that one is with one. So with few exchanges at a time several are equally busy. Those take
 * turns by weight, or a light one would get nothing as long as a heavy one keeps up.
 * @returns undefined if none fits.
 */
export function pick<T extends Sharing>(all: readonly T[], fits: (one: T) => boolean): T | undefined {
  const [first] = all;
  // Most vendors have one upstream, and each request asks.
  if (all.length === 1) return first !== undefined && fits(first) ? first : undefined;
  const lightest = all.reduce((least, { weight }) => Math.min(least, weight), Number.POSITIVE_INFINITY);
  let equals: T[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const one of all) {
    if (!fits(one)) continue;
    // In this order equal weights count exactly: 43 * 0.1 / 0.1 is less than 43.
    const load = Math.floor(one.inFlight * (lightest / one.weight));
    if (load > least) continue;
    if (load < least) equals = [];
    equals.push(one);
    least = load;
  }
  const share = shareOfEach(equals);
  return takeTurns(equals.filter(({ inFlight, weight }) => inFlight < share * weight));
}

/** The number of exchanges for each unit of weight if they were spread evenly, with one more. */
export function shareOfEach(all: readonly Pickable[]): number {
  let inFlight = 1;
  let weight = 0;
  for (const one of all) {
    inFlight += one.inFlight;
    weight += one.weight;
  }
  return inFlight / weight;
}

/** Gives the turn to the one that is furthest behind its share (nginx, "smooth weighted round-robin"). */
function takeTurns<T extends Sharing>(all: readonly T[]): T | undefined {
  let next: T | undefined;
  let sum = 0;
  for (const one of all) {
    one.credit += one.weight;
    sum += one.weight;
    if (next === undefined || one.credit > next.credit) next = one;
  }
  if (next !== undefined) next.credit -= sum;
  return next;
}
