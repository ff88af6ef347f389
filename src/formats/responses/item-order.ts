/**
 * Items one after another. OpenAI streams them so; xAI runs searches side by side, and OpenRouter ends its reasoning
 * after the text. What comes of an item while another is open waits until that one is done. Only reasoning does not
 * make others wait: a text after it should be seen as it is written, and what still comes of the reasoning waits.
 */

import { asNumber, asObject, type JsonObject } from '../../json.ts';

type Due = (type: string, event: JsonObject, item: number) => void;

export interface ItemOrder {
  /** Takes one event of an item, and gives what is due now. */
  add(type: string, event: JsonObject): void;
  /** Gives what is still waiting. */
  flush(): void;
}

/** @param due called with the events in order, and with the number of the item each belongs to. */
export function itemOrder(due: Due): ItemOrder {
  const waiting = new Map<number, [type: string, event: JsonObject][]>();
  const done = new Set<number>();
  let open: number | undefined;
  let yields = false;

  const pass: Due = (type, event, item) => {
    if (type === 'response.output_item.added') yields = asObject(event['item'])?.['type'] === 'reasoning';
    if (type === 'response.output_item.done') {
      open = undefined;
      done.add(item);
    }
    due(type, event, item);
  };

  const release = (): void => {
    for (const [item, events] of waiting) {
      if (open !== undefined) return;
      if (events.length === 0) continue;
      waiting.delete(item);
      open = item;
      for (const [type, event] of events) pass(type, event, item);
    }
  };

  const addOther = (type: string, event: JsonObject, item: number): void => {
    if (open !== undefined && yields && type === 'response.output_item.added') {
      waiting.set(open, []);
      open = undefined;
    }
    const events = waiting.get(item);
    if (events) events.push([type, event]);
    else if (open !== undefined) waiting.set(item, [[type, event]]);
    else {
      open = item;
      pass(type, event, item);
    }
    if (open === undefined) release();
  };

  return {
    add(type, event) {
      const item = asNumber(event['output_index']) ?? open ?? 0;
      if (open === item) pass(type, event, item);
      else if (!done.has(item)) addOther(type, event, item);
      if (open === undefined && waiting.size > 0) release();
    },
    flush() {
      for (const [item, events] of waiting) for (const [type, event] of events) pass(type, event, item);
      waiting.clear();
    },
  };
}
