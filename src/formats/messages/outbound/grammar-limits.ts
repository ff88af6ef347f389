/**
 * How much one request may have enforced, of all its strict tools and its answer's schema together (structured outputs
 * guide, "Schema complexity limits"). More is a 400: "Too many strict tools", "Schemas contains too many optional
 * parameters".
 */

import type { JsonObject } from '../../../lib/json.ts';
import { asList, asObject } from '../../../lib/json.ts';
import { innerSchemas } from './schema.ts';

const STRICT_TOOLS = 20;
const OPTIONAL_PARAMETERS = 24;
const UNION_PARAMETERS = 16;

/**
 * Whether these schemas can be enforced together.
 * @param tools those of strict tools
 * @param answer that of the answer's form, where it is enforced
 */
export function fitsGrammar(tools: readonly JsonObject[], answer?: JsonObject): boolean {
  if (tools.length > STRICT_TOOLS) return false;
  const nodes = [...tools, ...(answer ? [answer] : [])].flatMap(everySchema);
  const optional = nodes.reduce((sum, node) => sum + optionalIn(node), 0);
  return optional <= OPTIONAL_PARAMETERS && nodes.filter(isUnion).length <= UNION_PARAMETERS;
}

function everySchema(schema: JsonObject): readonly JsonObject[] {
  return [schema, ...innerSchemas(schema).flatMap(everySchema)];
}

function optionalIn(schema: JsonObject): number {
  const required = new Set(asList(schema['required']));
  return Object.keys(asObject(schema['properties']) ?? {}).filter((name) => !required.has(name)).length;
}

function isUnion(schema: JsonObject): boolean {
  return asList(schema['type']).length > 1 || asList(schema['anyOf']).length > 1;
}
