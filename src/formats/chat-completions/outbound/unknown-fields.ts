/** The fields of an answer that the gateway does not know. They pass on unchanged, beside those that it knows. */

import { isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

export interface UnknownFields {
  /** Keeps a field instead of its earlier value. Null and empty values are not kept. */
  keep(key: string, value: Json | undefined): void;
  /** All fields so far; undefined if there are none. */
  fields(): JsonObject | undefined;
}

/** A collection without fields. */
export function collectUnknownFields(): UnknownFields {
  let kept: Map<string, Json> | undefined;
  return {
    keep(key, value) {
      if (value === undefined || isEmptyValue(value)) return;
      kept ??= new Map();
      kept.set(key, value);
    },
    // `fromEntries` defines its keys, so `__proto__` is a key like any other.
    fields: () => kept && Object.fromEntries(kept),
  };
}

function isEmptyValue(value: Json): boolean {
  if (value === null || value === '') return true;
  if (isObject(value)) return isEmpty(value);
  return Array.isArray(value) && value.length === 0;
}
