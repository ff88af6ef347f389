/** A value that a JSON schema allows, with what the prompt says put in where it fits. */

import { resolveReference } from '../conversation/rules/json-pointer.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { asFlag, asList, asNumber, asObject, asObjects, asText } from '../lib/json.ts';
import { parseCount, sampleText } from './sample-text.ts';

interface Sampling {
  /** The whole schema, for `$ref`. */
  readonly root: JsonObject;
  readonly said: string;
  /** Numbers in the prompt; each is used once. */
  readonly numbers: number[];
  /** The number of schemas that may still be read. Without it, a schema that refers to itself twice would never end. */
  left: number;
}

/** Deeper than this only required properties are made, and lists stay empty, since a schema may contain itself. */
const FULL_DEPTH = 5;
const MAX_DEPTH = 24;
const MAX_SCHEMAS = 10_000;

/** How much of the prompt is searched for numbers, in UTF-16 units. */
const SEARCHED = 2000;

/**
 * @param schema JSON Schema (2020-12 as far as models receive it), or Google's OpenAPI subset
 * @param said the prompt; a number, a quoted text or a place in it is used where the schema accepts one
 * @returns a value that the schema allows
 */
export function sample(schema: JsonObject, said: string): Json {
  const searched = said.slice(0, SEARCHED);
  const numbers = [...searched.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)/g)].map(([digits]) =>
    Number(digits),
  );
  return value(schema, { root: schema, said: searched, numbers, left: MAX_SCHEMAS }, '', 0);
}

function value(given: JsonObject, sampling: Sampling, name: string, depth: number): Json {
  if (depth > MAX_DEPTH || sampling.left <= 0) return null;
  const schema = resolved(given, sampling);
  const { const: fixed } = schema;
  if (fixed !== undefined) return fixed;
  const options = asList(schema['enum']);
  if (options.length > 0) return mentioned(options, sampling.said) ?? options[0] ?? null;

  const variants = [...asObjects(schema['anyOf']), ...asObjects(schema['oneOf'])];
  const variant = variants.find((one) => !isNull(resolved(one, sampling))) ?? variants[0];
  if (variant !== undefined) {
    if (depth > FULL_DEPTH && variants.some((one) => isNull(resolved(one, sampling)))) return null;
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
    return value(merged(rest, resolved(variant, sampling)), sampling, name, depth + 1);
  }
  if (depth > FULL_DEPTH && mayBeNull(schema)) return null;
  switch (getType(schema)) {
    case 'object':
      return object(schema, sampling, depth);
    case 'array':
      return array(schema, sampling, name, depth);
    case 'integer':
      return number(schema, sampling, 1);
    case 'number':
      return number(schema, sampling, undefined);
    case 'boolean':
      return asFlag(schema['default']) ?? true;
    case 'null':
      return null;
    default:
      return sampleText(schema, name, sampling.said);
  }
}

