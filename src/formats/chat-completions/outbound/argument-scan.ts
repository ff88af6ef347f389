/**
 * Whether the arguments of a call form a complete JSON object yet. They come piece by piece, and every character is looked
 * at once, however many pieces there are. An empty object in one piece is complete, but the arguments may follow it:
 * services in front of Bedrock begin every call with one (openai/openai-agents-js#712).
 */

import { isSpace, OPEN_OBJECT } from '../../../lib/json-bytes.ts';
import { jsonCursor, step } from '../../../lib/json-cursor.ts';

const EMPTY = /^\s*\{\s*\}$/;
const ANOTHER = /^\s*\{/;

/** Text that begins with anything but `{` is never complete. */
export class ArgumentScan {
  #state: 'before' | 'inside' | 'whole' | 'other' = 'before';
  #cursor = jsonCursor();
  #isEmpty = false;

  /** @returns how many UTF-16 code units of the piece belong to the object; all of them if the text is no object. */
  add(piece: string): number {
    if (this.#isEmpty && ANOTHER.test(piece)) {
      this.#state = 'before';
      this.#isEmpty = false;
    }
    const wasWhole = this.#state === 'whole';
    let at = 0;
    for (; at < piece.length; at += 1) {
      if (this.#state === 'inside') {
        step(this.#cursor, piece.charCodeAt(at));
        if (this.#cursor.depth === 0) this.#state = 'whole';
      } else if (this.#state === 'before') this.#begin(piece.charCodeAt(at));
      else break;
    }
    if (this.#state === 'whole' && !wasWhole) this.#isEmpty = EMPTY.test(piece.slice(0, at));
    return this.#state === 'other' ? piece.length : at;
  }

  /** Whether the object is closed, so that no more of it can come. */
  isWhole(): boolean {
    return this.#state === 'whole';
  }

  /** Whether the object has not begun, or is still open. */
  isOpen(): boolean {
    return this.#state === 'before' || this.#state === 'inside';
  }

  /** Whether the object is empty and came in one piece. */
  isEmpty(): boolean {
    return this.#isEmpty;
  }

  #begin(code: number): void {
    if (code === OPEN_OBJECT) {
      this.#state = 'inside';
      this.#cursor = jsonCursor();
      step(this.#cursor, code);
    } else if (!isSpace(code)) this.#state = 'other';
  }
}
