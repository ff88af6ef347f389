/** Required fields as a table: what each field must be, and the sentence for one that is not. */

import { asText, isList, isObject, type Json, type JsonObject } from '../lib/json.ts';

const isText = (value: Json | undefined): boolean => typeof value === 'string';
const isNumber = (value: Json | undefined): boolean => typeof value === 'number';
const isNothing = (value: Json | undefined): boolean => value === undefined || value === null;

/** Whether a value is a count: a whole number of at least 0. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Whether a value is a string that is not empty. */
export function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** The kinds of fields. `?`: it may be absent or null. `|null`: it must be there, and may be null. */
const KINDS = {
  'a non-empty string': isName,
  'a string': isText,
  'a string?': (value: Json | undefined) => isNothing(value) || isText(value),
  'a string|null': (value: Json | undefined) => value === null || isText(value),
  'a count': isCount,
  'a count?': (value: Json | undefined) => isNothing(value) || isCount(value),
  'a number|null': (value: Json | undefined) => value === null || isNumber(value),
  'a flag': (value: Json | undefined) => typeof value === 'boolean',
  'a flag?': (value: Json | undefined) => isNothing(value) || typeof value === 'boolean',
  'an object': isObject,
  'an object|null': (value: Json | undefined) => value === null || isObject(value),
  'a list': isList,
  present: (value: Json | undefined) => value !== undefined,
} as const;

/** Fields, with what each must be. */
export type Shape = Readonly<Record<string, keyof typeof KINDS>>;

/** A sentence about the first field that does not match `shape`; undefined if all match. */
export function misfit(object: JsonObject, shape: Shape): string | undefined {
  for (const [field, kind] of Object.entries(shape)) {
    if (!KINDS[kind](object[field]))
      return `\`${field}\` must be ${kind.replace('?', ' if present').replace('|', ' or ')}`;
  }
  return undefined;
}

/** A value as text for a violation: JSON, cut after 60 characters. */
export function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The `type` of an object of a stream, such as a block or an item; '' if it has none. */
export function getKind(value: JsonObject): string {
  return asText(value['type']) ?? '';
}
