/**
 * Fields that come in pieces, chunk by chunk. They are gathered in place: to copy what has come with each chunk would
 * cost the square of their number.
 */

import type { Json, JsonObject } from '../../../lib/json.ts';
import { isList, isObject } from '../../../lib/json.ts';

/** Fields gathered over the chunks of an answer. */
export interface MergedFields {
  /**
   * Adds a field. It replaces an earlier value of its name, except that an object adds its fields to those of an
   * earlier object, and lists of citations grow.
   */
  add(name: string, value: Json): void;
  /** The fields so far. Costs their number. */
  toObject(): JsonObject;
}

/** Lists of which a later chunk has only the further items. */
const GROWING: readonly string[] = ['citations', 'citationSources'];

/** Made for the first field: most answers have none. */
interface GatheredFields {
  readonly plain: Map<string, Json>;
  readonly objects: Map<string, GrowingObject>;
}

interface GrowingObject {
  readonly fields: Map<string, Json>;
  readonly lists: Map<string, Json[]>;
}

/** No fields at all. */
export function mergedFields(): MergedFields {
  let gathered: GatheredFields | undefined;
  return {
    add(name, value) {
      gathered ??= { plain: new Map(), objects: new Map() };
      const { plain, objects } = gathered;
      if (!isObject(value)) {
        objects.delete(name);
        plain.set(name, value);
        return;
      }
      const known = objects.get(name) ?? { fields: new Map(), lists: new Map() };
      plain.delete(name);
      objects.set(name, known);
      grow(known, value);
    },
    toObject: () => (gathered === undefined ? {} : toObject(gathered)),
  };
}

function toObject({ plain, objects }: GatheredFields): JsonObject {
  return {
    ...Object.fromEntries(plain),
    ...Object.fromEntries(
      Array.from(objects, ([name, { fields, lists }]) => [
        name,
        { ...Object.fromEntries(fields), ...Object.fromEntries(lists) },
      ]),
    ),
  };
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
