/** Required fields as a table: what a field must be, and the sentence where it is not. */

import { isList, isObject, type Json, type JsonObject } from '../lib/json.ts';

const isText = (value: Json | undefined): boolean => typeof value === 'string';
const isNumber = (value: Json | undefined): boolean => typeof value === 'number';
const isNothing = (value: Json | undefined): boolean => value === undefined || value === null;

/** A number of things: a whole number from 0 on. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** A string with something in it. */
export function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** `?` is absent or null; `|null` is there, and may be null. */
const KINDS = {
  'a non-empty string': isName,
  'a non-empty string?': (value: Json | undefined) => isNothing(value) || isName(value),
  'a string': isText,
  'a string?': (value: Json | undefined) => isNothing(value) || isText(value),
  'a string|null': (value: Json | undefined) => value === null || isText(value),
  'a count': isCount,
  'a count?': (value: Json | undefined) => isNothing(value) || isCount(value),
  'a number|null': (value: Json | undefined) => value === null || isNumber(value),
  'a flag': (value: Json | undefined) => typeof value === 'boolean',
  'a flag?': (value: Json | undefined) => isNothing(value) || typeof value === 'boolean',
  'an object': isObject,
  'an object?': (value: Json | undefined) => isNothing(value) || isObject(value),
  'an object|null': (value: Json | undefined) => value === null || isObject(value),
  'a list': isList,
  'a list?': (value: Json | undefined) => isNothing(value) || isList(value),
  present: (value: Json | undefined) => value !== undefined,
} as const;

/** Fields, and what each must be. */
export type Shape = Readonly<Record<string, keyof typeof KINDS>>;

/** The first field that is not what `shape` says, as a sentence; undefined where all are. */
export function misfit(object: JsonObject, shape: Shape): string | undefined {
  for (const [field, kind] of Object.entries(shape)) {
    if (!KINDS[kind](object[field]))
      return `\`${field}\` must be ${kind.replace('?', ' where it is given').replace('|', ' or ')}`;
  }
  return undefined;
}

/** Any value as it is shown in a violation: JSON, short. */
export function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
