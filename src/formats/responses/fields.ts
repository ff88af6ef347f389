/** Fields of a caller's request, with OpenAI's own sentences for what is missing or wrong; `null` is as good as absent. */

import { GatewayError } from '../../errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../../json.ts';

/** A 400 for a field that has to be there. */
export function missing(path: string): GatewayError {
  const message = `Missing required parameter: '${path}'.`;
  return new GatewayError('invalid-request', message, { param: path, code: 'missing_required_parameter' });
}

/** A 400 for a value of another type; `expected` with its article, e.g. `an integer`. */
export function wrongType(path: string, expected: string, value: Json): GatewayError {
  const message = `Invalid type for '${path}': expected ${expected}, but got ${nounOf(value)} instead.`;
  return new GatewayError('invalid-request', message, { param: path, code: 'invalid_type' });
}

/** A 400 for a word that is none of the known ones. */
export function wrongValue(path: string, supported: readonly string[]): GatewayError {
  const words = supported.map((word) => `'${word}'`).join(', ');
  const message = `Invalid value for '${path}'. Supported values are: ${words}.`;
  return new GatewayError('invalid-request', message, { param: path, code: 'invalid_value' });
}

/** A 400 for a field that is known but cannot be had here. */
export function unsupported(path: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: path, code: 'unsupported_parameter' });
}

export function textField(value: Json | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw wrongType(path, 'a string', value);
}

export function requiredText(value: Json | undefined, path: string): string {
  const text = textField(value, path);
  if (text === undefined) throw missing(path);
  return text;
}

export function numberField(value: Json | undefined, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw wrongType(path, 'a decimal', value);
}

export function integerField(value: Json | undefined, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw wrongType(path, 'an integer', value);
}

export function flagField(value: Json | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw wrongType(path, 'a boolean', value);
}

export function objectField(value: Json | undefined, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw wrongType(path, 'an object', value);
}

export function listField(value: Json | undefined, path: string): readonly Json[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (isList(value)) return value;
  throw wrongType(path, 'an array', value);
}

/** Each element of a list, which has to be an object, with its path. */
export function objectsField(
  value: Json | undefined,
  path: string,
): readonly (readonly [JsonObject, string])[] {
  return (listField(value, path) ?? []).map((element, at) => {
    const here = `${path}[${at}]`;
    if (!isObject(element)) throw wrongType(here, 'an object', element);
    return [element, here] as const;
  });
}

/** The fields of `object` whose name is, or is not, among `names`: copied so that `__proto__` is a field like others. */
export function pick(object: JsonObject, names: ReadonlySet<string>, among: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => names.has(name) === among && !(among && value === null)),
  );
}

/** Whether there is no field at all in `object`. */
export function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function nounOf(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}
