/** What the kinds of output items have in common while they are read. */

import { type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import type { ItemEvent } from './item-events.ts';

/** Reads one item. All that did not come in events is made up for by the whole item at its end. */
export interface ItemReader {
  /** An event of the item's between its added and its done. */
  read(what: ItemEvent, event: JsonObject): void;
  /** The item, whole. */
  done(item: JsonObject): void;
}

/** An item's fields without nulls, and without `status`: that is made from the answer's own end. */
export function present(fields: JsonObject): JsonObject {
  const { status: _, ...others } = fields;
  return withoutNulls(others);
}

/** What is missing of `whole` where `length` of it came before. */
export function restOf(whole: Json | undefined, length: number): string {
  return typeof whole === 'string' ? whole.slice(length) : '';
}
