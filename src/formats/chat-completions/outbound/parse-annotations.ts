/** The annotations of a message, chunk by chunk: they may come before the text that they are about, or after it. */

import { asText, compact, type JsonObject } from '../../../lib/json.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

export class AnnotationReader {
  readonly #parts: PartSequence;
  #pending: JsonObject[] | undefined;
  #hasAny = false;
  /** The length of all texts so far, and before the text that began last: annotations count over all texts. */
  #length = 0;
  #textStart = 0;

  /** @param parts the parts of the message. */
  constructor(parts: PartSequence) {
    this.#parts = parts;
  }

  /** An annotation: of the text that began last, or of the next one. */
  read(annotation: JsonObject, out: Out): void {
    this.#hasAny = true;
    const part = this.#parts.last();
    if (part?.open.kind === 'text') this.#add(part, annotation, out);
    else {
      this.#pending ??= [];
      this.#pending.push(annotation);
    }
  }

  /** A text begins. The annotations that came before it are its own. */
  beginText(part: SequencePart, out: Out): void {
    this.#textStart = this.#length;
    for (const annotation of this.#pending ?? []) this.#add(part, annotation, out);
    this.#pending = undefined;
  }

  /** Counts more of the text, in UTF-16 code units. */
  addText(length: number): void {
    this.#length += length;
  }

  /** Whether annotations wait for a text. */
  isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Cites sources that have no place in the text, if the last part is a text and nothing is cited yet. */
  citeSources(sources: readonly JsonObject[], out: Out): void {
    const part = this.#parts.last();
    if (this.#hasAny || part?.open.kind !== 'text') return;
    for (const { url, title } of sources) {
      if (typeof url !== 'string') continue;
      this.#parts.addDetail(part, { citation: compact({ url, title: asText(title) }) }, out);
    }
  }

  #add(part: SequencePart, annotation: JsonObject, out: Out): void {
    this.#parts.addDetail(part, { citation: parseAnnotation(annotation, this.#textStart) }, out);
  }
}
