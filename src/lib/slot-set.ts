/** A collection of things that come and go, in no order. */

/** What can be in such a collection: in one at a time. It knows its place, so it is found without a table. */
export interface Slotted {
  /** Its place; NO_SLOT while it is in no collection. Only the collection writes it. */
  slot: number;
}

/** The place of what is in no collection. */
export const NO_SLOT = -1;

/**
 * A collection for what comes and goes with every exchange. It is not a Set or a Map: each of those grows into a new
 * table now and then, and the old one points to the new (V8, OrderedHashTable), so once a dead table is in the old
 * generation, all that is ever added survives until the next full collection. Measured: a quarter of all that a request
 * allocates.
 */
export class SlotSet<T extends Slotted> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.slot = this.#items.length;
    this.#items.push(item);
  }

  /** Removes an item. Without effect if it is not in a collection. */
  remove(item: T): void {
    if (item.slot === NO_SLOT) return;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      last.slot = item.slot;
      this.#items[item.slot] = last;
    }
    item.slot = NO_SLOT;
  }

  /** Over a copy, because the loop's body may remove items. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items].values();
  }
}
