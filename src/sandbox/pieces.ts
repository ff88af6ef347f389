/** Splits a text into the pieces that a model streams, and counts its tokens. */

/**
 * @returns words with the space before them, long words in pieces. No character is cut in half, and joined they are the
 *   text.
 */
export function inPieces(text: string): readonly string[] {
  return text.match(/\s*\S{1,9}|\s+$/gu) ?? [];
}

/** @returns JSON text in small pieces that ignore its grammar, as vendors cut it */
export function inJsonPieces(text: string): readonly string[] {
  return text.match(/.{1,6}/gsu) ?? [];
}

/**
 * @param length in UTF-16 units
 * @returns the tokens of a text of that length, by the rule of thumb of four units to a token
 */
export function estimateTokens(length: number): number {
  return Math.ceil(length / 4);
}
