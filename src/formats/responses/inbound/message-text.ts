/** Writes a text of a message, with its citations and log probabilities. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Foreign } from '../../foreign.ts';
import { renderTokens } from '../../openai/logprobs.ts';
import { renderAnnotation } from '../wire/citations.ts';
import type { MessageContent } from './message-content.ts';
import type { Deltas, EventWriter } from './output-item.ts';

export interface TextOptions {
  /** Whether the caller asked for log probabilities. */
  readonly hasLogprobs: boolean;
  /** Collects the citations that are no annotations. */
  readonly foreign: Foreign;
}

/** A text. What few texts have is undefined until it comes. */
export class TextContent implements MessageContent {
  readonly #place: JsonObject;
  readonly #fields: JsonObject;
  readonly #events: EventWriter;
  readonly #options: TextOptions;
  readonly #deltas: Deltas;
  #annotations: JsonObject[] | undefined;
  #logprobs: JsonObject[] | undefined;
  /** Citations of a whole text, whose length is not known yet. */
  #waitingCitations: Citation[] | undefined;
  /** With log probabilities, a piece waits for its tokens, or tokens for their piece. */
  #waitingText: string | undefined;
  #waitingTokens: JsonObject[] | undefined;
  #text = '';
  /** Where the text begins that the next citations are about. */
  #from = 0;

  /**
   * @param place the fields that say in every event where the part is.
   * @param fields other fields of the part.
   */
  constructor(place: JsonObject, fields: JsonObject, events: EventWriter, options: TextOptions) {
    this.#place = place;
    this.#fields = fields;
    this.#events = events;
    this.#options = options;
    this.#deltas = events.deltas('response.output_text.delta', { ...place, logprobs: [] });
    events.write('response.content_part.added', { ...place, part: this.render() });
  }

  delta(piece: string): void {
    this.#text += piece;
    if (!this.#options.hasLogprobs) {
      this.#events.writeDelta(this.#deltas, piece);
      return;
    }
    this.#release();
    if (this.#waitingTokens !== undefined) this.#writeWithTokens(piece);
    else this.#waitingText = piece;
  }

  keepAlive(): void {
    this.#events.writeDelta(this.#deltas, '');
  }

  cite(citation: Citation): void {
    const hasOffsets = citation.formatSpecific?.format === 'responses' || citation.end !== undefined;
    if (hasOffsets) {
      this.#annotate(citation);
      return;
    }
    this.#waitingCitations ??= [];
    this.#waitingCitations.push(citation);
  }

  logprobs(tokens: readonly TokenLogprob[]): void {
    for (const rendered of renderTokens(tokens, false)) {
      this.#logprobs ??= [];
      this.#logprobs.push(rendered);
      this.#waitingTokens ??= [];
      this.#waitingTokens.push(rendered);
    }
    this.#release();
  }

  pause(): void {
    this.#release();
    const waiting = this.#waitingCitations ?? [];
    this.#waitingCitations = undefined;
    for (const citation of waiting) this.#annotate(citation);
    this.#from = this.#text.length;
  }

  render(): JsonObject {
    return {
      ...this.#fields,
      type: 'output_text',
      annotations: this.#annotations ?? [],
      logprobs: this.#logprobs ?? [],
      text: this.#text,
    };
  }

  end(): JsonObject {
    this.#text = flat(this.#text);
    this.pause();
    const part = this.render();
    const logprobs = this.#logprobs ?? [];
    this.#events.write('response.output_text.done', { ...this.#place, text: this.#text, logprobs });
    this.#events.write('response.content_part.done', { ...this.#place, part });
    return part;
  }

  #writeWithTokens(piece: string): void {
    if (this.#waitingTokens === undefined) {
      this.#events.writeDelta(this.#deltas, piece);
      return;
    }
    const logprobs = this.#waitingTokens;
    this.#waitingTokens = undefined;
    this.#events.write('response.output_text.delta', { ...this.#place, delta: piece, logprobs });
  }

  #release(): void {
    if (this.#waitingText !== undefined) this.#writeWithTokens(this.#waitingText);
    this.#waitingText = undefined;
  }

  #annotate(citation: Citation): void {
    const annotation = renderAnnotation(citation, this.#from, this.#text.length);
    if (annotation === undefined) {
      this.#options.foreign.cite(citation);
      return;
    }
    this.#release();
    this.#annotations ??= [];
    const annotation_index = this.#annotations.length;
    this.#events.write('response.output_text.annotation.added', {
      ...this.#place,
      annotation_index,
      annotation,
    });
    this.#annotations.push(annotation);
  }
}
