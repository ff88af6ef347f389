/**
 * Takes a structured answer out of the object that `formats/openai/wrap-answer.ts` asks for. Unlike a choice
 * (`unwrap-member.ts`) it may be long, so it passes on as it comes, and as JSON. A text of another shape, as of a model
 * that answers in words, stays as it is.
 */

import { CLOSE_LIST, CLOSE_OBJECT, COMMA, isSpace } from '../lib/json-bytes.ts';
import { jsonCursor, step } from '../lib/json-cursor.ts';
import type { Step } from '../streams/step.ts';
import type { ReplyEvent } from './reply.ts';
import { type RewrittenText, TextRewriter } from './rewrite-texts.ts';

/** The member whose value is the answer. */
export const ANSWER = 'answer';

/** The text before the value. A code fence may stand around the object. */
const HEAD = /^\s*(?:```(?:json)?\s*)?\{\s*"answer"\s*:/;

/** That text without spaces and fence. */
const BARE_HEAD = '{"answer":';

/** How a text begins that may have such a head. */
const MAY_HAVE_HEAD = /^\s*(?:[`{]|$)/;

/** The longest head, in UTF-16 code units. No more of a text is held. */
const MAX_HEAD_LENGTH = 100;

/** A step that replaces each text that is an object with the member `answer` by that member's value, as JSON. */
export function unwrapAnswer(): Step<ReplyEvent, ReplyEvent> {
  return new TextRewriter(() => new WrappedText());
}

/** A text of which the value of its member is wanted, in pieces. */
class WrappedText implements RewrittenText {
  /** Whether it is such an object, which its beginning shows. */
  isChanged: boolean | undefined;
  #head = '';
  /** Within the value. */
  readonly #cursor = jsonCursor();
  #hasBegun = false;
  #isOver = false;

  take(piece: string): string {
    if (this.isChanged !== undefined) return this.isChanged ? this.#inner(piece) : piece;
    this.#head += piece;
    const head = this.#head.slice(0, MAX_HEAD_LENGTH);
    const found = HEAD.exec(head)?.[0];
    if (found === undefined && head.length < MAX_HEAD_LENGTH && MAY_HAVE_HEAD.test(head)) return '';
    this.isChanged = found !== undefined;
    return found === undefined ? this.#head : this.#inner(this.#head.slice(found.length));
  }

  /** What is left at the end of the text: nothing if a limit on tokens has cut it within the head. */
  rest(): string {
    if (this.isChanged !== undefined) return '';
    this.isChanged = false;
    const bare = this.#head.replace(/^\s*```(?:json)?|\s/g, '');
    return bare !== '' && BARE_HEAD.startsWith(bare) ? '' : this.#head;
  }

  #inner(piece: string): string {
    let start = 0;
    if (!this.#hasBegun) while (isSpace(piece.charCodeAt(start))) start++;
    let at = start;
    for (; at < piece.length && !this.#isOver; at++) {
      const code = piece.charCodeAt(at);
      this.#isOver = !this.#cursor.isInString && this.#cursor.depth === 0 && isAfterValue(code);
      if (this.#isOver) break;
      step(this.#cursor, code);
    }
    this.#hasBegun ||= at > start;
    return piece.slice(start, at);
  }
}

function isAfterValue(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || isSpace(code);
}
