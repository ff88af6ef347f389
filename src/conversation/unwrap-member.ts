/**
 * Takes the answer out of an object that was put around it: other vendors give a structured answer only as an object,
 * while Gemini's `text/x.enum` is one word. The text of a structured answer is held until it is whole, since only then
 * is it known to be such an object. A text that is none, as of a model that answers in words, stays as it is; so does one
 * that is longer than any such answer, which then is held no longer.
 */

import { asObject, asText, type Json } from '../lib/json.ts';
import { tryParseBounded } from '../lib/json-bounds.ts';
import type { Step } from '../streams/step.ts';
import type { ReplyEvent } from './reply.ts';
import { type RewrittenText, TextRewriter } from './rewrite-texts.ts';

/** The longest text that is held, in UTF-16 code units. */
const MAX_LENGTH = 64 * 1024;

/** A step that replaces each text by the value of the member `name`, if it is an object with that member. */
export function unwrapMember(name: string): Step<ReplyEvent, ReplyEvent> {
  return new TextRewriter(() => new HeldText(name));
}

class HeldText implements RewrittenText {
  isChanged: boolean | undefined;
  readonly #name: string;
  #held = '';

  constructor(name: string) {
    this.#name = name;
  }

  take(piece: string): string {
    if (this.isChanged === false) return piece;
    this.#held += piece;
    if (this.#held.length <= MAX_LENGTH) return '';
    this.isChanged = false;
    return this.#held;
  }

  rest(): string {
    if (this.isChanged === false) return '';
    const value = memberIn(this.#held, this.#name);
    this.isChanged = value !== undefined;
    return value ?? this.#held;
  }
}

/** What an object lacks that a limit on tokens has cut: nothing, its end, or the end of its text too. */
const ENDS = ['', '}', '"}'];

/** The member's value as text; undefined if the text holds no such object. A code fence may stand around it. */
function memberIn(text: string, name: string): string | undefined {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  const end = text.lastIndexOf('}');
  const object = end < start ? text.slice(start) : text.slice(start, end + 1);
  for (const rest of ENDS) {
    const value = asObject(tryParseBounded(object + rest))?.[name];
    if (value !== undefined) return asPlainText(value);
  }
  return undefined;
}

/** An empty text would be no delta. */
function asPlainText(value: Json): string | undefined {
  return asText(value) === '' ? undefined : (asText(value) ?? JSON.stringify(value));
}
