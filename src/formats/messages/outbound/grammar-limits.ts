/**
 * Limits on the schemas that one request may have enforced: those of its strict tools and of its answer together
 * (structured outputs guide, "Schema complexity limits"). Beyond them, the vendor answers 400: "Too many strict tools",
 * "Schemas contains too many optional parameters".
 */

import { asList, asObject, type JsonObject } from '../../../lib/json.ts';
import { getInnerSchemas } from './schema.ts';

const STRICT_TOOLS = 20;
const OPTIONAL_PARAMETERS = 24;
const UNION_PARAMETERS = 16;

/**
 * Tells whether these schemas can be enforced together.
 * @param tools the schemas of the strict tools.
 * @param answer the schema of the answer, if it is enforced.
 */
export function fitsGrammar(tools: readonly JsonObject[], answer?: JsonObject): boolean {
  if (tools.length > STRICT_TOOLS) return false;
  const nodes = [...tools, ...(answer ? [answer] : [])].flatMap(collectSchemas);
  const optional = nodes.reduce((sum, node) => sum + countOptional(node), 0);
  return optional <= OPTIONAL_PARAMETERS && nodes.filter(isUnion).length <= UNION_PARAMETERS;
}

function collectSchemas(schema: JsonObject): readonly JsonObject[] {
  return [schema, ...getInnerSchemas(schema).flatMap(collectSchemas)];
}

function countOptional(schema: JsonObject): number {
  const required = new Set(asList(schema['required']));
  return Object.keys(asObject(schema['properties']) ?? {}).filter((name) => !required.has(name)).length;
}

function isUnion(schema: JsonObject): boolean {
  return asList(schema['type']).length > 1 || asList(schema['anyOf']).length > 1;
}
