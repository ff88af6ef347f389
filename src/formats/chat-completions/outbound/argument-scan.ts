/**
 * Whether the arguments of a call form a complete JSON object yet. They come piece by piece, and every character is looked
 * at once, however many pieces there are. An empty object in one piece is complete, but the arguments may follow it:
 * services in front of Bedrock begin every call with one (openai/openai-agents-js#712).
 */

import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../../../lib/json-bytes.ts';

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
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isEmpty = false;

  const begin = (code: number): void => {
    if (code === OPEN_OBJECT) {
      state = 'inside';
      depth = 1;
    } else if (!isSpace(code)) state = 'other';
  };

  const step = (code: number): void => {
    if (isText) {
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) isEscaped = true;
      else if (code === QUOTE) isText = false;
      return;
    }
    if (code === QUOTE) isText = true;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) state = 'whole';
    }
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
        if (state === 'inside') step(piece.charCodeAt(at));
        else if (state === 'before') begin(piece.charCodeAt(at));
        else break;
      }
      if (state === 'whole' && !wasWhole) isEmpty = EMPTY.test(piece.slice(0, at));
      return state === 'other' ? piece.length : at;
    },
    isWhole: () => state === 'whole',
    isEmpty: () => isEmpty,
  };
}

/** White space in JSON (RFC 8259, section 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
