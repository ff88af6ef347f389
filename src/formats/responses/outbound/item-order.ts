/**
 * Puts interleaved items one after another. OpenAI streams them like that; xAI runs searches side by side, and OpenRouter
 * ends its reasoning after the text. Events of an item that come while another one is open wait until that one is done.
 * Only reasoning does not make others wait: the caller should see a text after it as it is written, so what still comes
 * of the reasoning waits instead.
 */

import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';

/** Receives events in order. @param item the number of the item that the event belongs to */
type Receiver = (what: ItemEvent, event: JsonObject, item: number) => void;

export interface ItemOrder {
  /** Takes one event of an item, and passes on the events whose turn it is. */
  add(what: ItemEvent, event: JsonObject): void;
  /** Passes on all events that are still waiting. */
  flush(): void;
}

/** Orders the events of one answer. */
export function itemOrder(receive: Receiver): ItemOrder {
  const waiting = new Map<number, [what: ItemEvent, event: JsonObject][]>();
  const done = new Set<number>();
  const findNumber = itemNumbers(done);
  let open: number | undefined;
  /** Whether the open item is reasoning, which lets others begin. */
  let yields = false;

  const pass: Receiver = (what, event, item) => {
    if (what.type === 'item-added') yields = asObject(event['item'])?.['type'] === 'reasoning';
    else if (what.type === 'item-done') {
      open = undefined;
      done.add(item);
    }
    receive(what, event, item);
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

  const addToOther = (what: ItemEvent, event: JsonObject, item: number): void => {
    if (open !== undefined && yields && what.type === 'item-added') {
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
      const item = findNumber(what, event);
      if (open === item) pass(what, event, item);
      else if (!done.has(item)) addToOther(what, event, item);
      if (open === undefined && waiting.size > 0) release();
    },
    flush() {
      for (const [item, events] of waiting) for (const [what, event] of events) pass(what, event, item);
      waiting.clear();
    },
  };
}

/**
 * Finds the number of the item that an event is about. llama.cpp's events have none. Such an event belongs to the item
 * with the same id, or else to the last item, unless that has another id or is done.
 * @param done the numbers of the items that are done.
 */
function itemNumbers(done: ReadonlySet<number>): (what: ItemEvent, event: JsonObject) => number {
  const numbers = new Map<string, number>();
  let last = -1;
  let lastId: string | undefined;
  return ({ type }, event) => {
    const id = findItemId(event);
    const number = asNumber(event['output_index']) ?? (id === undefined ? undefined : numbers.get(id));
    const isOther = id !== undefined && lastId !== undefined;
    if (number !== undefined) last = number;
    else if (type === 'item-added' || last < 0 || isOther || done.has(last)) {
      last += 1;
      lastId = undefined;
    }
    if (id !== undefined) {
      numbers.set(id, last);
      lastId = id;
    }
    return last;
  };
}

/** The id of the item of an event. llama.cpp's deltas of arguments go by the id of the call. */
function findItemId(event: JsonObject): string | undefined {
  const item = asObject(event['item']);
  return asText(event['item_id']) ?? asText(item?.['id']) ?? asText(item?.['call_id']);
}
