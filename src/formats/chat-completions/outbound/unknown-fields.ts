/** The fields of an answer that the gateway does not know. They pass on unchanged, beside those that it knows. */

import { isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

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
