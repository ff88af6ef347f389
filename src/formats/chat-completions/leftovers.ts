/** Fields of an answer that nobody here reads: told beside those that are, as they came. */

import { GatewayError } from '../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';

/** Deeper than any answer, shallower than what JSON.stringify can write before its stack is full. */
const MAX_DEPTH = 500;

export interface Leftovers {
  /** Keeps a field; a later value takes the place of an earlier one, and nothing does. */
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
  if (isDeeper(value, MAX_DEPTH)) {
    throw new GatewayError('upstream-broken', 'The upstream sent an answer that is nested too deep.');
  }
}

function saysNothing(value: Json): boolean {
  if (value === null || value === '') return true;
  if (isObject(value)) return Object.keys(value).length === 0;
  return Array.isArray(value) && value.length === 0;
}

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
