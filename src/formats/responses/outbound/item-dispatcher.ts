/** Gives the events of items to the readers of these items. */

import type { Tool } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';
import { type ItemOrder, itemOrder } from './item-order.ts';
import type { ItemReader } from './item-reader.ts';
import { itemReaders } from './item-readers.ts';
import type { PartWriter } from './part-writer.ts';

export interface ItemDispatcher {
  /** Takes one event of an item. */
  add(what: ItemEvent, event: JsonObject): void;
  /**
   * Ends the items that are not done yet.
   * @param output the items of the finished response: all of the answer if no events of items came.
   */
  finish(output: readonly JsonObject[]): void;
}

/**
 * Dispatches the events of one answer.
 * @param tools the tools of the prompt.
 * @param begin called before each item.
 */
export function itemDispatcher(
  parts: PartWriter,
  tools: readonly Tool[] | undefined,
  begin: () => void,
): ItemDispatcher {
  const createReader = itemReaders(parts, tools);
  /** Items that are not done yet, by their numbers. */
  const open = new Map<number, { readonly reader: ItemReader; readonly item: JsonObject }>();
  /** Events of calls that were not added yet: the names of their tools are still to come. */
  const early: { readonly at: number; readonly what: ItemEvent; readonly event: JsonObject }[] = [];
  let seen = false;

  const openItem = (at: number, item: JsonObject): ItemReader => {
    begin();
    seen = true;
    const reader = createReader(at, item);
    open.set(at, { reader, item });
    for (const held of early) if (held.at === at) reader.read(held.what, held.event);
    return reader;
  };

  const dispatch = (what: ItemEvent, event: JsonObject, at: number): void => {
    const known = open.get(at)?.reader;
    if (what.type === 'item-added') {
      if (!known) openItem(at, asObject(event['item']) ?? {});
    } else if (what.type === 'item-done') {
      const item = asObject(event['item']) ?? {};
      (known ?? openItem(at, item)).done(item);
      open.delete(at);
    } else if (!known && what.kind.part === 'tool-call') early.push({ at, what, event });
    else {
      // The item was never added, so its first event says of what kind it is.
      const type = what.kind.part === 'thinking' ? 'reasoning' : 'message';
      (known ?? openItem(at, { type })).read(what, event);
    }
  };
  /** A whole answer has no events. */
  let order: ItemOrder | undefined;

  return {
    add(what, event) {
      order ??= itemOrder(dispatch);
      order.add(what, event);
    },
    finish(output) {
      order?.flush();
      for (const [at, { reader, item }] of open) {
        const whole = output[at];
        reader.done(whole && whole['type'] === item['type'] ? whole : item);
      }
      open.clear();
      if (!seen) for (const [at, item] of output.entries()) openItem(at, item).done(item);
    },
  };
}
