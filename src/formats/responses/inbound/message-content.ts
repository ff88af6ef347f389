/** The content parts of a message, as they are written; here a refusal, in `message-text.ts` a text. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { EventWriter } from './output-item.ts';

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

/**
 * Begins a refusal.
 * @param place the fields that say in every event where the part is.
 * @param fields other fields of the part.
 */
export function beginRefusal(place: JsonObject, fields: JsonObject, events: EventWriter): MessageContent {
  const deltas = events.deltas('response.refusal.delta', place);
  let refusal = '';
  const render = (): JsonObject => ({ ...fields, type: 'refusal', refusal });
  events.write('response.content_part.added', { ...place, part: render() });
  return {
    delta(text) {
      refusal += text;
      events.writeDelta(deltas, text);
    },
    keepAlive: () => events.writeDelta(deltas, ''),
    render,
    end() {
      refusal = flat(refusal);
      const part = render();
      events.write('response.refusal.done', { ...place, refusal });
      events.write('response.content_part.done', { ...place, part });
      return part;
    },
  };
}
