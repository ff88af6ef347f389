/**
 * Repeats a tool of the request in the response. OpenAI always writes all fields of a tool, however few the request has,
 * and clients with strict types cannot read an answer without them (recorded of OpenAI: web_search, tool_search,
 * namespace).
 */

import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import { asObject, asObjects, type JsonObject } from '../../../lib/json.ts';

/** Renders a tool of the request with the defaults of all fields that it leaves out. */
export function echoTool(tool: JsonObject): JsonObject {
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
