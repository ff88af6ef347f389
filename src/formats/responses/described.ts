/**
 * Namespaces with a description each: Codex's of its own tools has an empty one, which Azure's API refuses ("Invalid
 * 'input[0].tools[0].description': empty string"; openai/codex, issue 37432).
 */

import { hasSameItems, isList, isObject, type Json, type JsonObject } from '../../json.ts';

/** The same, each namespace in its `tools` under its name where it says nothing else of itself. */
export function described(holder: JsonObject): JsonObject {
  const { tools } = holder;
  if (!isList(tools)) return holder;
  const told = tools.map(namespace);
  return hasSameItems(told, tools) ? holder : { ...holder, tools: told };
}

function namespace(tool: Json): Json {
  if (!isObject(tool) || tool['type'] !== 'namespace' || tool['description'] !== '') return tool;
  return { ...tool, description: tool['name'] ?? 'tools' };
}
