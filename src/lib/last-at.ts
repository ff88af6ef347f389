/**
 * The last of these places that begins at `at` or before it; undefined if all begin after it.
 * @param places in the order in which they begin.
 */
export function lastAt<T extends { readonly start: number }>(
  places: readonly T[],
  at: number,
): T | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? at) > at) high = middle;
    else low = middle + 1;
  }
  return places[low - 1];
}
