/** Which parts of a whole item are those whose pieces came before, although services count them differently. */

import { asText, type JsonObject } from '../../../lib/json.ts';

/** How much of the text of parts came, in UTF-16 code units, by the numbers of the parts in their events. */
type SeenParts = ReadonlyMap<number, { readonly length: number }>;

/**
 * @param seen the parts of which pieces came
 * @param list the parts of the whole item
 * @returns the number of the part at an index of the list
 */
export function matchParts(seen: SeenParts, list: readonly JsonObject[]): (index: number) => number {
  if (seen.size === 0) return (index) => index;
  const shift = findShift(seen, list.length);
  const fits = [...seen].every(([number, { length }]) => length <= getLength(list[number - shift]));
  if (fits) return (index) => index + shift;
  // The item has blank parts that the events did not count, or the other way round: those with a text come in one order.
  const numbers = [...seen]
    .flatMap(([number, { length }]) => (length > 0 ? [number] : []))
    .sort((a, b) => a - b);
  const matched = new Map<number, number>();
  for (const [index, part] of list.entries()) {
    const number = getLength(part) > 0 ? numbers[matched.size] : undefined;
    if (number !== undefined) matched.set(index, number);
  }
  const next = (numbers.at(-1) ?? -1) + 1;
  return (index) => matched.get(index) ?? next + index;
}

/** By how much the indexes in the events exceed those in the item: Bedrock counts on from the item before. */
function findShift(seen: SeenParts, length: number): number {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, -1];
  for (const number of seen.keys()) {
    lowest = Math.min(lowest, number);
    highest = Math.max(highest, number);
  }
  return highest >= length ? lowest : 0;
}

function getLength({ text, refusal }: JsonObject = {}): number {
  return (asText(text) ?? asText(refusal) ?? '').length;
}
