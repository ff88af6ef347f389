/**
 * Writes the chunks of a stream: each is a whole GenerateContentResponse with the usage so far.
 *
 * A chunk of text is the hot path: one JSON string between two texts that are ready.
 */

import type { ReplyEnd, ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeStart, mergeUsage, UNNAMED } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { RequestContext } from '../../format.ts';
import { renderExtras, renderHead } from './response-fields.ts';

/** How a chunk begins that has nothing before its candidates. */
const CANDIDATES = '{"candidates":[';

/**
 * The usage of a stream whose vendor has not reported any yet. Gemini's chunks all have the figures so far, and BAML drops
 * a chunk that has none, with its text. They are not estimates: LangChain counts what each chunk adds, and never less.
 */
const NONE_YET: Usage = { input: 0 };

/** Writes the chunks of one answer. */
export class ChunkWriter {
  readonly #asked: RequestContext;
  #start = UNNAMED;
  #usage = NONE_YET;
  #before = CANDIDATES;
  #after = '';
  #hasWritten = false;

  constructor(asked: RequestContext) {
    this.#asked = asked;
  }

  /** Sets the fields of the whole answer; fields that belong to the first chunk only go into the next one. */
  begin(start: ReplyStart): void {
    const extras = fieldsText(renderExtras(start));
    this.#before = extras === '' ? CANDIDATES : `{${extras.slice(1)},${CANDIDATES.slice(1)}`;
    this.#start = start;
    this.#updateHead();
  }

  /** Changes the fields that every chunk has, from the next chunk on, by those that come at the end. */
  update(end: ReplyEnd): void {
    if (this.#usage === NONE_YET) this.#usage = {};
    this.#start = mergeStart(end, this.#start);
    this.#updateHead();
  }

  /** Adds usage, which the next chunk reports. */
  addUsage(usage: Usage): void {
    this.#usage = mergeUsage(this.#usage, usage);
    this.#updateHead();
  }

  /** Writes a chunk with one candidate, given as JSON text. */
  write(candidate: string, out: Sink<Sse>): void {
    out.enqueue({ data: this.#before + candidate + this.#after });
    this.#hasWritten = true;
    this.#before = CANDIDATES;
  }

  /** Writes a chunk with one part, given as JSON text, of the candidate with this index. */
  writePart(index: number, part: string, out: Sink<Sse>): void {
    this.write(`{"content":{"parts":[${part}],"role":"model"},"index":${index}}`, out);
  }

  /** Puts `promptFeedback` into the next chunk. */
  setFeedback(promptFeedback: JsonObject): void {
    this.#before = `{"promptFeedback":${JSON.stringify(promptFeedback)},${this.#before.slice(1)}`;
  }

  /** Writes the one chunk of an answer to a blocked prompt. */
  writeBlocked(promptFeedback: JsonObject, out: Sink<Sse>): void {
    const head = renderHead(this.#start, this.#usage, this.#asked);
    out.enqueue({ data: JSON.stringify({ ...renderExtras(this.#start), promptFeedback, ...head }) });
  }

  /** Whether any chunk has been written. */
  hasWritten(): boolean {
    return this.#hasWritten;
  }

  #updateHead(): void {
    this.#after = `]${fieldsText(renderHead(this.#start, this.#usage, this.#asked))}}`;
  }
}

/** An object's fields as in its JSON text, each after a comma; '' for an empty object. */
function fieldsText(object: JsonObject): string {
  const text = JSON.stringify(object).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}
