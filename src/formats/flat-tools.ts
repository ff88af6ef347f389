/**
 * Tools in the shape of another format, as callers write them who move from SDK to SDK. The key says what is meant:
 * `function` and `custom` wrap a tool in chat-completions, responses has it flat, and `input_schema` is Anthropic's word
 * for `parameters`.
 */

import { isObject, type JsonObject, otherFields } from '../lib/json.ts';

/** Types that may stand beside a wrapped or a foreign tool. */
const TYPES: ReadonlySet<unknown> = new Set(['function', 'custom', undefined, null]);

const WRAPPERS: ReadonlySet<string> = new Set(['type', 'function', 'custom']);

/** A tool, or the choice of one, in the flat shape of responses; the object itself if its shape is no other. */
export function flatTool(tool: JsonObject): JsonObject {
  const { type, function: fn, custom } = tool;
  if (!TYPES.has(type)) return tool;
  const rest = isObject(custom) || isObject(fn) ? otherFields(tool, WRAPPERS) : tool;
  if (isObject(custom)) return { ...rest, ...custom, type: 'custom' };
  if (isObject(fn)) {
    const isCustom = type === 'custom' && fn['parameters'] === undefined;
    return withParameters({ ...rest, ...fn, type: isCustom ? 'custom' : 'function' });
  }
  const isFunction = isObject(tool['input_schema']) || isObject(tool['parameters']);
  return isFunction && type !== 'function'
    ? withParameters({ ...tool, type: 'function' })
    : withParameters(tool);
}

function withParameters(tool: JsonObject): JsonObject {
  if (!isObject(tool['input_schema']) || tool['parameters'] !== undefined) return tool;
  const { input_schema: schema, ...rest } = tool;
  return { ...rest, parameters: schema };
}
