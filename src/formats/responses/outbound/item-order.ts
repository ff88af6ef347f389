/**
 * Items one after another. OpenAI streams them so; xAI runs searches side by side, and OpenRouter ends its reasoning
 * after the text. What comes of an item while another is open waits until that one is done. Only reasoning does not
 * make others wait: a text after it should be seen as it is written, and what still comes of the reasoning waits.
 */

import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';

type Due = (what: ItemEvent, event: JsonObject, item: number) => void;

export interface ItemOrder {
  /** Takes one event of an item, and gives what is due now. */
  add(what: ItemEvent, event: JsonObject): void;
  /** Gives what is still waiting. */
  flush(): void;
}

/** @param due called with the events in order, and with the number of the item each belongs to. */
export function itemOrder(due: Due): ItemOrder {
  const waiting = new Map<number, [what: ItemEvent, event: JsonObject][]>();
  const done = new Set<number>();
  const numberOf = numbering(done);
  let open: number | undefined;
  let yields = false;

  const pass: Due = (what, event, item) => {
    if (what.verb === 'item') yields = asObject(event['item'])?.['type'] === 'reasoning';
    else if (what.verb === 'item-done') {
      open = undefined;
      done.add(item);
    }
    due(what, event, item);
  };

  const release = (): void => {
    for (const [item, events] of waiting) {
      if (open !== undefined) return;
      if (events.length === 0) continue;
      waiting.delete(item);
      open = item;
      for (const [what, event] of events) pass(what, event, item);
    }
  };

  const addOther = (what: ItemEvent, event: JsonObject, item: number): void => {
    if (open !== undefined && yields && what.verb === 'item') {
      waiting.set(open, []);
      open = undefined;
    }
    const events = waiting.get(item);
    if (events) events.push([what, event]);
    else if (open !== undefined) waiting.set(item, [[what, event]]);
    else {
      open = item;
      pass(what, event, item);
    }
  };

  return {
    add(what, event) {
      const item = numberOf(what, event);
      if (open === item) pass(what, event, item);
      else if (!done.has(item)) addOther(what, event, item);
      if (open === undefined && waiting.size > 0) release();
    },
    flush() {
      for (const [item, events] of waiting) for (const [what, event] of events) pass(what, event, item);
      waiting.clear();
    },
  };
}

/**
 * Which item an event is about, where it has no number either (llama.cpp): the one of its name, or the last one, as long
 * as that has no other name and is not done.
 */
function numbering(done: ReadonlySet<number>): (what: ItemEvent, event: JsonObject) => number {
  const named = new Map<string, number>();
  let last = -1;
  let lastName: string | undefined;
  return ({ verb }, event) => {
    const name = nameOf(event);
    const number = asNumber(event['output_index']) ?? (name === undefined ? undefined : named.get(name));
    const isOther = name !== undefined && lastName !== undefined;
    if (number !== undefined) last = number;
    else if (verb === 'item' || last < 0 || isOther || done.has(last)) {
      last += 1;
      lastName = undefined;
    }
    if (name !== undefined) {
      named.set(name, last);
      lastName = name;
    }
    return last;
  };
}

/** A call may have no name but its own: llama.cpp's pieces of arguments go by that. */
function nameOf(event: JsonObject): string | undefined {
  const item = asObject(event['item']);
  return asText(event['item_id']) ?? asText(item?.['id']) ?? asText(item?.['call_id']);
}
