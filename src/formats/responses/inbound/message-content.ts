/** The content parts of a message, as they are written; here a refusal, in `message-text.ts` a text. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Deltas, EventWriter } from './output-item.ts';

/** Cites a text that has ended. */
export type CiteEnded = (citation: Citation) => void;

/** A content part that is being written. */
export interface MessageContent {
  delta(text: string): void;
  /** Writes an empty delta. */
  keepAlive(): void;
  cite?(citation: Citation): void;
  logprobs?(tokens: readonly TokenLogprob[]): void;
  /**
   * Writes what was waiting for the end of the text, though another text may still continue it.
   * @returns how to cite it from now on.
   */
  pause?(): CiteEnded;
  /** Renders the part as it is now. */
  render(): JsonObject;
  /** Writes the end of the part. @returns the whole part */
  end(): JsonObject;
}

/** A refusal. */
export class RefusalContent implements MessageContent {
  readonly #place: JsonObject;
  readonly #fields: JsonObject;
  readonly #events: EventWriter;
  readonly #deltas: Deltas;
  #text = '';

  /**
   * @param place the fields that say in every event where the part is.
   * @param fields other fields of the part.
   */
  constructor(place: JsonObject, fields: JsonObject, events: EventWriter) {
    this.#place = place;
    this.#fields = fields;
    this.#events = events;
    this.#deltas = events.deltas('response.refusal.delta', place);
    events.write('response.content_part.added', { ...place, part: this.render() });
  }

  delta(text: string): void {
    this.#text += text;
    this.#events.writeDelta(this.#deltas, text);
  }

  keepAlive(): void {
    this.#events.writeDelta(this.#deltas, '');
  }

  render(): JsonObject {
    return { ...this.#fields, type: 'refusal', refusal: this.#text };
  }

  end(): JsonObject {
    this.#text = flat(this.#text);
    const part = this.render();
    this.#events.write('response.refusal.done', { ...this.#place, refusal: this.#text });
    this.#events.write('response.content_part.done', { ...this.#place, part });
    return part;
  }
}
