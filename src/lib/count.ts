/** Numbers with the nouns that they count. */

/** `1 request`, `2 requests`. @param noun in the singular; its plural ends in `s`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
