/** Fields of an answer that nobody here reads: told beside those that are, as they came. */

import { isDeeper } from '../../conversation/arguments.ts';
import { isEmpty, isObject, type Json, type JsonObject } from '../../json.ts';
import { broken, MAX_DEPTH } from '../event-data.ts';

export interface Leftovers {
  /** Keeps a field, in place of an earlier value; null and what is empty is not kept. */
  keep(key: string, value: Json | undefined): void;
  /** All that was kept, or undefined where nothing was. */
  fields(): JsonObject | undefined;
}

export function leftovers(): Leftovers {
  const kept = new Map<string, Json>();
  return {
    keep(key, value) {
      if (value === undefined || saysNothing(value)) return;
      checkDepth(value);
      kept.set(key, value);
    },
    // fromEntries defines its keys, so that `__proto__` is one as any other.
    fields: () => (kept.size > 0 ? Object.fromEntries(kept) : undefined),
  };
}

/** @throws GatewayError `upstream-broken` where a value is nested too deep to be written again. */
export function checkDepth(value: Json): void {
  if (isDeeper(value, MAX_DEPTH)) throw broken('an answer that is nested too deep');
}

function saysNothing(value: Json): boolean {
  if (value === null || value === '') return true;
  if (isObject(value)) return isEmpty(value);
  return Array.isArray(value) && value.length === 0;
}
