/**
 * The pieces of a call's arguments. Some services send all that has come so far again with each piece (Baidu's Qianfan,
 * NousResearch/hermes-agent#35718), or the whole object behind its first brace (vLLM's `xlam`, vllm-project/vllm#51697).
 */

import { jsonCursor, step } from '../../lib/json-cursor.ts';

/** Matches a beginning that no JSON string can go on with: it would end at the quotation mark, in front of a name. */
const NOT_IN_STRING = /^\s*\{\s*"[^\s",:\]}]/;

/** Takes the pieces of one call. */
export class ArgumentPieces {
  /** All that has come: of other services only the first piece, until the second shows that it is not repeated. */
  #before = '';
  #mode: 'unknown' | 'added' | 'repeated' = 'unknown';

  /** @returns what the piece adds to those before it. */
  add(piece: string): string {
    if (this.#mode === 'added' || piece === '') return piece;
    const before = this.#before;
    this.#before = piece;
    if (before === '') return piece;
    if (piece.startsWith(before) && (this.#mode === 'repeated' || repeats(before, piece))) {
      this.#mode = 'repeated';
      return piece.slice(before.length);
    }
    this.#mode = 'added';
    this.#before = '';
    return piece;
  }
}

/** Whether a piece that begins with the one before it repeats that: no JSON text holds both, one behind the other. */
function repeats(before: string, piece: string): boolean {
  const cursor = jsonCursor();
  for (let at = 0; at < before.length; at += 1) step(cursor, before.charCodeAt(at));
  if (piece.length === before.length || cursor.depth === 0) return false;
  if (cursor.isInString) return NOT_IN_STRING.test(piece);
  // An object may stand behind these, such as one of the same tree.
  return !':[,'.includes(before.trimEnd().slice(-1));
}
