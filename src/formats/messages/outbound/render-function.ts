/** Tools that the caller runs. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { FunctionTool } from '../../../conversation/prompt.ts';
import { newestSchema, objectRoot } from '../../../conversation/rules/function-schema.ts';
import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { renderCacheControl } from '../wire/cache-control.ts';
import { withSafeKeys } from './property-keys.ts';
import { closeSchema } from './schema.ts';
import { safeName } from './tool-names.ts';

/** How the functions of one request are rendered. */
export interface FunctionRules {
  /** Whether the caller speaks this format. What it wrote is then sent unchanged. */
  readonly isNative: boolean;
  /** Whether the vendor enforces the schemas of strict tools. */
  readonly enforces: boolean;
}

/**
 * Renders a function. One that stands for a tool of Anthropic's that the caller runs is rendered as that tool.
 * @returns an item of `tools`.
 */
export function renderFunction(
  tool: FunctionTool,
  { isNative, enforces }: FunctionRules,
  report: Report,
): JsonObject {
  const { name, description, cacheBreakpoint, formatSpecific, unknownFields, shorthand } = tool;
  const own = {
    ...unknownFields,
    ...ownFields(formatSpecific, 'messages', 'tools[]', report),
    ...findRoundTrip(formatSpecific, 'messages'),
  };
  if (shorthand?.format === 'messages') {
    const { strict } = tool;
    return {
      ...own,
      ...shorthand.fields,
      name,
      ...(strict !== undefined && { strict }),
      ...renderCacheControl(cacheBreakpoint),
    };
  }
  const { schema, strict } = isNative
    ? { schema: toObjectSchema(tool, true, report), strict: tool.strict }
    : adaptSchema(tool, enforces, report);
  return {
    ...own,
    name: safeName(name),
    ...(description !== undefined && { description }),
    input_schema: schema,
    ...(strict !== undefined && { strict }),
    ...renderCacheControl(cacheBreakpoint),
  };
}

/** Adapts the schema of a tool that came in another format to what Anthropic accepts. `strict` is set if it is enforced. */
function adaptSchema(
  tool: FunctionTool,
  enforces: boolean,
  report: Report,
): { readonly schema: JsonObject; readonly strict?: boolean } {
  const field = `tools[${tool.name}].parameters` as const;
  const original = toObjectSchema(tool, false, report);
  const schema = withSafeKeys(original);
  if (schema !== original) {
    const detail = 'parameters renamed to what Anthropic accepts, and back in calls';
    report(field, 'approximated', detail);
  }
  if (tool.strict !== true) return { schema };
  const closed = enforces ? closeSchema(schema) : undefined;
  if (closed === undefined) {
    const detail = 'this model cannot enforce this schema, or not so many of them';
    report(`tools[${tool.name}].strict`, 'dropped', detail);
    return { schema };
  }
  if (closed !== schema) report(field, 'approximated', 'objects closed, so that the schema can be enforced');
  return { schema: closed, strict: true };
}

/**
 * Makes the schema of a tool's input one of an object. The vendor requires that, and refuses a union at the root.
 * @param isNative whether the caller speaks this format: a union is then left to the vendor.
 */
export function toObjectSchema(
  { name, parameters = {} }: FunctionTool,
  isNative: boolean,
  report: Report,
): JsonObject {
  const { type } = parameters;
  if (type !== undefined && type !== 'object') {
    report(`tools[${name}].parameters`, 'approximated', 'of type object');
  }
  const schema = objectRoot(isNative ? parameters : newestSchema(parameters));
  const plain = isNative ? schema : withoutRootUnion(schema);
  if (plain !== schema) {
    const detail = 'alternatives at the root of the schema merged into one object';
    report(`tools[${name}].parameters`, 'approximated', detail);
  }
  return Object.keys(plain).length === 1 ? { ...plain, properties: {} } : plain;
}
