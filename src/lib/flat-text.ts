/**
 * Texts in one piece. V8 keeps what is joined of two texts, and what is cut from one, as a reference to them. One such
 * text anywhere in a value, and `JSON.stringify` takes two to three times as long for all of the value (Node 26: its fast
 * path takes no references). Array's `join` copies instead.
 */

/** V8 copies shorter texts by itself. */
const SHORTEST_REFERENCE = 13;

/** The same text, copied into one piece. For texts that are joined or cut, and are to be written as JSON. */
export function flat(text: string): string {
  return text.length < SHORTEST_REFERENCE ? text : [text.slice(0, 1), text.slice(1)].join('');
}
