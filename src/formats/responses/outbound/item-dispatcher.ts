/** Gives the events of items to the readers of these items. */

import type { Tool } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';
import { ItemOrder, type ItemReceiver } from './item-order.ts';
import type { ItemReader } from './item-reader.ts';
import { itemReaders, type MakeReader } from './item-readers.ts';
import type { PartWriter } from './part-writer.ts';

/** The answer that items belong to. */
export interface AnswerOfItems {
  /** Called before each item. */
  begin(): void;
}

/** An event of a call that was not added yet: the name of its tool is still to come. */
interface EarlyEvent {
  readonly at: number;
  readonly what: ItemEvent;
  readonly event: JsonObject;
}

export class ItemDispatcher implements ItemReceiver {
  readonly #answer: AnswerOfItems;
  readonly #makeReader: MakeReader;
  /** Items that are not done yet, by their numbers. */
  readonly #open = new Map<number, { readonly reader: ItemReader; readonly item: JsonObject }>();
  #early: EarlyEvent[] | undefined;
  #seen = false;
  /** A whole answer has no events. */
  #order: ItemOrder | undefined;

  constructor(answer: AnswerOfItems, parts: PartWriter, tools: readonly Tool[] | undefined) {
    this.#answer = answer;
    this.#makeReader = itemReaders(parts, tools);
  }

  /** Takes one event of an item. */
  add(what: ItemEvent, event: JsonObject): void {
    this.#order ??= new ItemOrder(this);
    this.#order.add(what, event);
  }

  /**
   * Ends the items that are not done yet.
   * @param output the items of the finished response: all of the answer if no events of items came.
   */
  finish(output: readonly JsonObject[]): void {
    this.#order?.flush();
    for (const [at, { reader, item }] of this.#open) {
      reader.done(findWhole(item, at, output) ?? item);
    }
    this.#open.clear();
    if (!this.#seen) for (const [at, item] of output.entries()) this.#openItem(at, item).done(item);
  }

  /** @internal The events whose turn it is. */
  receive(what: ItemEvent, event: JsonObject, at: number): void {
    const known = this.#open.get(at)?.reader;
    if (what.type === 'item-added') {
      if (!known) this.#openItem(at, asObject(event['item']) ?? {});
    } else if (what.type === 'item-done') {
      const item = asObject(event['item']) ?? {};
      (known ?? this.#openItem(at, item)).done(item);
      this.#open.delete(at);
    } else if (!known && what.kind.part === 'tool-call') {
      this.#early ??= [];
      this.#early.push({ at, what, event });
    } else {
      // The item was never added, so its first event says of what kind it is.
      const type = what.kind.part === 'thinking' ? 'reasoning' : 'message';
      (known ?? this.#openItem(at, { type })).read(what, event);
    }
  }

  #openItem(at: number, item: JsonObject): ItemReader {
    this.#answer.begin();
    this.#seen = true;
    const reader = this.#makeReader(at, item);
    this.#open.set(at, { reader, item });
    for (const held of this.#early ?? []) if (held.at === at) reader.read(held.what, held.event);
    return reader;
  }
}

/** An item in the output of the finished response: the one with its id, or else the one at its place. */
function findWhole(
  { type, id, call_id }: JsonObject,
  at: number,
  output: readonly JsonObject[],
): JsonObject | undefined {
  const same = output.find((item) => {
    if (item['type'] !== type) return false;
    return (call_id && item['call_id'] === call_id) || (id && item['id'] === id);
  });
  const there = output[at];
  return same ?? (there?.['type'] === type ? there : undefined);
}
