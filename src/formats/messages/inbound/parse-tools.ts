/** `tools`: those that the caller runs as functions, those that Anthropic runs as hosted ones. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { FunctionTool, Tool } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  asFlag,
  asObject,
  asText,
  compact,
  isList,
  isObject,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { FORMAT, markAndOwn, TOOL_OWN } from '../wire/wire.ts';
import { spelledOut } from './client-tools.ts';

/** @throws GatewayError `invalid-request` where a tool has no name or no schema. */
export function parseTools(tools: Json | undefined): readonly Tool[] | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!isList(tools)) throw invalid('tools: Input should be a valid list', 'tools');
  return tools.map((tool, index) => parseTool(tool, `tools.${index}`));
}

/**
 * @param at where it stands, for the message of an error.
 * @throws GatewayError `invalid-request` where it has no name or no schema.
 */
export function parseTool(tool: Json | undefined, at: string): Tool {
  if (!isObject(tool)) throw invalid(`${at}: Input should be an object`, 'tools');
  const type = tool['type'] ?? 'custom';
  if (type === 'custom') return parseFunction(tool, `${at}.custom`);
  const known = spelledOut(tool);
  if (known === undefined) return parseHosted(tool);
  const shorthand = { format: FORMAT, fields: known.shorthand } as const;
  return { ...parseFunction(known.tool, `${at}.${String(type)}`), shorthand };
}

function parseFunction(tool: JsonObject, at: string): FunctionTool {
  const { name, description, input_schema, strict, cache_control, ...rest } = tool;
  const title = asText(name);
  if (title === undefined) throw invalid(`${at}.name: Field required`, 'tools');
  const schema = asObject(input_schema);
  if (schema === undefined) throw invalid(`${at}.input_schema: Field required`, 'tools');
  const [own, extra] = splitFields(rest, TOOL_OWN);
  return {
    kind: 'function',
    name: title,
    // `properties` and `required` may be null here (the SDK's types); to OpenAI and Google a null is no such list.
    parameters: withoutNulls(schema),
    ...compact({ description: asText(description), strict: asFlag(strict) }),
    ...markAndOwn(cache_control, own),
    ...unknownFieldsOf(extra),
  };
}

function parseHosted(tool: JsonObject): Tool {
  const isSearch = asText(tool['type'])?.startsWith('web_search') ?? false;
  return { kind: 'hosted', format: FORMAT, value: tool, ...(isSearch && { webSearch: true }) };
}
