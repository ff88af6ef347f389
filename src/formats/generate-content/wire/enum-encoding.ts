/**
 * Enums as words and as numbers. Protobuf's JSON takes both in a request, and fields in camelCase and snake_case; an
 * answer has words, unless the caller asks for numbers (`$alt=json;enum-encoding=int`).
 */

import { isList, isObject, type Json, type JsonObject, mapFields } from '../../../lib/json.ts';
import { mapItems } from '../../../lib/lists.ts';
import { ENUMS, type EnumName } from './enums.ts';
import { type FieldType, MESSAGES, type MessageName } from './messages.ts';
import { camelCase } from './protobuf-json.ts';

type Convert = (value: Json, name: EnumName) => Json;

/** The word for a number of an enum; undefined if Google has published none. */
export function wordFor(name: EnumName, number: number): string | undefined {
  const words: readonly string[] = ENUMS[name];
  return words[number];
}

/**
 * A message with its enums as words, and with the fields of the table in camelCase, at every depth; itself if all of it
 * already is. A number that Google has not published stays.
 */
export function withWords(message: JsonObject, name: MessageName): JsonObject {
  return convertMessage(message, name, (value, type) =>
    typeof value === 'number' ? (wordFor(type, value) ?? value) : value,
  );
}

/** A message with its enums as numbers; itself if it has none. A word whose number is not published stays. */
export function withNumbers(message: JsonObject, name: MessageName): JsonObject {
  return convertMessage(message, name, (value, type) => {
    const words: readonly Json[] = ENUMS[type];
    const number = words.indexOf(value);
    return number < 0 ? value : number;
  });
}

/** The types of each message's fields, in maps: they are asked for every field of a dialogue, by the caller's names. */
const TYPES: ReadonlyMap<MessageName, ReadonlyMap<string, FieldType<MessageName>>> = new Map(
  Object.keys(MESSAGES)
    .filter(isMessage)
    .map((name) => [name, new Map(Object.entries(MESSAGES[name]))]),
);

function convertMessage(message: JsonObject, of: MessageName, convert: Convert): JsonObject {
  const types = TYPES.get(of);
  let changed: [string, Json | undefined][] | undefined;
  let at = 0;
  for (const key in message) {
    const value = message[key];
    const field = camelCase(key);
    const type = types?.get(field);
    const converted = type === undefined || value === undefined ? value : convertValue(value, type, convert);
    const name = type === undefined ? key : field;
    if (name !== key || converted !== value) changed ??= Object.entries(message).slice(0, at);
    changed?.push([name, converted]);
    at += 1;
  }
  return changed === undefined ? message : Object.fromEntries(changed);
}

function convertValue(value: Json, type: FieldType<MessageName>, convert: Convert): Json {
  if (type === 'plain') return value;
  if (isList(value)) return mapItems(value, (item) => convertValue(item, type, convert));
  if (!isObject(value)) return isEnum(type) ? convert(value, type) : value;
  if (type !== 'map of Schema') return isMessage(type) ? convertMessage(value, type, convert) : value;
  return mapFields(value, (inner) => convertValue(inner, 'Schema', convert));
}

function isEnum(type: string): type is EnumName {
  return Object.hasOwn(ENUMS, type);
}

function isMessage(type: string): type is MessageName {
  return Object.hasOwn(MESSAGES, type);
}
