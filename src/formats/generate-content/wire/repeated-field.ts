/** Repeated fields in the JSON of protobuf (proto3 JSON mapping). */

import { isList, type Json } from '../../../lib/json.ts';

/**
 * The values of a repeated field: protobuf's parsers also take the one value without a list. Null is the same as
 * absent.
 */
export function repeatedField(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}
