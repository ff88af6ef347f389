/** JSON values (RFC 8259), and readers that accept a value only if it has the expected type. */

import { hasEscapedKey, MISREADS_ESCAPED_KEYS, parseByTokens } from './escaped-keys.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Whether `value` is a JSON object: neither null nor a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `value` is a JSON list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether two lists hold the identical values, not merely equal ones. */
export function hasSameItems(one: readonly Json[], other: readonly Json[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** The string, or undefined if `value` is anything else. */
export function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The finite number, or undefined if `value` is anything else. */
export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The boolean, or undefined if `value` is anything else. */
export function asFlag(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The object, or undefined if `value` is anything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The list, or an empty one if `value` is anything else. */
export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : NO_ITEMS;
}

/** The objects of a list, without its other items; none if `value` is not a list. */
export function asObjects(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : NO_OBJECTS;
}

/** What stands for a list where there is none: one for all, since nearly every message lacks nearly every list. */
const NO_ITEMS: readonly Json[] = [];
const NO_OBJECTS: readonly JsonObject[] = [];

/** Parses JSON text. @throws SyntaxError if the text is not JSON. */
export function parseJson(text: string): Json {
  return MISREADS_ESCAPED_KEYS && hasEscapedKey(text) ? parseByTokens(text) : parseUnescaped(text);
}

/** Parses JSON text of which no key has an escape. @throws SyntaxError if the text is not JSON. */
export function parseUnescaped(text: string): Json {
  // JSON.parse is typed `any`; what it returns is exactly Json.
  const value: Json = JSON.parse(text);
  return value;
}

/** Parses JSON text; undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether an object has no fields. */
export function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/**
 * The object without its null fields; the object itself if it has none. Clients and vendors that serialize their models
 * write null for an absent field.
 */
export function withoutNulls(object: JsonObject): JsonObject {
  for (const key in object) if (isNothing(object[key])) return copyWithoutNulls(object);
  return object;
}

function copyWithoutNulls(object: JsonObject): JsonObject {
  const kept: MutableFields = {};
  for (const key in object) {
    const value = object[key];
    if (!isNothing(value)) setField(kept, key, value);
  }
  return kept;
}

/** An object that is being made. */
type MutableFields = Record<string, Json | undefined>;

/**
 * Adds a field to an object that is being made, with `__proto__` as a key like any other. To make an object so takes an
 * eighth of what `Object.fromEntries` takes, with its lists of keys and values.
 */
function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The object without the fields of these names; the object itself if it has none of them. */
export function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => object[name] !== undefined)) return object;
  const kept: MutableFields = {};
  for (const key in object) if (!names.includes(key)) setField(kept, key, object[key]);
  return kept;
}

/** Applies `change` to the value of each field. @returns the object itself if that changes none of them. */
export function mapFields(object: JsonObject, change: (value: Json, name: string) => Json): JsonObject {
  let changed: [string, Json | undefined][] | undefined;
  let at = 0;
  for (const name in object) {
    const value = object[name];
    const made = value === undefined ? undefined : change(value, name);
    if (made !== value) changed ??= Object.entries(object).slice(0, at);
    changed?.push([name, made]);
    at += 1;
  }
  // fromEntries defines keys, so `__proto__` is a key like any other.
  return changed === undefined ? object : Object.fromEntries(changed);
}

/** Applies `change` to the objects in the list `field`. @returns the object itself if that changes none of them. */
export function withEach(
  object: JsonObject,
  field: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = object[field];
  if (!isList(list)) return object;
  const changed = list.map((item) => (isObject(item) ? change(item) : item));
  return hasSameItems(changed, list) ? object : { ...object, [field]: changed };
}

/** Applies `change` to the objects in these fields. @returns the object itself if that changes none of them. */
export function withObjects(
  object: JsonObject,
  names: readonly string[],
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  let changed = object;
  for (const name of names) {
    const value = object[name];
    const made = isObject(value) ? change(value) : value;
    if (made !== undefined && made !== value) changed = { ...changed, [name]: made };
  }
  return changed;
}

function isNothing(value: Json | undefined): boolean {
  return value === null || value === undefined;
}

/** What stands for the fields of an object that has none: one object for all. */
const NO_FIELDS: JsonObject = {};

/**
 * The fields whose names are not among `names`; one shared empty object if there are none, as in nearly every message.
 * This costs a tenth of taking an object apart (`const { a, b, ...rest }`), which V8 does by a call of its runtime and
 * a dictionary for each object.
 */
export function otherFields(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  let others: MutableFields | undefined;
  for (const key in object) {
    if (names.has(key)) continue;
    others ??= {};
    setField(others, key, object[key]);
  }
  return others ?? NO_FIELDS;
}

/** The fields of these names that are not null; one shared empty object if there are none. */
export function presentFields(object: JsonObject, names: readonly string[]): JsonObject {
  let present: MutableFields | undefined;
  for (const name of names) {
    const value = object[name];
    if (isNothing(value)) continue;
    present ??= {};
    setField(present, name, value);
  }
  return present ?? NO_FIELDS;
}

/** Splits an object into the fields whose names are among `names`, and the others. */
export function splitFields(object: JsonObject, names: ReadonlySet<string>): [JsonObject, JsonObject] {
  let named: MutableFields | undefined;
  let others: MutableFields | undefined;
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    if (names.has(key)) {
      named ??= {};
      setField(named, key, value);
    } else {
      others ??= {};
      setField(others, key, value);
    }
  }
  return [named ?? NO_FIELDS, others ?? NO_FIELDS];
}

/**
 * The fields of `own`, after those of `others` that it does not have. Most answers have no others: `own` itself is
 * returned then, since to copy its fields takes longer than to make it.
 */
export function withFirst(others: JsonObject, own: JsonObject): JsonObject {
  return isEmpty(others) ? own : { ...others, ...own };
}

/** The type of what `compact` returns: a field that may be undefined becomes one that may be absent. */
export type Compact<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** `object` without its undefined fields, as JSON.stringify would write it; itself if it has none. */
export function compact<const T extends object>(object: T): Compact<T>;
export function compact(object: Readonly<Record<string, unknown>>): object {
  let fields = 0;
  let defined = 0;
  for (const key in object) {
    fields += 1;
    if (object[key] !== undefined) defined += 1;
  }
  if (defined === fields) return object;
  if (defined === 0) return NO_FIELDS;
  const kept: Record<string, unknown> = {};
  for (const key in object) if (object[key] !== undefined) setField(kept, key, object[key]);
  return kept;
}
