/** `tool_choice`, and the limit on web searches. */

import type { Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asText, isEmpty, isObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { parseRequiredText, unknownTypeError } from './required-fields.ts';

const TYPES: readonly string[] = ['auto', 'any', 'tool', 'none'];

interface ParsedToolChoice {
  /** Fields of the prompt, to be spread. */
  readonly parsed: { toolChoice?: ToolChoice; parallelToolCalls?: boolean };
  /** The fields of `tool_choice` that are not known. */
  readonly formatFields: JsonObject;
  /** `tool_choice` unchanged, if the prompt's fields do not say all of it, or say it in other words. */
  readonly roundTrip?: JsonObject;
}

/**
 * Parses `tool_choice`.
 * @param tools the parsed tools, among which a forced one may be one that Anthropic runs.
 * @throws GatewayError `invalid-request` if it is not an object, its type is not known, or it forces a tool without a name.
 */
export function parseToolChoice(
  value: Json | undefined,
  tools: readonly Tool[] = [],
  report: ParseReport,
): ParsedToolChoice {
  if (value === undefined || value === null) return { parsed: {}, formatFields: {} };
  if (!isObject(value)) throw invalid('tool_choice: Input should be an object', 'tool_choice');
  const { type, name, disable_parallel_tool_use, ...rest } = value;
  if (type === undefined) throw invalid('tool_choice.type: Field required', 'tool_choice');
  const typeName = asText(type) ?? typeof type;
  if (!TYPES.includes(typeName)) throw unknownTypeError('tool_choice', typeName, TYPES);
  if (type === 'tool') parseRequiredText(name, 'tool_choice.tool.name');
  // A toolset has no name, and no other choice than one of a tool has one.
  const forced =
    type === 'tool' ? tools.find((tool) => tool.kind === 'hosted' && tool.value['name'] === name) : undefined;
  const toolChoice = forced ? parseForcedHosted(forced, tools, report) : parseChoice(type, name);
  const disabled = asFlag(disable_parallel_tool_use);
  return {
    parsed: {
      ...(toolChoice && { toolChoice }),
      ...(disabled !== undefined && { parallelToolCalls: !disabled }),
    },
    formatFields: isEmpty(rest) ? {} : { tool_choice: rest },
    ...((forced || !isEmpty(rest)) && { roundTrip: { tool_choice: value } }),
  };
}

/**
 * Parses a choice that forces a tool which Anthropic runs. With other vendors, no such tool can be named except a search, so
 * another one is forced only if the request has none that the caller runs.
 */
function parseForcedHosted(
  forced: Tool,
  tools: readonly Tool[],
  report: ParseReport,
): ToolChoice | undefined {
  if (isSearch(forced)) return { mode: 'required', allowed: [], search: true };
  const isAny = tools.every((tool) => tool.kind === 'hosted');
  report('tool_choice', isAny ? 'approximated' : 'dropped', 'forces a tool that the vendor runs itself');
  return isAny ? { mode: 'required' } : undefined;
}

function parseChoice(type: Json | undefined, name: Json | undefined): ToolChoice | undefined {
  if (type === 'auto' || type === 'none') return { mode: type };
  if (type === 'any') return { mode: 'required' };
  return type === 'tool' && typeof name === 'string' ? { mode: 'required', allowed: [name] } : undefined;
}
