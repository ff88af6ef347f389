/** Text in the pieces that a model streams, and its tokens. */

/** Words with the space before them, long words in pieces. No character is halved, and joined they are the text. */
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
