/**
 * Writes the parts of an answer as output items, one after another. An item is done only when the next part is known:
 * that part may belong to the same item, and the end of the answer says whether the last item is complete.
 *
 * A message has no field for another vendor's signature. For callers who include encrypted reasoning, it is in the
 * reasoning item before the message, since many callers take the last item for the answer. In a stream that item is done
 * when the signature comes, at the end of the text. So only the whole response at the end has it.
 */

import { prefixedId } from '../../../conversation/ids.ts';
import type { Signature } from '../../../conversation/prompt.ts';
import type { LogprobsEvent, PartDelta, PartDetail, PartStart } from '../../../conversation/reply.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { NamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';
import { type Mark, sealSignature } from '../wire/sealed-signature.ts';
import { findWholeItem } from '../wire/whole-items.ts';
import { type CallerName, CallItem } from './call-item.ts';
import { type ClientCall, clientCallItem } from './client-calls.ts';
import { writeHostedItem } from './hosted-item.ts';
import { MessageItem } from './message-item.ts';
import type { TextOptions } from './message-text.ts';
import type { EventWriter, Item, Phase, Place, Status } from './output-item.ts';
import { ReasoningItem } from './reasoning-item.ts';

export interface WriterOptions extends TextOptions {
  /** What new ids are made of. */
  readonly stem: string;
  /** The namespaced names of the caller's tools, by their neutral names. */
  readonly names: ReadonlyMap<string, NamespacedName>;
  /** The caller's names of tools that go by others, by these. */
  readonly givenNames: ReadonlyMap<string, string>;
  /** The tools whose calls are items of their own kind. */
  readonly clientCalls: ReadonlyMap<string, ClientCall>;
  /** Whether the caller includes encrypted reasoning. */
  readonly includesEncrypted: boolean;
}

export class ItemWriter {
  /** The items that are done. */
  readonly output: JsonObject[] = [];
  readonly #events: EventWriter;
  readonly #options: WriterOptions;
  readonly #ids = new Set<string>();
  #index = 0;
  #open: { readonly item: Item; readonly place: Place } | undefined;
  /** The place in `output` of the reasoning item for the signature of the open message. */
  #holder: number | undefined;
  /** What came with the last part of the open item. A part with a signature is the last one of its item. */
  #signature: Signature | undefined;
  /** The open item while a part of it is open. */
  #writing: Item | undefined;
  #refused = false;
  #called = false;

  constructor(events: EventWriter, options: WriterOptions) {
    this.#events = events;
    this.#options = options;
  }

  /** Whether the answer contains a refusal in words. */
  get refused(): boolean {
    return this.#refused;
  }

  start(event: PartStart): void {
    const { part } = event;
    if (part.kind === 'refusal') this.#refused = true;
    if (part.kind === 'opaque') {
      this.#writeBlock(part);
      return;
    }
    const isText = part.kind === 'text' || part.kind === 'refusal';
    const maySign = (event.signature ?? event.mayBeSigned) !== undefined;
    const needsHolder = this.#options.includesEncrypted && isText && maySign;
    const joins = this.#signature === undefined && (!needsHolder || this.#holder !== undefined);
    if (joins && this.#open?.item.takes?.(event)) {
      this.#resume(this.#open.item, event);
      return;
    }
    const isCall = part.kind === 'tool-call';
    if (isCall) this.#called = true;
    this.#finishOpen('completed', isCall ? 'commentary' : undefined);
    const id = asText(getOrigin(event.formatSpecific).item?.['id']);
    switch (part.kind) {
      case 'text':
      case 'refusal': {
        if (needsHolder) this.#holder = this.#findHolder();
        const place = this.#nextPlace('msg_', id);
        this.#begin(new MessageItem(place, event, this.#events, this.#options), place, event);
        return;
      }
      case 'thinking': {
        const place = this.#nextPlace('rs_', id);
        this.#begin(new ReasoningItem(place, event, this.#events), place, event);
        return;
      }
      case 'tool-call':
        this.#beginCall(part, event, id);
        return;
    }
  }

  delta({ text }: PartDelta): void {
    this.#writing?.delta(text);
  }

  detail(event: PartDetail): void {
    const { index, citation, signature } = event;
    const cite = this.#options.ended.get(index);
    if (cite && citation) cite(citation);
    else if (this.#writing) {
      this.#writing.detail?.(event);
      this.#signature = signature ?? this.#signature;
    }
  }

  logprobs({ tokens }: LogprobsEvent): void {
    this.#open?.item.logprobs?.(tokens);
  }

  end(): void {
    this.#writing?.end();
    this.#writing = undefined;
  }

  /** Writes an empty delta for the open text. @returns whether a text is open */
  keepAlive(): boolean {
    return this.#writing?.keepAlive?.() ?? false;
  }

