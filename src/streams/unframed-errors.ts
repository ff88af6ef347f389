/**
 * Errors that stand in a stream of events as they are, outside of any event. Gemini breaks a stream off with one, as
 * JSON over several lines (vercel/ai#5217, maximhq/bifrost#5262), and Google's own SDKs look for it
 * (`throwIfStreamErrorChunk` of @google/genai). By the standard such lines are fields of unknown names, and mean nothing.
 */

import { isObject, tryParseJson } from '../lib/json.ts';
import { jsonCursor, step as stepJson } from '../lib/json-cursor.ts';
import type { Sink, Step } from './step.ts';

/** The longest such error, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024;

/** Matches a line that belongs to an event, in JSON that does not end. */
const FIELD = /[\r\n](?:data|event):/;

/** A step around one from text to events, which makes events of such errors. */
export class UnframedErrors<E> implements Step<string, E> {
  readonly #parser: Step<string, E>;
  readonly #asEvent: (json: string) => E;
  #isAtLineStart = true;
  /** What has come of an object outside of any event. */
  #held = '';
  #cursor = jsonCursor();

  /** @param asEvent makes the event that stands for an error, of its JSON text. */
  constructor(parser: Step<string, E>, asEvent: (json: string) => E) {
    this.#parser = parser;
    this.#asEvent = asEvent;
  }

  transform(text: string, out: Sink<E>): void {
    for (let rest = text; rest !== ''; ) {
      const at = this.#held === '' ? this.#findObject(rest) : 0;
      if (at !== 0) this.#pass(at < 0 ? rest : rest.slice(0, at), out);
      if (at < 0) return;
      rest = this.#hold(rest.slice(at), out);
    }
  }

  flush(out: Sink<E>): void {
    this.#giveUp(out);
    this.#parser.flush?.(out);
  }

  /** Where a line begins with an object; -1 if none does. No line of an event begins so. */
  #findObject(text: string): number {
    if (this.#isAtLineStart && text.startsWith('{')) return 0;
    const before = text.indexOf('\n{');
    return before < 0 ? -1 : before + 1;
  }

  /** Takes what belongs to the object. @returns what comes after it */
  #hold(text: string, out: Sink<E>): string {
    for (let at = 0; at < text.length; at += 1) {
      stepJson(this.#cursor, text.charCodeAt(at));
      if (this.#cursor.depth > 0) continue;
      this.#held += text.slice(0, at + 1);
      this.#settle(out);
      return text.slice(at + 1);
    }
    this.#held += text;
    if (this.#held.length > MAX_LENGTH || FIELD.test(this.#held)) this.#giveUp(out);
    return '';
  }

  #settle(out: Sink<E>): void {
    const value = tryParseJson(this.#held);
    if (!isObject(value) || !value['error']) {
      this.#giveUp(out);
      return;
    }
    out.enqueue(this.#asEvent(this.#held));
    this.#held = '';
    this.#isAtLineStart = false;
  }

  /** It is no error. */
  #giveUp(out: Sink<E>): void {
    const held = this.#held;
    this.#held = '';
    this.#cursor = jsonCursor();
    if (held !== '') this.#pass(held, out);
  }

  #pass(text: string, out: Sink<E>): void {
    this.#isAtLineStart = text.endsWith('\n');
    this.#parser.transform(text, out);
  }
}
