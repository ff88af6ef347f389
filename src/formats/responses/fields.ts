/** Fields of a caller's request beyond what both of OpenAI's formats have: lists, words of a choice. */

import { GatewayError } from '../../errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../../json.ts';
import { wrongType } from '../openai-fields.ts';

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

/** Each element of a list, which has to be an object, with its path. */
export function objectsWithPaths(
  value: Json | undefined,
  path: string,
): readonly (readonly [JsonObject, string])[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw wrongType(path, 'an array', value);
  return value.map((element, at) => {
    const here = `${path}[${at}]`;
    if (!isObject(element)) throw wrongType(here, 'an object', element);
    return [element, here] as const;
  });
}
