/** `tools`. Those that the caller runs become functions, those that Anthropic runs become hosted tools. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
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
  otherFields,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { describeClientTool } from '../../describe-client-tool.ts';
import { flatTool } from '../../flat-tools.ts';
import { parseBlockFields } from './block-fields.ts';

/** Fields of a function that mean something to Anthropic alone. */
const FUNCTION_FIELDS = wordSet('defer_loading eager_input_streaming input_examples allowed_callers');

/**
 * Parses the field `tools`.
 * @returns undefined if the request has none.
 * @throws GatewayError `invalid-request` if it is not a list, or if a tool has no name or no schema.
 */
export function parseTools(tools: Json | undefined): readonly Tool[] | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!isList(tools)) throw invalid('tools: Input should be a valid list', 'tools');
  return tools.map((tool, index) => parseTool(tool, `tools.${index}`));
}

/**
 * Parses one tool.
 * @param at path of the tool, for error messages.
 * @throws GatewayError `invalid-request` if a tool that the caller runs has no name or no schema.
 */
export function parseTool(given: Json | undefined, at: string): Tool {
  if (!isObject(given)) throw invalid(`${at}: Input should be an object`, 'tools');
  const tool = ownShape(given);
  const type = tool['type'] ?? 'custom';
  if (type === 'custom') return parseFunction(tool, `${at}.custom`);
  const known = describeClientTool(tool);
  if (known === undefined) return parseHosted(tool);
  const shorthand = { format: 'messages', fields: known.shorthand } as const;
  return { ...parseFunction(known.tool, `${at}.${String(type)}`), shorthand };
}

/** A function of OpenAI's in this format's shape; any other tool as it is. */
function ownShape(given: JsonObject): JsonObject {
  const flat = flatTool(given);
  if (flat['type'] !== 'function' || isObject(given['input_schema'])) return given;
  const { type: _, parameters, ...tool } = flat;
  return { ...tool, input_schema: parameters ?? NO_PARAMETERS };
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

/** The fields of a function that `parseFunction` reads. */
const READ_FIELDS = wordSet('name description input_schema strict cache_control type');

function parseFunction(tool: JsonObject, at: string): FunctionTool {
  const { name, description, input_schema, strict, cache_control, type } = tool;
  const title = asText(name);
  if (title === undefined) throw invalid(`${at}.name: Field required`, 'tools');
  const schema = asObject(input_schema);
  if (schema === undefined) throw invalid(`${at}.input_schema: Field required`, 'tools');
  const [formatFields, unknownFields] = splitFields(otherFields(tool, READ_FIELDS), FUNCTION_FIELDS);
  return {
    kind: 'function',
    name: title,
    // The SDK's types allow null for `properties` and `required`. OpenAI and Google refuse it.
    parameters: withoutNulls(schema),
    ...compact({ description: asText(description), strict: asFlag(strict) }),
    ...parseBlockFields(cache_control, formatFields, { type }),
    ...withUnknownFields(unknownFields),
  };
}

function parseHosted(tool: JsonObject): Tool {
  const isSearch = asText(tool['type'])?.startsWith('web_search') ?? false;
  return { kind: 'hosted', format: 'messages', value: tool, ...(isSearch && { webSearch: true }) };
}
