/** Fields of an answer that nobody here reads: told beside those that are, as they came. */

import { isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

export interface UnknownFields {
  /** Keeps a field, in place of an earlier value; null and what is empty is not kept. */
  keep(key: string, value: Json | undefined): void;
  /** All that was kept, or undefined where nothing was. */
  fields(): JsonObject | undefined;
}

export function collectUnknownFields(): UnknownFields {
  const kept = new Map<string, Json>();
  return {
    keep(key, value) {
      if (value === undefined || saysNothing(value)) return;
      kept.set(key, value);
    },
    // fromEntries defines its keys, so that `__proto__` is one as any other.
    fields: () => (kept.size > 0 ? Object.fromEntries(kept) : undefined),
  };
}

function saysNothing(value: Json): boolean {
  if (value === null || value === '') return true;
  if (isObject(value)) return isEmpty(value);
  return Array.isArray(value) && value.length === 0;
}
