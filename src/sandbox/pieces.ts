/** Text as a model streams it, and what it counts for. */

/** Words with the space before them, long ones in pieces: never half a character, and joined the text again. */
export function inPieces(text: string): readonly string[] {
  return text.match(/\s*\S{1,9}|\s+$/gu) ?? [];
}

/** JSON text in small pieces that respect nothing of its grammar, as vendors cut it. */
export function inJsonPieces(text: string): readonly string[] {
  return text.match(/.{1,6}/gsu) ?? [];
}

/** Tokens of a text of `length` UTF-16 units, by the rule of thumb of four to a token. */
export function tokensOf(length: number): number {
  return Math.ceil(length / 4);
}
