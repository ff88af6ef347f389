/** Which of several upstreams is asked next: the least busy one for its weight. */

export interface Pickable {
  readonly weight: number;
  /** Exchanges that are not over. */
  readonly inFlight: number;
}

/**
 * The least busy of those that `fits` lets through. Of equals, the first after `from`, so that they take turns.
 * @returns its index, or -1 where there is none.
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
