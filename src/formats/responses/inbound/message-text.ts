/** Writes a text of a message, with its citations and log probabilities. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Foreign } from '../../foreign.ts';
import { renderTokens } from '../../openai/logprobs.ts';
import { renderAnnotation } from '../wire/citations.ts';
import type { MessageContent } from './message-content.ts';
import type { EventWriter } from './output-item.ts';

export interface TextOptions {
  /** Whether the caller asked for log probabilities. */
  readonly hasLogprobs: boolean;
  /** Collects the citations that are no annotations. */
  readonly foreign: Foreign;
}

/**
 * Makes a text.
 * @param place the fields that say in every event where the part is.
 * @param fields other fields of the part.
 */
export function textContent(
  place: JsonObject,
  fields: JsonObject,
  events: EventWriter,
  { hasLogprobs, foreign }: TextOptions,
): MessageContent {
  const annotations: JsonObject[] = [];
  const logprobs: JsonObject[] = [];
  /** Citations of a whole text, whose length is not known yet. */
  const waitingCitations: Citation[] = [];
  /** With log probabilities, a piece waits for its tokens, or tokens for their piece. */
  let waitingText: string | undefined;
  let waitingTokens: JsonObject[] = [];
  let text = '';
  /** Where the text begins that the next citations are about. */
  let from = 0;

  const render = (): JsonObject => ({ ...fields, type: 'output_text', annotations, logprobs, text });
  events.write('response.content_part.added', { ...place, part: render() });
  const writeDelta = events.deltas('response.output_text.delta', { ...place, logprobs: [] });

  const writeWithTokens = (piece: string): void => {
    if (waitingTokens.length === 0) {
      writeDelta(piece);
      return;
    }
    events.write('response.output_text.delta', { ...place, delta: piece, logprobs: waitingTokens });
    waitingTokens = [];
  };
  const release = (): void => {
    if (waitingText !== undefined) writeWithTokens(waitingText);
    waitingText = undefined;
  };
  const annotate = (citation: Citation): void => {
    const annotation = renderAnnotation(citation, from, text.length);
    if (annotation === undefined) {
      foreign.cite(citation);
      return;
    }
    release();
    const annotation_index = annotations.length;
    events.write('response.output_text.annotation.added', { ...place, annotation_index, annotation });
    annotations.push(annotation);
  };
  const pause = (): void => {
    release();
    for (const citation of waitingCitations.splice(0)) annotate(citation);
    from = text.length;
  };

  return {
    pause,
    render,
    delta(piece) {
      text += piece;
      if (!hasLogprobs) return writeDelta(piece);
      release();
      if (waitingTokens.length > 0) writeWithTokens(piece);
      else waitingText = piece;
    },
    keepAlive: () => writeDelta(''),
    cite(citation) {
      const hasOffsets = citation.formatSpecific?.format === 'responses' || citation.end !== undefined;
      if (hasOffsets) annotate(citation);
      else waitingCitations.push(citation);
    },
    logprobs(tokens) {
      for (const rendered of renderTokens(tokens, false)) {
        logprobs.push(rendered);
        waitingTokens.push(rendered);
      }
      release();
    },
    end() {
      pause();
      events.write('response.output_text.done', { ...place, text, logprobs });
      events.write('response.content_part.done', { ...place, part: render() });
      return render();
    },
  };
}
