/** The caller's choice among the tools. */

import type { ToolCallPart, ToolChoice } from '../../../conversation/prompt.ts';
import { asObject, asObjects, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { missing, wrongType, wrongValue } from '../../openai/fields.ts';

/** What this format tells tools and calls apart by: their kind and their name. */
export function toolKey(kind: 'function' | 'custom', name: string): string {
  return `${kind} ${name}`;
}

/** The key of the tool that a call in the history calls. */
export function keyOfCall({ custom, name }: ToolCallPart): string {
  return toolKey(custom ? 'custom' : 'function', name);
}

/**
 * A `tool_choice`, or the older `function_call`.
 * @param names the new names of tools that share one, by their keys.
 * @returns undefined for no choice, and for a choice of a tool that the vendor runs (OpenRouter: `{ type }`).
 * @throws GatewayError `invalid-request` for an unknown word: other vendors would ignore it.
 */
export function parseToolChoice(
  choice: Json | undefined,
  param: Place,
  names: ReadonlyMap<string, string>,
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  // Mistral's word for `required`.
  if (choice === 'any') return { mode: 'required' };
  if (typeof choice === 'string') throw wrongValue(param, choice, ['none', 'auto', 'required']);
  if (!isObject(choice)) throw wrongType(param, 'a string or an object', choice);
  const allowed = asObject(choice['allowed_tools']);
  if (allowed !== undefined) {
    const only = asObjects(allowed['tools']).flatMap((tool) => parseName(tool, names) ?? []);
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', allowed: only };
  }
  const name = parseName(choice, names);
  if (name === undefined && choice['type'] === 'function') throw missing(fieldPlace(param, 'function'));
  return name === undefined ? undefined : { mode: 'required', allowed: [name] };
}

/** The name of a chosen tool: `{function: {name}}`, `{custom: {name}}`, or the older `{name}`. */
function parseName(choice: JsonObject, names: ReadonlyMap<string, string>): string | undefined {
  const fields = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  const name = asText(fields['name']);
  const kind = fields === choice['custom'] || choice['type'] === 'custom' ? 'custom' : 'function';
  return name === undefined ? undefined : (names.get(toolKey(kind, name)) ?? name);
}
