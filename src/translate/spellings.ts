/** The two spellings of a field's name in Google's JSON (proto3 JSON mapping), and the one that a body uses. */

import type { FormatName } from '../conversation/prompt.ts';
import { camelCase, snakeCase } from '../formats/generate-content/wire/protobuf-json.ts';
import { asObject, type JsonObject } from '../lib/json.ts';

/**
 * A name in camelCase and in snake_case. An object may have one and the object inside it the other, so paths are spelled
 * name by name. The names of the other formats have no capital letters, and one spelling each.
 */
export function spellings(name: string): readonly string[] {
  const snake = snakeCase(name);
  return snake === name ? [name] : [name, snake];
}

/**
 * Makes what gives all spellings of a name that a service may take for one the same form. Services in Go ignore case as
 * Unicode folds it (encoding/json, `Unmarshal`), and Google takes both spellings.
 */
export function spelledAlike(format: FormatName): (name: string) => string {
  // The capital letter first: the long s has one, and no other small one.
  const small = (name: string): string => name.toUpperCase().toLowerCase();
  return format === 'generate-content' ? (name) => small(camelCase(name)) : small;
}

/**
 * Makes what spells a field as its body does. Google accepts each in camelCase and in snake_case (proto3 JSON mapping).
 * The keys of an object are gone through once, and not for each field: an object may have as many keys as there are
 * fields to spell.
 * @param from the format of `body`.
 */
export function speller(from: FormatName, body: JsonObject): (field: string) => string {
  if (from !== 'generate-content') return (field) => field;
  const known = new Map<JsonObject, ReadonlyMap<string, string>>();
  const keysByName = (object: JsonObject): ReadonlyMap<string, string> => {
    const keys = known.get(object) ?? firstKeys(object);
    known.set(object, keys);
    return keys;
  };
  return (field) => {
    let at: JsonObject | undefined = body;
    const spelled: string[] = [];
    for (const step of field.split('.')) {
      const [name = '', ...places] = step.split(/(?=[.[])/);
      const own: string = (at && keysByName(at).get(name)) ?? name;
      at = asObject(at?.[own]);
      spelled.push(own + places.join(''));
    }
    return spelled.join('.');
  };
}

/** The keys of an object by their names in camelCase: the first of each name. */
function firstKeys(object: JsonObject): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const key of Object.keys(object)) {
    const name = camelCase(key);
    if (!keys.has(name)) keys.set(name, key);
  }
  return keys;
}
