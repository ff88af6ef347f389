/** Parses `tool_choice`. */

import type { Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { asObjects, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { flatTool } from '../../flat-tools.ts';
import type { ParseReport } from '../../format.ts';
import { missing, objectsAt, requiredText, wrongType, wrongValue } from '../../openai/fields.ts';
import { isClientTool } from '../wire/client-tools.ts';
import { findNamespacedNames, parseNeutralName, qualifyName } from '../wire/namespaces.ts';
import { isWebSearch } from './parse-tools.ts';
import { keyOfChoice } from './tool-keys.ts';

interface ParsedChoice {
  /** The choice as far as it is about tools that the caller runs, or the web search. */
  readonly toolChoice?: ToolChoice;
  /** `tool_choice` as it came, if the neutral choice lacks some of its hosted tools. */
  readonly formatFields?: JsonObject;
  /** The same, if the neutral choice says as much in other words, or what it lacks has been reported. */
  readonly roundTrip?: JsonObject;
}

/**
 * Parses the choice. One that forces a hosted tool is reported, and other vendors leave it to the model.
 * @param given the tools to choose from.
 * @param names the new names of those that share one, by their keys.
 * @throws GatewayError `invalid-request` for a choice that OpenAI does not have.
 */
export function parseToolChoice(
  value: Json | undefined,
  given: readonly Tool[],
  names: ReadonlyMap<string, string>,
  report: ParseReport,
): ParsedChoice {
  if (value === undefined || value === null) return {};
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: { mode: value } };
  if (typeof value === 'string') throw wrongValue('tool_choice', value, ['none', 'auto', 'required']);
  if (!isObject(value)) throw wrongType('tool_choice', 'a string or an object', value);
  return parseChosen(flatChoice(value), given, names, report);
}

/** The choice in the shape of this format: chat-completions wraps a tool in its kind, and a list in `allowed_tools`. */
export function flatChoice(value: JsonObject): JsonObject {
  const { allowed_tools: list, ...rest } = value;
  const choice = isObject(list) ? { ...rest, ...list } : flatTool(value);
  if (choice['type'] !== 'allowed_tools') return choice;
  return {
    ...choice,
    tools: objectsAt(choice['tools'], 'tool_choice.tools').map(flatTool),
  };
}

function parseChosen(
  value: JsonObject,
  given: readonly Tool[],
  names: ReadonlyMap<string, string>,
  report: ParseReport,
): ParsedChoice {
  checkChoice(value);
  const isList = value['type'] === 'allowed_tools';
  const chosen = isList ? asObjects(value['tools']) : [value];
  const allowed = findNames(chosen, given, names);
  const mode = !isList || value['mode'] === 'required' ? 'required' : 'auto';
  const searches = chosen.filter(isWebSearch).length;
  const search = searches > 0 && given.some(isSearch);
  const isHostedOnly = !isList && allowed.length === 0 && !search;
  if (isHostedOnly) report('tool_choice', 'dropped', 'forces a tool that only OpenAI runs');
  const exact: JsonObject = allowed.length < chosen.length ? { tool_choice: value } : {};
  const isTold = isHostedOnly || allowed.length + (search ? searches : 0) === chosen.length;
  return {
    ...(!isHostedOnly && { toolChoice: { mode, allowed, ...(search && { search }) } }),
    ...(isTold ? { roundTrip: exact } : { formatFields: exact }),
  };
}

function checkChoice({ type, name }: JsonObject): void {
  if (type === undefined || type === null) throw missing('tool_choice.type');
  if (type === 'function' || type === 'custom') requiredText(name, 'tool_choice.name');
}

/** Finds the neutral names of the chosen tools that the caller runs. Hosted ones have none, even with a name (`mcp`). */
function findNames(
  chosen: readonly JsonObject[],
  given: readonly Tool[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const clientTools = new Map<Json | undefined, string>(
    given.filter(isClientTool).map(({ name, shorthand }) => [shorthand.fields['type'], name]),
  );
  // Of two in one namespace that share a name, the first has kept it, and `names` has the other.
  const qualified = new Map(
    [...findNamespacedNames(given)].reverse().map(([name, namespaced]) => [qualifyName(namespaced), name]),
  );
  return chosen.flatMap((tool) => {
    const { type } = tool;
    if (type !== 'function' && type !== 'custom') return clientTools.get(type) ?? [];
    const name = parseNeutralName(tool);
    if (name === undefined) return [];
    return names.get(keyOfChoice(tool, name)) ?? qualified.get(name) ?? name;
  });
}
