/** What the readers of all kinds of output items have in common. */

import { type Json, type JsonObject, otherFields, withoutNulls } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';

/** Reads one item. The whole item at its end makes up for everything that did not come in events. */
export interface ItemReader {
  /** Takes an event between the item's `added` and its `done`. */
  read(what: ItemEvent, event: JsonObject): void;
  /** Takes the whole item. */
  done(item: JsonObject): void;
}

/**
 * Returns the fields of an item or a part that are not null.
 * @param read the names of those that are left out, since they are read elsewhere. `status` is one of an item's: it is
 *   rendered from the end of the answer.
 */
export function remainingFields(fields: JsonObject, read: ReadonlySet<string>): JsonObject {
  return withoutNulls(otherFields(fields, read));
}

/** What is missing of a `whole` text of which `length` UTF-16 code units came before. */
export function findRest(whole: Json | undefined, length: number): string {
  return typeof whole === 'string' ? whole.slice(length) : '';
}
