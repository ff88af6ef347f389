/** Repeats the settings of a request in the response, with OpenAI's defaults for those that the request leaves out. */

import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import {
  asFlag,
  asObject,
  asObjects,
  asText,
  compact,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import { flatTool } from '../../flat-tools.ts';
import { flatFormat } from './parse-settings.ts';
import { flatChoice } from './parse-tool-choice.ts';

/** Renders the settings as the response repeats them. @param body the caller's body */
export function echoSettings(body: JsonObject): JsonObject {
  return {
    // What OpenAI writes for a request without access to any.
    access_programs: null,
    background: false,
    frequency_penalty: body['frequency_penalty'] ?? 0,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: asObject(body['metadata']) ?? {},
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    presence_penalty: body['presence_penalty'] ?? 0,
    previous_response_id: null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    prompt_cache_retention: body['prompt_cache_retention'] ?? null,
    reasoning: { effort: null, summary: null, ...asObject(body['reasoning']) },
    safety_identifier: body['safety_identifier'] ?? null,
    // OpenAI stores answers by default. The gateway stores none, so it must not promise that unasked.
    store: asFlag(body['store']) ?? false,
    temperature: body['temperature'] ?? 1,
    text: echoText(asObject(body['text'])),
    tool_choice: echoChoice(body['tool_choice']),
    tools: asObjects(body['tools']).map((tool) => echoTool(flatTool(tool))),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    // OpenAI sends null for a request without one, but its document has only texts there.
    ...compact({ user: asText(body['user']) }),
  };
}

/** Open Responses lets the mode of a list be left out, but not in an answer. */
function echoChoice(choice: Json | undefined): Json {
  if (!isObject(choice)) return choice ?? 'auto';
  const flat = flatChoice(choice);
  return flat['type'] === 'allowed_tools' ? { ...flat, mode: flat['mode'] ?? 'auto' } : flat;
}

function echoText(text: JsonObject = {}): JsonObject {
  const { format, verbosity } = text;
  return {
    ...text,
    format: isObject(format) ? echoFormat(flatFormat(format)) : { type: 'text' },
    verbosity: verbosity ?? 'medium',
  };
}

/** Strict clients cannot read a schema without its two optional fields, and OpenAI always writes them. */
function echoFormat(format: JsonObject): JsonObject {
  if (format['type'] !== 'json_schema') return format;
  return { ...format, description: format['description'] ?? null, strict: format['strict'] ?? false };
}

/**
 * Repeats a tool of the request. OpenAI always writes all fields of a tool, however few the request has, and clients with
 * strict types cannot read an answer without them (recorded of OpenAI: web_search, tool_search, namespace).
 */
function echoTool(tool: JsonObject): JsonObject {
  const { type, description, parameters, strict, format } = tool;
  switch (type) {
    case 'function':
      return {
        ...tool,
        description: description ?? null,
        parameters: parameters ?? null,
        strict: strict ?? fitsStrict(asObject(parameters)),
      };
    case 'custom':
      return { ...tool, format: format ?? { type: 'text' } };
    case 'namespace':
      return { ...tool, tools: asObjects(tool['tools']).map(echoTool) };
    case 'tool_search':
      return { ...tool, description: description ?? null, parameters: parameters ?? null };
    default:
      return typeof type === 'string' && type.startsWith('web_search') ? echoSearch(tool) : tool;
  }
}

function echoSearch(tool: JsonObject): JsonObject {
  const location = asObject(tool['user_location']);
  return {
    ...tool,
    search_context_size: tool['search_context_size'] ?? 'medium',
    user_location: location
      ? { type: 'approximate', city: null, country: null, region: null, timezone: null, ...location }
      : null,
  };
}
