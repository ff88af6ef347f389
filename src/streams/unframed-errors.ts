/**
 * Errors that stand in a stream of events as they are, outside of any event. Gemini breaks a stream off with one, as
 * JSON over several lines (vercel/ai#5217, maximhq/bifrost#5262), and Google's own SDKs look for it
 * (`throwIfStreamErrorChunk` of @google/genai). By the standard such lines are fields of unknown names, and mean nothing.
 */

import { isObject, tryParseJson } from '../lib/json.ts';
import type { Sink, Step } from './step.ts';

/** The longest such error, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024;

/** Matches where the next event begins. */
const FIELD = /(?:^|[\r\n])(?:event|data):/;

/** A step that passes a stream's text on, with an event before the lines of each such error. */
export class UnframedErrors implements Step<string, string> {
  #isAtLineStart = true;
  /** What has come since an object began outside of any event. */
  #held = '';

  transform(text: string, out: Sink<string>): void {
    if (this.#held === '') {
      // No line of an event begins with an object.
      const start = this.#isAtLineStart && text.startsWith('{') ? 0 : text.indexOf('\n{') + 1 || text.length;
      if (start > 0) out.enqueue(text.slice(0, start));
      this.#isAtLineStart = text.endsWith('\n');
      this.#held = text.slice(start);
    } else this.#held += text;
    const next = this.#held.search(FIELD);
    if (next >= 0 || this.#held.length > MAX_LENGTH) this.#release(next, out);
  }

  flush(out: Sink<string>): void {
    this.#release(-1, out);
  }

  /** @param next where the next event begins in what is held; -1 if there is none. */
  #release(next: number, out: Sink<string>): void {
    const held = this.#held;
    this.#held = '';
    this.#isAtLineStart = held.endsWith('\n');
    const value = tryParseJson(next < 0 ? held : held.slice(0, next));
    if (isObject(value) && value['error']) out.enqueue(`data: ${JSON.stringify(value)}\n\n`);
    if (held !== '') out.enqueue(held);
  }
}
