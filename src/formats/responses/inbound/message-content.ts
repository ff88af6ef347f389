/** The content parts of a message, as they are written; here a refusal, in `message-text.ts` a text. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { EventWriter } from './output-item.ts';

/** A content part that is being written. */
export interface MessageContent {
  delta(text: string): void;
  /** Writes an empty delta. */
  keepAlive(): void;
  cite(citation: Citation): void;
  logprobs(tokens: readonly TokenLogprob[]): void;
  /** Writes what was waiting for the end of the text, though another text may still continue it. */
  pause(): void;
  /** Renders the part as it is now. */
  render(): JsonObject;
  /** Writes the end of the part. @returns the whole part */
  end(): JsonObject;
}

/**
 * Makes a refusal.
 * @param place the fields that say in every event where the part is.
 * @param fields other fields of the part.
 */
export function refusalContent(place: JsonObject, fields: JsonObject, events: EventWriter): MessageContent {
  const renderPart = (text: string): JsonObject => ({ ...fields, type: 'refusal', refusal: text });
  events.write('response.content_part.added', { ...place, part: renderPart('') });
  const writeDelta = events.deltas('response.refusal.delta', place);
  let text = '';
  return {
    delta(piece) {
      text += piece;
      writeDelta(piece);
    },
    keepAlive: () => writeDelta(''),
    cite() {},
    logprobs() {},
    pause() {},
    render: () => renderPart(text),
    end() {
      events.write('response.refusal.done', { ...place, refusal: text });
      events.write('response.content_part.done', { ...place, part: renderPart(text) });
      return renderPart(text);
    },
  };
}
