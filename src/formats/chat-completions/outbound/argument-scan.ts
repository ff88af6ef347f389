/**
 * Whether the arguments of a call form a complete JSON object yet. They come piece by piece, and every character is looked
 * at once, however many pieces there are. An empty object in one piece is complete, but the arguments may follow it:
 * services in front of Bedrock begin every call with one (openai/openai-agents-js#712).
 */

import { isSpace, OPEN_OBJECT } from '../../../lib/json-bytes.ts';
import { jsonCursor, step } from '../../../lib/json-cursor.ts';

export interface ArgumentScan {
  /** @returns how many UTF-16 code units of the piece belong to the object; all of them if the text is no object. */
  add(piece: string): number;
  /** Whether the object is closed, so that no more of it can come. */
  isWhole(): boolean;
  /** Whether the object is empty and came in one piece. */
  isEmpty(): boolean;
}

const EMPTY = /^\s*\{\s*\}$/;
const ANOTHER = /^\s*\{/;

/** A scan before the first piece. Text that begins with anything but `{` is never complete. */
export function argumentScan(): ArgumentScan {
  let state: 'before' | 'inside' | 'whole' | 'other' = 'before';
  let cursor = jsonCursor();
  let isEmpty = false;

  const begin = (code: number): void => {
    if (code === OPEN_OBJECT) {
      state = 'inside';
      cursor = jsonCursor();
      step(cursor, code);
    } else if (!isSpace(code)) state = 'other';
  };

  return {
    add(piece) {
      if (isEmpty && ANOTHER.test(piece)) {
        state = 'before';
        isEmpty = false;
      }
      const wasWhole = state === 'whole';
      let at = 0;
      for (; at < piece.length; at += 1) {
        if (state === 'inside') {
          step(cursor, piece.charCodeAt(at));
          if (cursor.depth === 0) state = 'whole';
        } else if (state === 'before') begin(piece.charCodeAt(at));
        else break;
      }
      if (state === 'whole' && !wasWhole) isEmpty = EMPTY.test(piece.slice(0, at));
      return state === 'other' ? piece.length : at;
    },
    isWhole: () => state === 'whole',
    isEmpty: () => isEmpty,
  };
}
