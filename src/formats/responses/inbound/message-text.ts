/** Writes a text of a message, with its citations and log probabilities. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Foreign } from '../../foreign.ts';
import { renderTokens } from '../../openai/logprobs.ts';
import { renderAnnotation } from '../wire/citations.ts';
import type { CiteEnded, MessageContent } from './message-content.ts';
import type { Deltas, EventWriter } from './output-item.ts';

export interface TextOptions {
  /** Whether the caller asked for log probabilities. */
  readonly hasLogprobs: boolean;
  /** Collects the citations that are no annotations. */
  readonly foreign: Foreign;
  /** The texts that have ended, by the index of their part. */
  readonly ended: Map<number, CiteEnded>;
}

/** A text. What few texts have is undefined until it comes. */
export class TextContent implements MessageContent {
  readonly #place: JsonObject;
  readonly #fields: JsonObject;
  readonly #events: EventWriter;
  readonly #options: TextOptions;
  readonly #deltas: Deltas;
  /** The part as it is rendered shares this list, so that the whole response has citations of a part that is done. */
  readonly #annotations: JsonObject[] = [];
  #isDone = false;
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
      this.#annotate(citation, this.#from, this.#text.length);
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

  pause(): CiteEnded {
    this.#release();
    const from = this.#from;
    const to = this.#text.length;
    const cite: CiteEnded = (citation) => this.#annotate(citation, from, to);
    const waiting = this.#waitingCitations ?? [];
    this.#waitingCitations = undefined;
    for (const citation of waiting) cite(citation);
    this.#from = to;
    return cite;
  }

  render(): JsonObject {
    return {
      ...this.#fields,
      type: 'output_text',
      annotations: this.#annotations,
      logprobs: this.#logprobs ?? [],
      text: this.#text,
    };
  }

  end(): JsonObject {
    this.#text = flat(this.#text);
    this.pause();
    this.#isDone = true;
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

  #annotate(citation: Citation, from: number, to: number): void {
    const annotation = renderAnnotation(citation, from, to);
    if (annotation === undefined) {
      this.#options.foreign.cite(citation);
      return;
    }
    this.#release();
    const annotation_index = this.#annotations.length;
    this.#annotations.push(annotation);
    if (this.#isDone) return;
    this.#events.write('response.output_text.annotation.added', {
      ...this.#place,
      annotation_index,
      annotation,
    });
  }
}
