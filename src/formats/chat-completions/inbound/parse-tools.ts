/** A caller's tools: `tools`, the older `functions`, and the web search at the top of the body. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { CustomTool, FunctionTool, HostedTool, Tool } from '../../../conversation/prompt.ts';
import { withoutRepeated } from '../../../conversation/rules/distinct-tools.ts';
import {
  asObject,
  compact,
  isEmpty,
  isObject,
  type JsonObject,
  otherFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { describeClientTool } from '../../describe-client-tool.ts';
import { flagAt, missing, objectAt, objectsAt, requiredText, textAt } from '../../openai/fields.ts';
import { WEB_SEARCH_OPTIONS } from '../../web-search.ts';
import { parseRemainingFields } from './parse-cache-breakpoints.ts';

/**
 * All tools of a body; undefined if it has none.
 * @throws GatewayError `invalid-request` for a tool without the fields that its type needs.
 */
export function parseTools(body: JsonObject): readonly Tool[] | undefined {
  const options = objectAt(body[WEB_SEARCH_OPTIONS], WEB_SEARCH_OPTIONS);
  const all: readonly Tool[] = [
    ...objectsAt(body['tools'], 'tools').map((tool, at) => parseTool(tool, itemPlace('tools', at))),
    ...objectsAt(body['functions'], 'functions').map((fn, at) =>
      parseFunction(fn, {}, itemPlace('functions', at)),
    ),
    ...(options === undefined ? [] : [webSearch(options)]),
  ];
  return all.length > 0 ? withoutRepeated(all) : undefined;
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'function', 'custom']);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);

/**
 * One tool. The key that it is wrapped in says what it is: Mistral's clients leave out the type, and others give the
 * wrong one. Any type but `function`, `custom` and those of `parseClientTool` is a tool that the vendor runs.
 */
function parseTool(tool: JsonObject, param: Place): Tool {
  const { type, function: fn, custom } = tool;
  const rest = otherFields(tool, TOOL_FIELDS);
  const isOwn = type === undefined || type === null || type === 'function' || type === 'custom';
  if (isOwn && isObject(custom)) return parseCustom(custom, rest, fieldPlace(param, 'custom'));
  if (isOwn && isObject(fn)) {
    const isCustom = type === 'custom' && fn['parameters'] === undefined;
    return isCustom
      ? parseCustom(fn, rest, fieldPlace(param, 'function'))
      : parseFunction(fn, rest, fieldPlace(param, 'function'));
  }
  if (type === 'function') throw missing(fieldPlace(param, 'function'));
  if (typeof type !== 'string') throw missing(fieldPlace(param, 'type'));
  const clientTool = parseClientTool(tool, param);
  if (clientTool) return clientTool;
  return { kind: 'hosted', format: 'chat-completions', value: tool, webSearch: type.includes('web_search') };
}

/**
 * One of Anthropic's tools that the caller runs, as LiteLLM takes them: as they are, or with the settings of a computer in
 * the parameters of a function (its page on computer use). Undefined for any other tool.
 */
function parseClientTool(tool: JsonObject, param: Place): FunctionTool | undefined {
  const { function: fn, ...flat } = tool;
  const { parameters, ...named } = asObject(fn) ?? {};
  const described = describeClientTool({ ...flat, ...named, ...asObject(parameters) });
  if (described === undefined) return undefined;
  const { type: _, input_schema, ...own } = described.tool;
  const shorthand = { format: 'messages', fields: described.shorthand } as const;
  return { ...parseFunction({ ...own, parameters: input_schema }, {}, param), shorthand };
}

/** The fields of one object and of another, which has the last word. */
function joinFields(first: JsonObject, second: JsonObject): JsonObject {
  if (isEmpty(second)) return first;
  return isEmpty(first) ? second : { ...first, ...second };
}

/** A function, with the fields of the tool around it. */
function parseFunction(fn: JsonObject, around: JsonObject, param: Place): FunctionTool {
  const { name, description, parameters, strict } = fn;
  return {
    kind: 'function',
    name: requiredText(name, fieldPlace(param, 'name')),
    ...compact({
      description: textAt(description, fieldPlace(param, 'description')),
      parameters: objectAt(parameters, fieldPlace(param, 'parameters')),
      strict: flagAt(strict, fieldPlace(param, 'strict')),
    }),
    ...parseRemainingFields(joinFields(around, otherFields(fn, FUNCTION_FIELDS))),
  };
}

function parseCustom(custom: JsonObject, around: JsonObject, param: Place): CustomTool {
  const { name, description, format, ...rest } = custom;
  return {
    kind: 'custom',
    name: requiredText(name, fieldPlace(param, 'name')),
    ...compact({
      description: textAt(description, fieldPlace(param, 'description')),
      format: objectAt(format, fieldPlace(param, 'format')),
    }),
    ...withUnknownFields(withoutNulls({ ...around, ...rest })),
  };
}

function webSearch(options: JsonObject): HostedTool {
  return {
    kind: 'hosted',
    format: 'chat-completions',
    value: { type: WEB_SEARCH_OPTIONS, [WEB_SEARCH_OPTIONS]: options },
    webSearch: true,
  };
}
