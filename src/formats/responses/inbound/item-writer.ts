/**
 * The parts of an answer as output items, one after another. An item is done only when it is known what comes after
 * it: the next part may be one more of its own, and the end says whether the last item is complete.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { LogprobsEvent, PartDelta, PartDetail, PartStart } from '../../../conversation/reply.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { originOf } from '../wire/format-specific.ts';
import type { CallersName } from '../wire/namespaces.ts';
import { type Mark, sealed } from '../wire/sealed-signature.ts';
import { callItem } from './call-item.ts';
import { clientCallItem } from './client-call-item.ts';
import type { ClientCall } from './client-calls.ts';
import { tellHosted } from './hosted-item.ts';
import { type MessageOptions, messageItem } from './message-item.ts';
import type { Item, Phase, Place, Status, Teller } from './output-item.ts';
import { reasoningItem } from './reasoning-item.ts';

export interface ItemWriter {
  start(event: PartStart): void;
  delta(event: PartDelta): void;
  detail(event: PartDetail): void;
  logprobs(event: LogprobsEvent): void;
  end(): void;
  /** Says nothing more of the text that is open. @returns whether one is */
  pause(): boolean;
  /** Ends the item that is open: the last one. @param answered whether a message is the answer, if nothing was called. */
  finish(status: Status, answered: boolean): void;
  /** The items that are done. */
  readonly output: readonly JsonObject[];
  /** The items that have been told of, the open one as it is now. */
  told(): readonly JsonObject[];
  /** Whether a refusal was said in words. */
  refused(): boolean;
}

export interface WriterOptions extends MessageOptions {
  /** A new id in the style of OpenAI's for what `prefix` says. */
  readonly makeId: (prefix: string, index: number) => string;
  /** How the caller calls tools that are in namespaces. */
  readonly names: ReadonlyMap<string, CallersName>;
  /** The tools among them that have items of their own for their calls. */
  readonly clientCalls: ReadonlyMap<string, ClientCall>;
}

export function itemWriter(tell: Teller, options: WriterOptions): ItemWriter {
  const { makeId, names, clientCalls, foreign } = options;
  const output: JsonObject[] = [];
  const ids = new Set<string>();
  let index = 0;
  let open: { readonly item: Item; readonly place: Place } | undefined;
  /** The open item while a part of it is open. */
  let speaking: Item | undefined;
  let refused = false;
  let called = false;

  /** The next place; an id that was used before (some services do) is replaced. */
  const nextPlace = (prefix: string, known?: string): Place => {
    const id = known && !ids.has(known) ? known : makeId(prefix, index);
    ids.add(id);
    index += 1;
    return { id, index: index - 1 };
  };

  const done = ({ index: output_index }: Place, item: JsonObject): void => {
    tell.say('response.output_item.done', { output_index, item });
    output.push(item);
  };

  /** A signature of another vendor's, on what this format has no field for, in a reasoning item of its own. */
  const carry = (signature: Signature, mark: Mark): void => {
    const place = nextPlace('rs_');
    const encrypted_content = sealed(signature, mark);
    const item = { id: place.id, type: 'reasoning', summary: [], encrypted_content };
    tell.say('response.output_item.added', { output_index: place.index, item });
    done(place, item);
  };

  const finish = (status: Status, phase?: Phase): void => {
    if (!open) return;
    const { item, place } = open;
    open = undefined;
    item.close?.();
    done(place, item.value(status, phase));
    const signature = item.unplaced();
    if (signature) carry(signature, 'p');
  };

  const begin = (item: Item, place: Place, start: PartStart): void => {
    open = { item, place };
    if (!item.isLate) {
      const value = item.value('in_progress');
      tell.say('response.output_item.added', { output_index: place.index, item: value });
    }
    resume(item, start);
  };

  const resume = (item: Item, start: PartStart): void => {
    speaking = item;
    item.start(start);
  };

  return {
    output,
    told() {
      if (open === undefined || (open.item.isLate && speaking !== undefined)) return output;
      return [...output, open.item.value('in_progress')];
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
      if (open?.item.takes(event)) return resume(open.item, event);
      const calls = part.kind === 'tool-call';
      if (calls) called = true;
      finish('completed', calls ? 'commentary' : undefined);
      const known = asText(originOf(event.formatSpecific).item?.['id']);
      switch (part.kind) {
        case 'text':
        case 'refusal': {
          const place = nextPlace('msg_', known);
          return begin(messageItem(place, event, tell, options), place, event);
        }
        case 'thinking': {
          const place = nextPlace('rs_', known);
          return begin(reasoningItem(place, event, tell), place, event);
        }
        case 'tool-call': {
          if (event.signature) carry(event.signature, 'c');
          const clients = part.custom ? undefined : clientCalls.get(part.name);
          const place = nextPlace(clients?.prefix ?? (part.custom ? 'ctc_' : 'fc_'), known);
          const id = part.id === '' ? makeId('call_', place.index) : part.id;
          if (clients) return begin(clientCallItem(place, id, clients, tell), place, event);
          return begin(callItem(place, { ...part, id }, event, tell, names), place, event);
        }
        case 'opaque': {
          const place = nextPlace('item_', asText(part.value['id']));
          const item = { ...part.value, id: place.id };
          tellHosted(place, item, tell);
          output.push(item);
        }
      }
    },
    delta: ({ text }) => speaking?.delta(text),
    detail: (event) => speaking?.detail(event),
    logprobs: ({ tokens }) => open?.item.logprobs?.(tokens),
    end() {
      speaking?.end();
      speaking = undefined;
    },
    pause: () => speaking?.pause() ?? false,
    finish: (status, answered) => finish(status, answered && !called ? 'final_answer' : undefined),
  };
}
