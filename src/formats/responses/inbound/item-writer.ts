/**
 * Writes the parts of an answer as output items, one after another. An item is done only when the next part is known:
 * that part may belong to the same item, and the end of the answer says whether the last item is complete.
 *
 * A message has no field for another vendor's signature. For callers who include encrypted reasoning, it is in the
 * reasoning item before the message, since many callers take the last item for the answer. In a stream that item is done
 * when the signature comes, at the end of the text. So only the whole response at the end has it.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { LogprobsEvent, PartDelta, PartDetail, PartStart } from '../../../conversation/reply.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { NamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';
import { type Mark, sealSignature } from '../wire/sealed-signature.ts';
import { type CallerName, callItem } from './call-item.ts';
import { clientCallItem } from './client-call-item.ts';
import type { ClientCall } from './client-calls.ts';
import { writeHostedItem } from './hosted-item.ts';
import { messageItem } from './message-item.ts';
import type { TextOptions } from './message-text.ts';
import type { EventWriter, Item, Phase, Place, Status } from './output-item.ts';
import { reasoningItem } from './reasoning-item.ts';

export interface ItemWriter {
  start(event: PartStart): void;
  delta(event: PartDelta): void;
  detail(event: PartDetail): void;
  logprobs(event: LogprobsEvent): void;
  end(): void;
  /** Writes an empty delta for the open text. @returns whether a text is open */
  keepAlive(): boolean;
  /** Ends the last item. @param answered whether its message is the answer, provided that nothing was called */
  finish(status: Status, answered: boolean): void;
  /** The items that are done. */
  readonly output: readonly JsonObject[];
  /** The items that the stream has shown so far, the open one as it is now. */
  shown(): readonly JsonObject[];
  /** Whether the answer contains a refusal in words. */
  refused(): boolean;
}

export interface WriterOptions extends TextOptions {
  /** Makes a new id in OpenAI's style. */
  readonly makeId: (prefix: string, index: number) => string;
  /** The namespaced names of the caller's tools, by their neutral names. */
  readonly names: ReadonlyMap<string, NamespacedName>;
  /** The caller's names of tools that go by others, by these. */
  readonly givenNames: ReadonlyMap<string, string>;
  /** The tools whose calls are items of their own kind. */
  readonly clientCalls: ReadonlyMap<string, ClientCall>;
  /** Whether the caller includes encrypted reasoning. */
  readonly includesEncrypted: boolean;
}

