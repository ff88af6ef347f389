/** The citations of a streamed choice, collected until its end: annotations count over the text of the whole message. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { renderAnnotation } from '../wire/citations.ts';

/** Made for the first citation, since most choices have none. */
export class AnnotationCollector {
  readonly rendered: JsonObject[] = [];
  /** Citations without a URL, for which there is no annotation. */
  readonly unlinked: Citation[] = [];

  /** The citations of a text that begins at `start` in the message and is `length` UTF-16 code units long. */
  add(citations: readonly Citation[], start: number, length: number): void {
    for (const citation of citations) {
      const annotation = renderAnnotation(citation, start, length);
      if (annotation) this.rendered.push(annotation);
      else this.unlinked.push(citation);
    }
  }
}
