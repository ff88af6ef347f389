/**
 * Names of a tool's parameters as Anthropic takes them: `^[a-zA-Z0-9_.-]{1,64}$`. One other (`$top`, `filter[id]`) is a
 * 400 for the whole request, where OpenAI takes any; so they are made to fit, and those in a call are made what they were.
 */

import type { Tool } from '../../../conversation/prompt.ts';
import { tryParseExact } from '../../../conversation/rules/arguments.ts';
import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asList, asObject, isObject } from '../../../lib/json.ts';
import { fitted } from '../wire/tool-names.ts';

const KEY = /^[A-Za-z0-9_.-]{1,64}$/;

/** The caller's names of one tool's parameters, by the names they were given. */
export type ChangedKeys = ReadonlyMap<string, string>;

/** The schema with names that fit; itself where all of them do. */
export function withSafeKeys(schema: JsonObject): JsonObject {
  const properties = asObject(schema['properties']) ?? {};
  if (Object.keys(properties).every((key) => KEY.test(key))) return schema;
  const required = schema['required'];
  return {
    ...schema,
    properties: renamed(properties, safeKey),
    ...(required !== undefined && {
      required: asList(required).map((key) => (typeof key === 'string' ? safeKey(key) : key)),
    }),
  };
}

/** What became of the parameters of each tool, for those tools that have any whose name had to change. */
export function changedKeys(tools: readonly Tool[] = []): ReadonlyMap<string, ChangedKeys> {
  const changed = new Map<string, ChangedKeys>();
  for (const tool of tools) {
    if (tool.kind !== 'function') continue;
    const keys = changedKeysOf(tool.parameters);
    if (keys) changed.set(tool.name, keys);
  }
  return changed;
}

/** What became of the names in a schema as a caller gave it; undefined where all of them stayed. */
export function changedKeysOf(schema: JsonObject = {}): ChangedKeys | undefined {
  const properties = asObject(withoutRootUnion(schema)['properties']) ?? {};
  const keys = Object.keys(properties).filter((key) => !KEY.test(key));
  return keys.length > 0 ? new Map(keys.map((key) => [safeKey(key), key])) : undefined;
}

/** A call's arguments under the caller's names; as they are where they are no whole object. */
export function restoredKeys(text: string, keys: ChangedKeys): string {
  const value = tryParseExact(text);
  return isObject(value) ? JSON.stringify(renamed(value, (key) => keys.get(key) ?? key)) : text;
}

function safeKey(key: string): string {
  return KEY.test(key) ? key : fitted(key, 50);
}

function renamed(object: JsonObject, name: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [name(key), value]));
}