/** Writes the items of one answer. */
export function itemWriter(events: EventWriter, options: WriterOptions): ItemWriter {
  const { makeId, names, givenNames, clientCalls, foreign, includesEncrypted } = options;
  const output: JsonObject[] = [];
  const ids = new Set<string>();
  let index = 0;
  let open: { readonly item: Item; readonly place: Place } | undefined;
  /** The place in `output` of the reasoning item for the signature of the open message. */
  let holder: number | undefined;
  /** The open item while a part of it is open. */
  let writing: Item | undefined;
  let refused = false;
  let called = false;

  /** Makes the next place. An id that was used before is replaced: some services repeat ids. */
  const nextPlace = (prefix: string, known?: string): Place => {
    const id = known && !ids.has(known) ? known : makeId(prefix, index);
    ids.add(id);
    index += 1;
    return { id, index: index - 1 };
  };

  const writeAdded = ({ index: output_index }: Place, item: JsonObject): void =>
    events.write('response.output_item.added', { output_index, item });

  const writeDone = ({ index: output_index }: Place, item: JsonObject): void => {
    events.write('response.output_item.done', { output_index, item });
    output.push(item);
  };

  /** Writes another vendor's signature for which this format has no field, as a reasoning item of its own. */
  const carry = (signature: Signature, mark: Mark): void => {
    const place = nextPlace('rs_');
    const encrypted_content = sealSignature(signature, mark);
    const item = { id: place.id, type: 'reasoning', summary: [], encrypted_content };
    writeAdded(place, item);
    writeDone(place, item);
  };

  /** Finds the item for the signature of a message that begins, or writes one. */
  const findHolder = (): number => {
    const { type, encrypted_content } = output.at(-1) ?? {};
    if (type !== 'reasoning' || encrypted_content !== UNSIGNED) {
      const place = nextPlace('rs_');
      const item = { id: place.id, type: 'reasoning', summary: [], encrypted_content: UNSIGNED };
      writeAdded(place, item);
      writeDone(place, item);
    }
    return output.length - 1;
  };

  const finish = (status: Status, phase?: Phase): void => {
    if (!open) return;
    const { item, place } = open;
    open = undefined;
    item.close?.();
    writeDone(place, item.render(status, phase));
    const signature = item.unplacedSignature();
    const held = holder === undefined ? undefined : output[holder];
    if (signature && held && holder !== undefined)
      output[holder] = { ...held, encrypted_content: sealSignature(signature, 'm') };
    else if (signature && !item.isMessage) carry(signature, 'p');
    holder = undefined;
  };

  const resume = (item: Item, start: PartStart): void => {
    writing = item;
    item.start(start);
  };

  const begin = (item: Item, place: Place, start: PartStart): void => {
    open = { item, place };
    if (!item.isLate) writeAdded(place, item.render('in_progress'));
    resume(item, start);
  };

  const findCallerName = (name: string): CallerName =>
    names.get(name) ?? { name: givenNames.get(name) ?? name };

  const beginCall = (part: PartStart['part'] & { kind: 'tool-call' }, start: PartStart, id?: string) => {
    if (start.signature) carry(start.signature, 'c');
    const clientCall = part.custom ? undefined : clientCalls.get(part.name);
    const place = nextPlace(clientCall?.prefix ?? (part.custom ? 'ctc_' : 'fc_'), id);
    const callId = part.id === '' ? makeId('call_', place.index) : part.id;
    const item = clientCall
      ? clientCallItem(place, callId, clientCall, events)
      : callItem(place, { ...part, id: callId }, start, events, findCallerName(part.name));
    begin(item, place, start);
  };

  return {
    output,
    shown() {
      if (open === undefined || (open.item.isLate && writing !== undefined)) return output;
      return [...output, open.item.render('in_progress')];
    },
    refused: () => refused,
    start(event) {
      const { part } = event;
      if (part.kind === 'refusal') refused = true;
      if (part.kind === 'opaque' && part.format !== 'responses') {
        foreign.block(part.format, part.value);
        open?.item.close?.();
        return;
      }
      const isText = part.kind === 'text' || part.kind === 'refusal';
      const needsHolder = includesEncrypted && isText && (event.signature ?? event.mayBeSigned) !== undefined;
      const joins = !needsHolder || holder !== undefined;
      if (joins && open?.item.takes(event)) return resume(open.item, event);
      const isCall = part.kind === 'tool-call';
      if (isCall) called = true;
      finish('completed', isCall ? 'commentary' : undefined);
      const id = asText(getOrigin(event.formatSpecific).item?.['id']);
      switch (part.kind) {
        case 'text':
        case 'refusal': {
          if (needsHolder) holder = findHolder();
          const place = nextPlace('msg_', id);
          return begin(messageItem(place, event, events, options), place, event);
        }
        case 'thinking': {
          const place = nextPlace('rs_', id);
          return begin(reasoningItem(place, event, events), place, event);
        }
        case 'tool-call':
          return beginCall(part, event, id);
        case 'opaque': {
          const place = nextPlace('item_', asText(part.value['id']));
          const item = { ...part.value, id: place.id };
          writeHostedItem(place, item, events);
          output.push(item);
        }
      }
    },
    delta: ({ text }) => writing?.delta(text),
    detail: (event) => writing?.detail(event),
    logprobs: ({ tokens }) => open?.item.logprobs?.(tokens),
    end() {
      writing?.end();
      writing = undefined;
    },
    keepAlive: () => writing?.keepAlive() ?? false,
    finish: (status, answered) => finish(status, answered && !called ? 'final_answer' : undefined),
  };
}
