/** The caller's choice among the tools. */

import type { ToolChoice } from '../../../conversation/prompt.ts';
import { asObject, asObjects, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { missing, wrongType, wrongValue } from '../../openai/fields.ts';

/**
 * A `tool_choice`, or the older `function_call`.
 * @returns undefined for no choice, and for a choice of a tool that the vendor runs (OpenRouter: `{ type }`).
 * @throws GatewayError `invalid-request` for an unknown word: other vendors would ignore it.
 */
export function parseToolChoice(choice: Json | undefined, param: string): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  // Mistral's word for `required`.
  if (choice === 'any') return { mode: 'required' };
  if (typeof choice === 'string') throw wrongValue(param, choice, ['none', 'auto', 'required']);
  if (!isObject(choice)) throw wrongType(param, 'a string or an object', choice);
  const allowed = asObject(choice['allowed_tools']);
  if (allowed !== undefined) {
    const names = asObjects(allowed['tools']).flatMap((tool) => parseName(tool) ?? []);
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', allowed: names };
  }
  const name = parseName(choice);
  if (name === undefined && choice['type'] === 'function') throw missing(`${param}.function`);
  return name === undefined ? undefined : { mode: 'required', allowed: [name] };
}

/** The name of a chosen tool: `{function: {name}}`, `{custom: {name}}`, or the older `{name}`. */
function parseName(choice: JsonObject): string | undefined {
  const fields = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  return asText(fields['name']);
}
