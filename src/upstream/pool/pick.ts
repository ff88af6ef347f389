/** Which of several upstreams gets the next request: the least busy one for its weight. */

export interface Pickable {
  readonly weight: number;
  /** The number of exchanges in flight. */
  readonly inFlight: number;
}

/**
 * Picks the least busy upstream that `fits` accepts. Among equals it is the first after index `from`, so that they take
 * turns.
 * @returns its index, or -1 if there is none.
 */
export function pick<T extends Pickable>(all: readonly T[], from: number, fits: (one: T) => boolean): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let step = 0; step < all.length; step += 1) {
    const index = (from + step) % all.length;
    const one = all[index];
    if (one === undefined || !fits(one)) continue;
    const load = (one.inFlight + 1) / one.weight;
    if (load >= least) continue;
    least = load;
    best = index;
  }
  return best;
}
