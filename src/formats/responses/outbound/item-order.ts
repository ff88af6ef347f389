/**
 * Puts interleaved items one after another. OpenAI streams them like that; xAI runs searches side by side, and OpenRouter
 * ends its reasoning after the text. Events of an item that come while another one is open wait until that one is done.
 * Only reasoning does not make others wait: the caller should see a text after it as it is written, so what still comes
 * of the reasoning waits instead.
 */

import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';

/** Receives events in order. */
export interface ItemReceiver {
  /** @param item the number of the item that the event belongs to */
  receive(what: ItemEvent, event: JsonObject, item: number): void;
}

type WaitingEvents = [what: ItemEvent, event: JsonObject][];
type Waiting = Map<number, WaitingEvents>;

/** The first number of the items whose own number was taken; no answer has so many items. */
const FIRST_MOVED = 1_000_000;

/** Orders the events of one answer. */
export class ItemOrder {
  readonly #receiver: ItemReceiver;
  /** The numbers of the items that are done. */
  readonly #done = new Set<number>();
  readonly #numbers = new Map<string, number>();
  /** What names the items that were added or came whole, by their numbers. */
  readonly #items = new Map<number, ItemNames>();
  /** The numbers of items whose `output_index` another item has, by that index. Absent while no two items share one. */
  #moved: Map<number, number> | undefined;
  #last = -1;
  #lastId: string | undefined;
  /** Events that wait, by the numbers of their items. Most answers have none. */
  #waiting: Waiting | undefined;
  #open: number | undefined;
  /** Whether the open item is reasoning, which lets others begin. */
  #yields = false;

  constructor(receiver: ItemReceiver) {
    this.#receiver = receiver;
  }

  /** Takes one event of an item, and passes on the events whose turn it is. */
  add(what: ItemEvent, event: JsonObject): void {
    const item = this.#findNumber(what, event);
    if (this.#open === item) this.#pass(what, event, item);
    else if (!this.#done.has(item)) this.#addToOther(what, event, item);
    if (this.#open === undefined && this.#waiting !== undefined) this.#release(this.#waiting);
  }

  /** Passes on all events that are still waiting. */
  flush(): void {
    for (const [item, events] of this.#waiting ?? [])
      for (const [what, event] of events) this.#pass(what, event, item);
    this.#waiting = undefined;
  }

  /**
   * Finds the number of the item that an event is about. llama.cpp's events have none. Such an event belongs to the item
   * with the same id, or else to the last item, unless that has another id or is done.
   */
  #findNumber({ type }: ItemEvent, event: JsonObject): number {
    const id = findItemId(event);
    const number = this.#findGiven(type, event, id);
    const isOther = id !== undefined && this.#lastId !== undefined;
    if (number !== undefined) this.#last = number;
    else if (type === 'item-added' || this.#last < 0 || isOther || this.#done.has(this.#last)) {
      this.#last += 1;
      this.#lastId = undefined;
    }
    if (id !== undefined) {
      this.#numbers.set(id, this.#last);
      this.#lastId = id;
    }
    return this.#last;
  }

  /** The number that an event names: by its `output_index`, or else by the id of its item. */
  #findGiven(type: ItemEvent['type'], event: JsonObject, id: string | undefined): number | undefined {
    const index = asNumber(event['output_index']);
    const known = id === undefined ? undefined : this.#numbers.get(id);
    if (index === undefined) return known;
    // Some services change the ids with each event, so ids count only once the numbers have proved wrong.
    const number = (this.#moved && known) ?? this.#moved?.get(index) ?? index;
    if (type !== 'item-added' && type !== 'item-done') return number;
    // Gateways that number the calls of chat-completions give the first call the number of the thought or the text before
    // it (decolua/9router#2611, theopenco/llmgateway#2908).
    const names = findNames(event);
    const isTaken = this.#isOther(number, names, type === 'item-done');
    const given = isTaken ? FIRST_MOVED + this.#items.size : number;
    if (isTaken) {
      this.#moved ??= new Map();
      this.#moved.set(index, given);
    }
    this.#items.set(given, names);
    return given;
  }

  /** Whether an item that is added, or that ends, is another one than the one with its number. */
  #isOther(number: number, item: ItemNames, isEnd: boolean): boolean {
    const isDone = this.#done.has(number);
    if (isDone && !isEnd) return true;
    const before = this.#items.get(number);
    if (before === undefined) return false;
    if (isUnlike(before.type, item.type)) return true;
    if (before.callId && item.callId)
      return before.callId !== item.callId && (!before.id || before.id !== item.id);
    // The end of an open item may have another id than its beginning.
    return (isDone || !isEnd) && isUnlike(before.id, item.id);
  }

  #pass(what: ItemEvent, event: JsonObject, item: number): void {
    if (this.#done.has(item)) return;
    if (what.type === 'item-added') this.#yields = asObject(event['item'])?.['type'] === 'reasoning';
    else if (what.type === 'item-done') {
      this.#open = undefined;
      this.#done.add(item);
    }
    this.#receiver.receive(what, event, item);
  }

  #release(waiting: Waiting): void {
    for (const [item, events] of waiting) {
      if (this.#open !== undefined) return;
      if (events.length === 0) continue;
      waiting.delete(item);
      this.#open = item;
      for (const [what, event] of events) this.#pass(what, event, item);
    }
  }

  #addToOther(what: ItemEvent, event: JsonObject, item: number): void {
    if (this.#open !== undefined && this.#yields && what.type === 'item-added') {
      this.#wait(this.#open, []);
      this.#open = undefined;
    }
    const events = this.#waiting?.get(item);
    if (events) events.push([what, event]);
    else if (this.#open !== undefined) this.#wait(item, [[what, event]]);
    else {
      this.#open = item;
      this.#pass(what, event, item);
    }
  }

  #wait(item: number, events: WaitingEvents): void {
    this.#waiting ??= new Map();
    this.#waiting.set(item, events);
  }
}

/** What tells an item from others. */
interface ItemNames {
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly callId: string | undefined;
}

function findNames(event: JsonObject): ItemNames {
  const { type, id, call_id } = asObject(event['item']) ?? {};
  return { type: asText(type), id: asText(id), callId: asText(call_id) };
}

/** Whether both names are given, and differ. */
function isUnlike(one: string | undefined, other: string | undefined): boolean {
  return Boolean(one && other) && one !== other;
}

/** The id of the item of an event. llama.cpp's deltas of arguments go by the id of the call. */
function findItemId(event: JsonObject): string | undefined {
  const item = asObject(event['item']);
  return asText(event['item_id']) ?? asText(item?.['id']) ?? asText(item?.['call_id']);
}
