/** The JSON of protobuf (proto3 JSON mapping): names of fields, repeated fields and numbers. */

import { invalid } from '../../../lib/errors.ts';
import {
  asNumber,
  asObjects,
  isList,
  type Json,
  type JsonObject,
  withEach,
  withObjects,
} from '../../../lib/json.ts';

/** A field's name in camelCase, whichever of the two spellings it has. An underscore at its start stays. */
export function camelCase(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/(?<!^)_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}

/** A name in snake_case, of one in camelCase. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The values of a repeated field: protobuf's parsers also take the one value without a list. Null is the same as
 * absent.
 */
export function repeatedField(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}

/** The objects of a repeated field. */
export function repeatedObjects(value: Json | undefined): readonly JsonObject[] {
  return asObjects(repeatedField(value));
}

/** Applies `change` to the objects of the repeated field `field`. @returns the object itself if that changes none of them. */
export function withEachRepeated(
  object: JsonObject,
  field: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  return isList(object[field]) ? withEach(object, field, change) : withObjects(object, [field], change);
}

/**
 * A number of a request, which may be written as text; undefined if the field is absent.
 * @param param where it stands.
 * @throws GatewayError `invalid-request` for anything that is no finite number.
 */
export function parseNumber(value: Json | undefined, param: string): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : asNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw invalid(`Invalid value at '${param}': a number is expected.`, param);
}
