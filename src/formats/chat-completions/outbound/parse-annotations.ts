/** The annotations of a message, chunk by chunk: they may come before the text that they are about, or after it. */

import { asNumber, asObject, asText, compact, type JsonObject } from '../../../lib/json.ts';
import { lastAt } from '../../../lib/last-at.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

/** A text part, by its place in all text of the message: annotations count over it, in UTF-16 code units. */
interface CitedText {
  readonly part: SequencePart;
  readonly start: number;
  end: number;
}

export class AnnotationReader {
  readonly #parts: PartSequence;
  readonly #texts: CitedText[] = [];
  #pending: JsonObject[] | undefined;
  #hasAny = false;
  /** How much of the message comes before its first text: thoughts and their tags. */
  #skipped = 0;

  constructor(parts: PartSequence) {
    this.#parts = parts;
  }

  /** An annotation: of the text in which it begins, even if that has ended, or else of the next text. */
  read(annotation: JsonObject, out: Out): void {
    this.#hasAny = true;
    const isKnown = this.#texts.length > 0 && findStart(annotation) < this.#length();
    if (isKnown || this.#parts.last()?.open.kind === 'text') this.#add(annotation, out);
    else {
      this.#pending ??= [];
      this.#pending.push(annotation);
    }
  }

  /** A text begins. The annotations that wait are its own. */
  beginText(part: SequencePart, out: Out): void {
    const start = this.#length();
    this.#texts.push({ part, start, end: start });
    this.settle(out);
  }

  /** Counts what the message has before its first text. */
  skip(length: number): void {
    this.#skipped += length;
  }

  /** Counts more of the last text. */
  addText(length: number): void {
    const text = this.#texts.at(-1);
    if (text) text.end += length;
  }

  /** Gives the annotations that wait to the last text. @returns whether they wait because there is none. */
  settle(out: Out): boolean {
    const pending = this.#pending ?? [];
    if (this.#texts.length === 0) return pending.length > 0;
    this.#pending = undefined;
    for (const annotation of pending) this.#add(annotation, out);
    return false;
  }

  /** Cites sources that have no place in the text, if the last part is a text and nothing is cited yet. */
  citeSources(sources: readonly JsonObject[], out: Out): void {
    const part = this.#parts.last();
    if (this.#hasAny || part?.open.kind !== 'text') return;
    for (const { url, title } of sources) {
      // A file of the request has an empty one at Perplexity (recorded).
      if (typeof url !== 'string' || url === '') continue;
      this.#parts.addDetail(part, { citation: compact({ url, title: asText(title) }) }, out);
    }
  }

  #length(): number {
    return this.#texts.at(-1)?.end ?? this.#skipped;
  }

  #add(annotation: JsonObject, out: Out): void {
    const text = lastAt(this.#texts, findStart(annotation)) ?? this.#texts[0];
    if (text === undefined) return;
    const { part, start, end } = text;
    const citation = parseAnnotation(annotation, start, part.state === 'ended' ? end : undefined);
    this.#parts.addDetail(part, { citation }, out);
  }
}

/** Where an annotation begins in the message: behind all texts, if it does not say. */
function findStart(annotation: JsonObject): number {
  return asNumber(asObject(annotation['url_citation'])?.['start_index']) ?? Infinity;
}