/** The schema with `$ref` and `allOf` resolved. A reference that leads nowhere allows anything. */
function resolved(schema: JsonObject, sampling: Sampling, hops = 0): JsonObject {
  sampling.left -= 1;
  const { $ref, allOf, ...own } = schema;
  if (hops > 16 || sampling.left <= 0 || ($ref === undefined && allOf === undefined)) return own;
  const reference = asText($ref);
  const target =
    reference === undefined
      ? {}
      : resolved(resolveReference(reference, sampling.root) ?? {}, sampling, hops + 1);
  return asObjects(allOf).reduce<JsonObject>(
    (sum, part) => merged(sum, resolved(part, sampling, hops + 1)),
    merged(target, own),
  );
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...asObject(one['properties']), ...asObject(other['properties']) };
  const required = [...asList(one['required']), ...asList(other['required'])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function getType(schema: JsonObject): string {
  const { type } = schema;
  const names = (typeof type === 'string' ? [type] : asList(type)).map((one) => String(one).toLowerCase());
  const [first] = names.filter((one) => one !== 'null');
  if (first !== undefined) return first;
  if (names.length > 0) return 'null';
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'number' : 'string';
}

function isNull(schema: JsonObject): boolean {
  return schema['const'] === null || getType(schema) === 'null';
}

function mayBeNull(schema: JsonObject): boolean {
  return schema['nullable'] === true || asList(schema['type']).includes('null');
}

function object(schema: JsonObject, sampling: Sampling, depth: number): JsonObject {
  const properties = Object.entries(asObject(schema['properties']) ?? {});
  const required = new Set(asList(schema['required']));
  const made = properties
    .filter(
      ([name, inner]) =>
        required.has(name) ||
        (depth < FULL_DEPTH && (required.size === 0 || depth < 2) && !isUnsaid(name, inner, sampling)),
    )
    .map(([name, inner]) => [name, value(asObject(inner) ?? {}, sampling, name, depth + 1)] as const);
  const known = new Set(properties.map(([name]) => name));
  const others = [...required].filter((name) => typeof name === 'string' && !known.has(name));
  return Object.fromEntries([...made, ...others.map((name) => [name, String(name)] as const)]);
}

/**
 * A switch or a limit that the prompt does not ask for, such as `restart` and `timeout_ms` of a tool that runs
 * commands.
 */
function isUnsaid(name: string, given: Json | undefined, { said }: Sampling): boolean {
  const schema = asObject(given) ?? {};
  const isSwitch = getType(schema) === 'boolean' && schema['default'] === undefined;
  const isLimit = getType(schema) === 'integer' && /^(?:max|timeout)_/.test(name);
  return (isSwitch || isLimit) && !said.toLowerCase().includes(name.toLowerCase());
}

function array(schema: JsonObject, sampling: Sampling, name: string, depth: number): readonly Json[] {
  const first = asObjects(schema['prefixItems']);
  const min = Math.max(parseCount(schema['minItems']) ?? 0, first.length);
  const max = parseCount(schema['maxItems']) ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(Math.max(min, depth < FULL_DEPTH ? 2 : 0), max, 64);
  const isClosed = schema['items'] === false;
  const items = asObject(schema['items']) ?? {};
  const options = asList(resolved(items, sampling)['enum']);
  const isUnique = schema['uniqueItems'] === true;
  const made: Json[] = [];
  for (let index = 0; index < (isClosed ? Math.min(wanted, first.length) : wanted); index += 1) {
    const option = first[index] === undefined ? options[index % Math.max(1, options.length)] : undefined;
    if (option !== undefined) add(made, option, isUnique, undefined);
    else {
      const item = value(first[index] ?? items, sampling, singular(name), depth + 1);
      add(made, item, isUnique, varied(item, index));
    }
  }
  return made;
}

/** Adds an item; if it may not repeat another one and does, the other is added. */
function add(items: Json[], item: Json, isUnique: boolean, other: Json | undefined): void {
  const isRepeated = isUnique && items.some((one) => same(one, item));
  const added = isRepeated ? other : item;
  if (added !== undefined) items.push(added);
}

/** Another item of the same type; undefined if none is made. */
function varied(item: Json, index: number): Json | undefined {
  if (typeof item === 'string') return `${item} ${index + 1}`;
  return typeof item === 'number' ? item + index : undefined;
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function number(schema: JsonObject, sampling: Sampling, whole: 1 | undefined): number {
  const step = asNumber(schema['multipleOf']) ?? whole;
  const nudge = step ?? 0.5;
  const above = asNumber(schema['exclusiveMinimum']);
  const below = asNumber(schema['exclusiveMaximum']);
  const least = asNumber(schema['minimum']) ?? (above === undefined ? undefined : above + nudge);
  const most = asNumber(schema['maximum']) ?? (below === undefined ? undefined : below - nudge);
  const fits = (one: number): boolean =>
    (least === undefined || one >= least) &&
    (most === undefined || one <= most) &&
    (step === undefined || Number.isInteger(one / step));
  const at = sampling.numbers.findIndex(fits);
  const [given] = at < 0 ? [] : sampling.numbers.splice(at, 1);
  if (given !== undefined) return given;
  const standard = asNumber(schema['default']);
  if (standard !== undefined && fits(standard)) return standard;
  const start = fits(step ?? 1) ? (step ?? 1) : (least ?? most ?? 1);
  return step === undefined ? start : Math.ceil(start / step) * step;
}

function mentioned(options: readonly Json[], said: string): Json | undefined {
  const words = said.toLowerCase();
  return options.find(
    (option) => typeof option === 'string' && option !== '' && words.includes(option.toLowerCase()),
  );
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '');
}
