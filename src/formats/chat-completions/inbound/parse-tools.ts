/** A caller's tools, and the choice among them. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import {
  asObject,
  asObjects,
  asText,
  compact,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import {
  flagAt,
  missing,
  objectAt,
  requiredText,
  textAt,
  wrongType,
  wrongValue,
} from '../../openai/fields.ts';
import { WEB_SEARCH_OPTIONS } from '../wire/web-search.ts';
import { parseRemainingFields } from './parse-cache-breakpoints.ts';

/** One tool. What is neither function nor custom is the vendor's own. */
export function parseTool(tool: JsonObject, param: string): Tool {
  const { type, function: fn, custom, ...rest } = tool;
  if (type === 'custom' && isObject(custom)) return parseCustom(custom, rest, `${param}.custom`);
  // Mistral's clients leave out the type.
  if (isObject(fn) && (type === 'function' || type === undefined || type === null))
    return parseFunction(fn, rest, `${param}.function`);
  if (type === 'function') throw missing(`${param}.function`);
  if (typeof type !== 'string') throw missing(`${param}.type`);
  return { kind: 'hosted', format: 'chat-completions', value: tool, webSearch: type.includes('web_search') };
}

/** A function as the old `functions` list writes it, and as a tool holds it. */
export function parseFunction(fn: JsonObject, around: JsonObject, param: string): FunctionTool {
  const { name, description, parameters, strict, ...rest } = fn;
  return {
    kind: 'function',
    name: requiredText(name, `${param}.name`),
    ...compact({
      description: textAt(description, `${param}.description`),
      parameters: objectAt(parameters, `${param}.parameters`),
      strict: flagAt(strict, `${param}.strict`),
    }),
    ...parseRemainingFields({ ...around, ...rest }),
  };
}

function parseCustom(custom: JsonObject, around: JsonObject, param: string): CustomTool {
  const { name, description, format, ...rest } = custom;
  return {
    kind: 'custom',
    name: requiredText(name, `${param}.name`),
    ...compact({
      description: textAt(description, `${param}.description`),
      format: objectAt(format, `${param}.format`),
    }),
    ...unknownFieldsOf(withoutNulls({ ...around, ...rest })),
  };
}

/** The search a caller asks for by `web_search_options`. */
export function searchTool(options: JsonObject): HostedTool {
  return {
    kind: 'hosted',
    format: 'chat-completions',
    value: { type: WEB_SEARCH_OPTIONS, [WEB_SEARCH_OPTIONS]: options },
    webSearch: true,
  };
}

/**
 * A `tool_choice`, or the old `function_call`.
 * @returns undefined where there is none, or one of a tool that a service runs itself (OpenRouter: `{ type }`).
 * @throws GatewayError in OpenAI's words for a word that nobody knows, which would be left to the model elsewhere.
 */
export function parseToolChoice(choice: Json | undefined, param: string): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  // Mistral's word for it.
  if (choice === 'any') return { mode: 'required' };
  if (typeof choice === 'string') throw wrongValue(param, choice, ['none', 'auto', 'required']);
  if (!isObject(choice)) throw wrongType(param, 'a string or an object', choice);
  const allowed = asObject(choice['allowed_tools']);
  if (allowed !== undefined) {
    const names = asObjects(allowed['tools']).flatMap((tool) => nameIn(tool) ?? []);
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', allowed: names };
  }
  const name = nameIn(choice);
  if (name === undefined && choice['type'] === 'function') throw missing(`${param}.function`);
  return name === undefined ? undefined : { mode: 'required', allowed: [name] };
}

function nameIn(choice: JsonObject): string | undefined {
  const fields = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  return asText(fields['name']);
}
