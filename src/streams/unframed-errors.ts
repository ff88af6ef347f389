/**
 * Errors that stand in a stream of events as they are, outside of any event. Gemini breaks a stream off with one, as
 * JSON over several lines (vercel/ai#5217, maximhq/bifrost#5262), and Google's own SDKs look for it
 * (`throwIfStreamErrorChunk` of @google/genai). By the standard such lines are fields of unknown names, and mean nothing.
 */

import { isObject, tryParseJson } from '../lib/json.ts';
import type { Sink, Step } from './step.ts';

/** The longest such error, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024;

/** Matches the end of the line before an empty one, the next object, or a field or a comment of an event. */
const END = /\n(?=\r?\n|\{|(?:event|data|id|retry)?:)/;

/** A step that passes a stream's text on, with an event before the lines of each such error. */
export class UnframedErrors implements Step<string, string> {
  #isAtLineStart = true;
  /** What has come since an object began outside of any event. */
  #held = '';

  transform(text: string, out: Sink<string>): void {
    let rest = this.#held + text;
    let start = this.#held === '' ? findObject(rest, this.#isAtLineStart) : 0;
    let passed = rest.slice(0, start);
    for (rest = rest.slice(start); rest !== ''; rest = rest.slice(start)) {
      const end = rest.search(END) + 1 || rest.length;
      // The object goes on.
      if (end === rest.length && end <= MAX_LENGTH) break;
      start = end + findObject(rest.slice(end), true);
      passed += withEvent(rest.slice(0, end)) + rest.slice(end, start);
    }
    this.#held = rest;
    if (passed === '') return;
    this.#isAtLineStart = passed.endsWith('\n');
    out.enqueue(passed);
  }

  flush(out: Sink<string>): void {
    if (this.#held !== '') out.enqueue(withEvent(this.#held));
    this.#held = '';
  }
}

/** Where the first line begins that is an object; the length of the text if there is none. No line of an event is one. */
function findObject(text: string, isAtLineStart: boolean): number {
  return isAtLineStart && text.startsWith('{') ? 0 : text.indexOf('\n{') + 1 || text.length;
}

/** The lines of an object; before them an event if it is an error. */
function withEvent(lines: string): string {
  const mayBeError = lines.length <= MAX_LENGTH && lines.includes('"error"');
  const value = mayBeError ? tryParseJson(lines) : undefined;
  // An empty line ends the event before: its vendor may have broken off.
  return isObject(value) && value['error'] ? `\ndata: ${JSON.stringify(value)}\n\n${lines}` : lines;
}