  /** Ends the last item. @param answered whether its message is the answer, provided that nothing was called */
  finish(status: Status, answered: boolean): void {
    this.#finishOpen(status, answered && !this.#called ? 'final_answer' : undefined);
  }

  /** The items that the stream has shown so far, the open one as it is now. */
  shown(): readonly JsonObject[] {
    const open = this.#open;
    if (open === undefined || (open.item.isLate && this.#writing !== undefined)) return this.output;
    return [...this.output, open.item.render('in_progress')];
  }

  /** Makes a new id in OpenAI's style. */
  #makeId(prefix: string, index: number): string {
    return prefixedId(prefix, this.#options.stem + index.toString(16).padStart(2, '0'));
  }

  /** Makes the next place. An id that was used before is replaced: some services repeat ids. */
  #nextPlace(prefix: string, known?: string): Place {
    const index = this.#index;
    const id = known && !this.#ids.has(known) ? known : this.#makeId(prefix, index);
    this.#ids.add(id);
    this.#index += 1;
    return { id, index };
  }

  #writeAdded({ index: output_index }: Place, item: JsonObject): void {
    this.#events.write('response.output_item.added', { output_index, item });
  }

  #writeDone({ index: output_index }: Place, item: JsonObject): void {
    this.#events.write('response.output_item.done', { output_index, item });
    this.output.push(item);
  }

  /** Writes another vendor's signature for which this format has no field, as a reasoning item of its own. */
  #carry(signature: Signature, mark: Mark): void {
    this.#writeReasoning(sealSignature(signature, mark));
  }

  /** Finds the item for the signature of a message that begins, or writes one. */
  #findHolder(): number {
    const { type, encrypted_content } = this.output.at(-1) ?? {};
    if (type !== 'reasoning' || encrypted_content !== UNSIGNED) this.#writeReasoning(UNSIGNED);
    return this.output.length - 1;
  }

  #writeReasoning(encrypted_content: string): void {
    const place = this.#nextPlace('rs_');
    const item = { id: place.id, type: 'reasoning', summary: [], encrypted_content };
    this.#writeAdded(place, item);
    this.#writeDone(place, item);
  }

  #finishOpen(status: Status, phase?: Phase): void {
    if (!this.#open) return;
    const { item, place } = this.#open;
    this.#open = undefined;
    item.close?.();
    this.#writeDone(place, item.render(status, phase));
    const signature = item.signed === 'inside' ? undefined : this.#signature;
    const holder = this.#holder;
    const held = holder === undefined ? undefined : this.output[holder];
    if (signature && held && holder !== undefined)
      this.output[holder] = { ...held, encrypted_content: sealSignature(signature, 'm') };
    else if (signature && item.signed === 'after') this.#carry(signature, 'p');
    this.#holder = undefined;
  }

  #resume(item: Item, start: PartStart): void {
    this.#writing = item;
    // The signature of a call has been written before it.
    this.#signature = start.part.kind === 'tool-call' ? undefined : start.signature;
    item.start?.(start);
  }

  #begin(item: Item, place: Place, start: PartStart): void {
    this.#open = { item, place };
    if (!item.isLate) this.#writeAdded(place, item.render('in_progress'));
    this.#resume(item, start);
  }

  /** Writes an item that has come whole. A block that is no item of this format becomes an additional field. */
  #writeBlock(part: PartStart['part'] & { kind: 'opaque' }): void {
    const found = findWholeItem(part);
    // The result of a search names the block of its call.
    const isForeign = found === undefined || (part.searches && part.format !== 'responses');
    if (isForeign) this.#options.foreign.block(part.format, part.value);
    if (found === undefined) {
      this.#open?.item.close?.();
      return;
    }
    this.#finishOpen('completed', part.searches && 'commentary');
    if (part.image?.signature) this.#carry(part.image.signature, 'i');
    const place = this.#nextPlace(found.prefix, asText(found.item['id']));
    const item = { ...found.item, id: place.id };
    writeHostedItem(place, item, this.#events);
    this.output.push(item);
  }

  #beginCall(part: PartStart['part'] & { kind: 'tool-call' }, start: PartStart, id?: string): void {
    if (start.signature) this.#carry(start.signature, 'c');
    const clientCall = part.custom ? undefined : this.#options.clientCalls.get(part.name);
    const place = this.#nextPlace(clientCall?.prefix ?? (part.custom ? 'ctc_' : 'fc_'), id);
    const callId = part.id === '' ? this.#makeId('call_', place.index) : part.id;
    const item = clientCall
      ? clientCallItem(place, callId, clientCall, this.#events)
      : new CallItem(place, { ...part, id: callId }, start, this.#events, this.#findCallerName(part.name));
    this.#begin(item, place, start);
  }

  #findCallerName(name: string): CallerName {
    const { names, givenNames } = this.#options;
    return names.get(name) ?? { name: givenNames.get(name) ?? name };
  }
}
