/**
 * Fields that come in pieces, chunk by chunk. They are gathered in place: to copy what has come with each chunk would
 * cost the square of their number.
 */

import { isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Lists of which a later chunk has only the further items. */
const GROWING: readonly string[] = ['citations', 'citationSources'];

interface GrowingObject {
  readonly fields: Map<string, Json>;
  readonly lists: Map<string, Json[]>;
}

/** Fields gathered over the chunks of an answer. Made for the first one: most answers have none. */
export class MergedFields {
  readonly #plain = new Map<string, Json>();
  readonly #objects = new Map<string, GrowingObject>();

  /**
   * Adds a field. It replaces an earlier value of its name, except that an object adds its fields to those of an
   * earlier object, and lists of citations grow.
   */
  add(name: string, value: Json): void {
    if (!isObject(value)) {
      this.#objects.delete(name);
      this.#plain.set(name, value);
      return;
    }
    const known = this.#objects.get(name) ?? { fields: new Map(), lists: new Map() };
    this.#plain.delete(name);
    this.#objects.set(name, known);
    grow(known, value);
  }

  /** The fields so far. Costs their number. */
  toObject(): JsonObject {
    return {
      ...Object.fromEntries(this.#plain),
      ...Object.fromEntries(
        Array.from(this.#objects, ([name, { fields, lists }]) => [
          name,
          { ...Object.fromEntries(fields), ...Object.fromEntries(lists) },
        ]),
      ),
    };
  }
}

function grow({ fields, lists }: GrowingObject, added: JsonObject): void {
  for (const [key, value] of Object.entries(added)) {
    if (value === undefined) continue;
    if (!GROWING.includes(key) || !isList(value)) {
      lists.delete(key);
      fields.set(key, value);
      continue;
    }
    const list = lists.get(key) ?? [];
    for (const item of value) list.push(item);
    fields.delete(key);
    lists.set(key, list);
  }
}
