/**
 * Writes a message of the answer: texts and refusals. Consecutive texts become one, as OpenAI writes them. Claude begins
 * a new text with each thing that it cites, and OpenAI's Agents SDK takes the last one for the whole answer
 * (`extract_last_text` of its `ItemHelpers`), which then was only a full stop.
 */

import type { PartDetail, PartStart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getOrigin } from '../wire/origin.ts';
import { beginRefusal, type MessageContent } from './message-content.ts';
import { TextContent, type TextOptions } from './message-text.ts';
import type { EventWriter, Item, Phase, Place, Status } from './output-item.ts';

/** The item of the text or refusal `first`, and of those after it that belong to the same message. */
export class MessageItem implements Item {
  readonly signed = 'before';
  readonly #place: Place;
  readonly #first: PartStart;
  readonly #events: EventWriter;
  readonly #options: TextOptions;
  readonly #content: JsonObject[] = [];
  #open: MessageContent | undefined;
  /** Whether the open content is a text that has ended, but that another text may continue. */
  #isPaused = false;
  #last: PartStart;

  constructor(place: Place, first: PartStart, events: EventWriter, options: TextOptions) {
    this.#place = place;
    this.#first = first;
    this.#events = events;
    this.#options = options;
    this.#last = first;
  }

  takes({ part, formatSpecific }: PartStart): boolean {
    return (
      (part.kind === 'text' || part.kind === 'refusal') &&
      getOrigin(formatSpecific).at === getOrigin(this.#first.formatSpecific).at
    );
  }

  start(start: PartStart): void {
    const continues = this.#isPaused && canJoin(start);
    this.#isPaused = false;
    if (!continues) {
      this.close();
      this.#open = this.#openContent(start);
    }
    this.#last = start;
  }

  delta(text: string): void {
    this.#open?.delta(text);
  }

  detail({ citation }: PartDetail): void {
    if (citation) this.#open?.cite?.(citation);
  }

  logprobs(tokens: readonly TokenLogprob[]): void {
    this.#open?.logprobs?.(tokens);
  }

  end(): void {
    const cite = this.#open?.pause?.();
    if (cite) this.#options.ended.set(this.#last.index, cite);
    if (canJoin(this.#last)) this.#isPaused = this.#open !== undefined;
    else this.close();
  }

  close(): void {
    if (this.#open) this.#content.push(this.#open.end());
    this.#open = undefined;
    this.#isPaused = false;
  }

  keepAlive(): boolean {
    this.#open?.keepAlive();
    return this.#open !== undefined;
  }

  render(status: Status, phase?: Phase): JsonObject {
    const { formatSpecific } = this.#first;
    return {
      ...getOrigin(formatSpecific).item,
      id: this.#place.id,
      type: 'message',
      status,
      content: this.#open && this.#isPaused ? [...this.#content, this.#open.render()] : [...this.#content],
      role: 'assistant',
      // An item that came in this format has the vendor's own phase, or none.
      ...(phase && formatSpecific?.format !== 'responses' && { phase }),
    };
  }

  #openContent({ part, formatSpecific }: PartStart): MessageContent {
    const { id, index } = this.#place;
    const place = { item_id: id, output_index: index, content_index: this.#content.length };
    const { part: fields = {} } = getOrigin(formatSpecific);
    return part.kind === 'refusal'
      ? beginRefusal(place, fields, this.#events)
      : new TextContent(place, fields, this.#events, this.#options);
  }
}

/** Whether a text may be joined with the one before it or after it. What came in this format goes out as it was. */
function canJoin({ part, formatSpecific }: PartStart): boolean {
  return part.kind === 'text' && formatSpecific?.format !== 'responses';
}
