/** The citations of a streamed choice, collected until its end: annotations count over the text of the whole message. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { renderAnnotation } from '../wire/citations.ts';

export interface AnnotationCollector {
  /** The citations of the next text, which is `length` UTF-16 code units long. */
  add(citations: readonly Citation[], length: number): void;
  /** Counts text that belongs to no part: a separator. */
  skip(length: number): void;
  readonly rendered: readonly JsonObject[];
  /** Citations without a URL, for which there is no annotation. */
  readonly unlinked: readonly Citation[];
}

/** A collector before the first text. */
export function annotationCollector(): AnnotationCollector {
  const rendered: JsonObject[] = [];
  const unlinked: Citation[] = [];
  let start = 0;
  return {
    add(citations, length) {
      for (const citation of citations) {
        const annotation = renderAnnotation(citation, start, length);
        if (annotation) rendered.push(annotation);
        else unlinked.push(citation);
      }
      start += length;
    },
    skip(length) {
      start += length;
    },
    rendered,
    unlinked,
  };
}
