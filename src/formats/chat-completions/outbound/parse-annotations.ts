/** The annotations of a message, chunk by chunk: they may come before the text that they are about, or after it. */

import { asText, compact, type JsonObject } from '../../../lib/json.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

export interface AnnotationReader {
  /** An annotation: of the text that began last, or of the next one. */
  read(annotation: JsonObject, out: Out): void;
  /** A text begins. The annotations that came before it are its own. */
  beginText(part: SequencePart, out: Out): void;
  /** Counts more of the text, in UTF-16 code units. */
  addText(length: number): void;
  /** Whether annotations wait for a text. */
  isPending(): boolean;
  /** Cites sources that have no place in the text, if the last part is a text and nothing is cited yet. */
  citeSources(sources: readonly JsonObject[], out: Out): void;
}

/** @param parts the parts of the message. */
export function annotationReader(parts: PartSequence): AnnotationReader {
  const pending: JsonObject[] = [];
  let hasAny = false;
  /** The length of all texts so far, and before the text that began last: annotations count over all texts. */
  let length = 0;
  let textStart = 0;

  const add = (part: SequencePart, annotation: JsonObject, out: Out): void =>
    parts.addDetail(part, { citation: parseAnnotation(annotation, textStart) }, out);

  return {
    read(annotation, out) {
      hasAny = true;
      const part = parts.last();
      if (part?.open.kind === 'text') add(part, annotation, out);
      else pending.push(annotation);
    },
    beginText(part, out) {
      textStart = length;
      if (pending.length > 0) for (const annotation of pending.splice(0)) add(part, annotation, out);
    },
    addText(more) {
      length += more;
    },
    isPending: () => pending.length > 0,
    citeSources(sources, out) {
      const part = parts.last();
      if (hasAny || part?.open.kind !== 'text') return;
      for (const { url, title } of sources) {
        if (typeof url !== 'string') continue;
        parts.addDetail(part, { citation: compact({ url, title: asText(title) }) }, out);
      }
    },
  };
}
