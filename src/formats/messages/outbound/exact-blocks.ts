/**
 * Blocks whose values are passed on unchanged. `JSON.parse` would round their long numbers, so these blocks are parsed once
 * more with every digit.
 */

import { parseExact } from '../../../conversation/rules/arguments.ts';
import { asList, asObject, isObject, type JsonObject } from '../../../lib/json.ts';

/** Tells whether a block starts with values that are passed on unchanged. */
export function needsExactNumbers(block: JsonObject): boolean {
  const { type, input } = block;
  if (type !== 'tool_use') return type !== 'text' && type !== 'thinking';
  return isObject(input) && Object.keys(input).length > 0;
}

/** Tells whether a message contains such a block. */
export function hasExactBlock(message: JsonObject): boolean {
  return asList(message['content']).some((block) => isObject(block) && needsExactNumbers(block));
}

/**
 * Parses the data of an event with every digit of its numbers.
 * @param field the field to return instead of the whole value.
 * @returns an empty object if there is no such object.
 */
export function parseExactObject(data: string, field?: string): JsonObject {
  const value = asObject(parseExact(data)) ?? {};
  return field === undefined ? value : (asObject(value[field]) ?? {});
}
