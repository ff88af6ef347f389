/**
 * Names of a tool's parameters as Anthropic accepts them: `^[a-zA-Z0-9_.-]{1,64}$`. Any other (`$top`, `filter[id]`) makes it
 * answer the whole request with 400, while OpenAI accepts all names. So names are changed to fit, and restored in calls.
 */

import type { Tool } from '../../../conversation/prompt.ts';
import { tryParseExact } from '../../../conversation/rules/arguments.ts';
import { withoutRootReference } from '../../../conversation/rules/root-reference.ts';
import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import { toolTable } from '../../../conversation/rules/tool-table.ts';
import { asList, asObject, isObject, type JsonObject } from '../../../lib/json.ts';
import { fitText } from './tool-names.ts';

const KEY = /^[A-Za-z0-9_.-]{1,64}$/;

/** The caller's names of one tool's parameters, by the changed names. */
export type ChangedKeys = ReadonlyMap<string, string>;

/** Changes the names of a schema's parameters to fit. @returns the schema itself if all of them fit. */
export function withSafeKeys(schema: JsonObject): JsonObject {
  const properties = asObject(schema['properties']) ?? {};
  if (areSafe(properties)) return schema;
  const required = schema['required'];
  return {
    ...schema,
    properties: renameKeys(properties, safeKey),
    ...(required !== undefined && {
      required: asList(required).map((key) => (typeof key === 'string' ? safeKey(key) : key)),
    }),
  };
}

/** Finds the changed names of each tool, by the tool's name. Tools without any are left out. */
export function findChangedKeysByTool(tools: readonly Tool[] | undefined): ReadonlyMap<string, ChangedKeys> {
  return toolTable(tools, (tool) =>
    tool.kind === 'function' ? findChangedKeys(tool.parameters) : undefined,
  );
}

/** Finds the changed names of a caller's schema; undefined if none had to change. */
export function findChangedKeys(schema: JsonObject = {}): ChangedKeys | undefined {
  const properties = asObject(withoutRootUnion(withoutRootReference(schema))['properties']) ?? {};
  if (areSafe(properties)) return undefined;
  const keys = Object.keys(properties).filter((key) => !KEY.test(key));
  return new Map(keys.map((key) => [safeKey(key), key]));
}

/** Restores the caller's names in the arguments of a call. @returns the text itself if it is not a complete object. */
export function restoreKeys(text: string, keys: ChangedKeys): string {
  const value = tryParseExact(text);
  return isObject(value) ? JSON.stringify(renameKeys(value, (key) => keys.get(key) ?? key)) : text;
}

function areSafe(properties: JsonObject): boolean {
  for (const key in properties) if (!KEY.test(key)) return false;
  return true;
}

function safeKey(key: string): string {
  return KEY.test(key) ? key : fitText(key, 50);
}

function renameKeys(object: JsonObject, name: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [name(key), value]));
}
