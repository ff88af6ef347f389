/** The flaws that a schema found in a request, before a vendor puts them into its own words. */

import type { z } from 'zod';
import type { Json } from '../lib/json.ts';
import { isList, isObject } from '../lib/json.ts';

export type FlawPath = readonly (string | number)[];

interface At {
  readonly path: FlawPath;
  /** The value at the path; undefined if there is none. */
  readonly got: Json | undefined;
}

export type Flaw = At &
  (
    | { readonly kind: 'unknown' }
    | { readonly kind: 'missing' }
    | { readonly kind: 'type'; readonly expected: readonly string[] }
    | { readonly kind: 'value'; readonly values: readonly string[] }
    | { readonly kind: 'tag'; readonly values: readonly string[]; readonly by: string }
    | {
        readonly kind: 'size';
        readonly of: 'number' | 'string' | 'array';
        readonly side: 'min' | 'max';
        readonly limit: number;
        readonly exclusive: boolean;
      }
    | { readonly kind: 'pattern'; readonly pattern: string }
  );

type Issue = z.core.$ZodIssue;

/**
 * @param issues what zod reports for `body`
 * @returns every flaw that a schema found in `body`; for a union, the flaw of the alternative that matched furthest
 */
export function findFlaws(issues: readonly Issue[], body: Json): readonly Flaw[] {
  return issues.flatMap((issue) => flaws(issue, [], body));
}

function flaws(issue: Issue, base: FlawPath, body: Json): readonly Flaw[] {
  const path = [...base, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  const got = valueAt(body, path);
  const at = { path, got };
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        kind: 'unknown',
        path: [...path, writtenName(got, key) ?? key],
        got: memberAt(got, key),
      }));
    case 'invalid_type':
      return [
        got === undefined ? { ...at, kind: 'missing' } : { ...at, kind: 'type', expected: [issue.expected] },
      ];
    case 'invalid_value':
      return [
        got === undefined
          ? { ...at, kind: 'missing' }
          : { ...at, kind: 'value', values: issue.values.map(String) },
      ];
    case 'invalid_union':
      return [unionFlaw(issue, at, body)];
    case 'too_small':
      return [sizeFlaw(at, issue.origin, 'min', Number(issue.minimum), issue.inclusive === false)];
    case 'too_big':
      return [sizeFlaw(at, issue.origin, 'max', Number(issue.maximum), issue.inclusive === false)];
    case 'invalid_format':
      return [{ ...at, kind: 'pattern', pattern: patternText(issue.pattern ?? issue.format) }];
    default:
      return [{ ...at, kind: 'type', expected: ['object'] }];
  }
}

function unionFlaw(issue: Extract<Issue, { code: 'invalid_union' }>, at: At, body: Json): Flaw {
  const by = 'discriminator' in issue ? issue.discriminator : undefined;
  if (typeof by === 'string') {
    if (at.got === undefined) return { ...at, kind: 'missing' };
    const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
    return { ...at, kind: 'tag', values: options, by };
  }
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => flaws(inner, at.path, body)));
  const firsts = branches.flatMap((branch) => branch.slice(0, 1));
  const furthest = firsts.reduce<Flaw | undefined>(
    (best, flaw) => (best === undefined || depth(flaw) > depth(best) ? flaw : best),
    undefined,
  );
  if (furthest === undefined) return { ...at, kind: 'type', expected: ['object'] };
  if (depth(furthest) > at.path.length + 0.5) return furthest;
  const expected = firsts.flatMap((flaw) => (flaw.kind === 'type' ? flaw.expected : []));
  return { ...at, kind: 'type', expected };
}

/** How far an alternative matched: one that accepts the value's type matched further than one that does not. */
function depth(flaw: Flaw): number {
  return flaw.path.length + (flaw.kind === 'type' ? 0 : 0.75);
}

function sizeFlaw(at: At, origin: string, side: 'min' | 'max', limit: number, exclusive: boolean): Flaw {
  const of = origin === 'string' || origin === 'array' ? origin : 'number';
  return { ...at, kind: 'size', of, side, limit, exclusive };
}

/** `/^a$/i` as `^a$`. */
function patternText(pattern: string): string {
  return pattern.replace(/^\/(.*)\/[a-z]*$/s, '$1');
}

/** A value by its path. Google also accepts each name in snake_case. */
function valueAt(body: Json, path: FlawPath): Json | undefined {
  let value: Json | undefined = body;
  for (const key of path) value = typeof key === 'number' ? itemAt(value, key) : memberAt(value, key);
  return value;
}

/** A value that is no list counts as its only item. */
function itemAt(value: Json | undefined, index: number): Json | undefined {
  if (isList(value)) return value[index];
  return index === 0 ? value : undefined;
}

function memberAt(value: Json | undefined, name: string): Json | undefined {
  const written = writtenName(value, name);
  return isObject(value) && written !== undefined ? value[written] : undefined;
}

/** A member's name as the body has it, which is how Google repeats one that it does not know. */
function writtenName(value: Json | undefined, name: string): string | undefined {
  if (!isObject(value)) return undefined;
  return [name, snakeName(name)].find((each) => Object.hasOwn(value, each));
}

/** A name in snake_case. */
function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** @returns a path as JavaScript writes it: `messages[0].content` */
export function indexedPath(path: FlawPath): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('');
}

/** @returns the same in the names of the protocol buffer: `generation_config.response_schema` */
export function protoPath(path: FlawPath): string {
  return indexedPath(path.map((key) => (typeof key === 'number' ? key : snakeName(key))));
}

/** @returns the name of a value's type in an error: `an integer`, `a string` */
export function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (isList(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a boolean' : 'an object';
}
