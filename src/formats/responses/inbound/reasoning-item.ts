/** Writes a reasoning item of the answer: thoughts as its summary, and their signature as `encrypted_content`. */

import type { PartDetail, PartStart } from '../../../conversation/reply.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getOrigin } from '../wire/origin.ts';
import { renderEncryptedContent } from '../wire/sealed-signature.ts';
import type { Deltas, EventWriter, Item, Place, Status } from './output-item.ts';

/** Where the text of a thought goes: into the summary, or, from open models, into the content. */
interface Kind {
  readonly list: 'summary' | 'content';
  readonly type: 'summary_text' | 'reasoning_text';
  /** The names of the events of the part and of its text. */
  readonly part: string;
  readonly text: string;
}

const SUMMARY: Kind = {
  list: 'summary',
  type: 'summary_text',
  part: 'response.reasoning_summary_part',
  text: 'response.reasoning_summary_text',
};

const CONTENT: Kind = {
  list: 'content',
  type: 'reasoning_text',
  part: 'response.content_part',
  text: 'response.reasoning_text',
};

/** The item of the thinking part `first`, and of those after it that came in the same item. */
export class ReasoningItem implements Item {
  readonly signed = 'inside';
  readonly #place: Place;
  readonly #first: PartStart;
  readonly #events: EventWriter;
  readonly #lists: Record<Kind['list'], JsonObject[]> = { summary: [], content: [] };
  #kind = SUMMARY;
  #encrypted: string | undefined;
  #text = '';
  /** The deltas of the open part. */
  #deltas: Deltas | undefined;

  constructor(place: Place, first: PartStart, events: EventWriter) {
    this.#place = place;
    this.#first = first;
    this.#events = events;
  }

  takes({ part, formatSpecific }: PartStart): boolean {
    if (part.kind !== 'thinking' || this.#encrypted !== undefined) return false;
    const { at } = getOrigin(this.#first.formatSpecific);
    return at !== undefined && getOrigin(formatSpecific).at === at;
  }

  start(start: PartStart): void {
    const { part } = getOrigin(start.formatSpecific);
    this.#kind = part?.['type'] === 'reasoning_text' ? CONTENT : SUMMARY;
    this.detail(start);
  }

  delta(piece: string): void {
    this.#text += piece;
    this.#deltas ??= this.#openPart();
    this.#events.writeDelta(this.#deltas, piece);
  }

  detail(signatures: Pick<PartDetail, 'signature' | 'redacted'>): void {
    this.#encrypted = renderEncryptedContent(signatures) ?? this.#encrypted;
  }

  keepAlive(): boolean {
    if (this.#deltas === undefined) return false;
    this.#events.writeDelta(this.#deltas, '');
    return true;
  }

  end(): void {
    if (this.#deltas === undefined) return;
    const { list, type, text: event, part: partEvent } = this.#kind;
    const place = this.#renderPlace();
    const text = flat(this.#text);
    const part = { type, text };
    this.#events.write(`${event}.done`, { ...place, text });
    this.#events.write(`${partEvent}.done`, { ...place, part });
    this.#lists[list].push(part);
    this.#text = '';
    this.#deltas = undefined;
  }

  render(status: Status): JsonObject {
    const { formatSpecific } = this.#first;
    const { summary, content } = this.#lists;
    const encrypted = this.#encrypted;
    const isUnsigned =
      encrypted === undefined && formatSpecific?.format !== 'responses' && status !== 'in_progress';
    return {
      ...getOrigin(formatSpecific).item,
      id: this.#place.id,
      type: 'reasoning',
      summary: [...summary],
      ...(content.length > 0 && { content: [...content] }),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
      ...(isUnsigned && { encrypted_content: UNSIGNED }),
    };
  }

  /** Adds a part with its first piece: a signature without a thought has no part. */
  #openPart(): Deltas {
    const { type, text, part } = this.#kind;
    const place = this.#renderPlace();
    this.#events.write(`${part}.added`, { ...place, part: { type, text: '' } });
    return this.#events.deltas(`${text}.delta`, place);
  }

  #renderPlace(): JsonObject {
    const { list } = this.#kind;
    const { id, index } = this.#place;
    return { item_id: id, output_index: index, [`${list}_index`]: this.#lists[list].length };
  }
}
