/** The fields of an answer that the gateway does not know. They pass on unchanged, beside those that it knows. */

import { isEmpty, isObject, type Json, type JsonObject, splitFields } from '../../../lib/json.ts';

/** Fields of OpenAI's that are passed on unread. */
const OWN: ReadonlySet<string> = new Set(['moderation']);

/** Splits fields into OpenAI's own, which other formats may not have under that name, and unknown ones. */
export function splitOwn(fields: JsonObject): [JsonObject, JsonObject] {
  return splitFields(fields, OWN);
}

export class UnknownFields {
  #kept: Map<string, Json> | undefined;

  /** Keeps a field instead of its earlier value. Null and empty values are not kept. */
  keep(key: string, value: Json | undefined): void {
    if (value === undefined || isEmptyValue(value)) return;
    this.#kept ??= new Map();
    this.#kept.set(key, value);
  }

  /** All fields so far; undefined if there are none. */
  fields(): JsonObject | undefined {
    // `fromEntries` defines its keys, so `__proto__` is a key like any other.
    return this.#kept && Object.fromEntries(this.#kept);
  }
}

function isEmptyValue(value: Json): boolean {
  if (value === null || value === '') return true;
  if (isObject(value)) return isEmpty(value);
  return Array.isArray(value) && value.length === 0;
}
