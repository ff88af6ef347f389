/**
 * What strict mode demands of a JSON Schema (OpenAI's guide on structured outputs): every object closed, every
 * property required. Left out of a function tool, `strict` makes OpenAI's responses try it: its answers echo
 * `strict: true`. No other vendor mends a schema for that, so strict is asked of them only where the schema fits.
 */

import { asList, asObject, asObjects, isObject, type Json, type JsonObject } from '../json.ts';

const DEEPEST = 32;

/** Whether a schema can be asked for strictly as it stands; one too deep to tell cannot. */
export function fitsStrict(schema: JsonObject | undefined): boolean {
  return schema === undefined || isClosed(schema, 0);
}

function isClosed(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema)) return true;
  if (depth > DEEPEST) return false;
  const properties = asObject(schema['properties']) ?? {};
  const names = Object.keys(properties);
  const required = new Set(asList(schema['required']));
  const isAnObject = schema['type'] === 'object' || names.length > 0;
  if (isAnObject && schema['additionalProperties'] !== false) return false;
  if (names.some((name) => !required.has(name))) return false;
  const inner: readonly (Json | undefined)[] = [
    ...Object.values(properties),
    ...Object.values(asObject(schema['$defs']) ?? {}),
    ...Object.values(asObject(schema['definitions']) ?? {}),
    ...asObjects(schema['anyOf']),
    schema['items'],
  ];
  return inner.every((value) => isClosed(value, depth + 1));
}
