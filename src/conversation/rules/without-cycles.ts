/**
 * Schemas that hold themselves, such as that of a tree or of any JSON value. They are a 400 for the whole request at
 * Meta ("Recursive JSON schemas are not currently supported"). Codex's own tools have one, and so have MCP servers for
 * databases.
 */

import { asText, type JsonObject } from '../../lib/json.ts';
import { resolveReference } from './json-pointer.ts';
import { ALL_PLACES, mapSchemas, rewriteSchema } from './schema-places.ts';

/** Deeper than any schema that a vendor takes. References to something deeper are cut. */
const MAX_DEPTH = 500;

interface Search {
  readonly root: JsonObject;
  /** The schemas that hold the current one, in themselves or through references. */
  readonly open: Set<JsonObject>;
  readonly seen: Set<JsonObject>;
  /** Replacements for the schemas whose reference leads back to an open one. */
  readonly cut: Map<JsonObject, JsonObject>;
}

/** The schema, in which references back to itself are replaced by the type of their target; itself if it has none. */
export function withoutCycles(schema: JsonObject): JsonObject {
  const search: Search = { root: schema, open: new Set(), seen: new Set(), cut: new Map() };
  look(schema, search);
  if (search.cut.size === 0) return schema;
  return rewriteSchema(schema, (one) => search.cut.get(one) ?? one);
}

function look(schema: JsonObject, search: Search): void {
  if (search.seen.has(schema) || search.open.size > MAX_DEPTH) return;
  const { root, open, seen, cut } = search;
  seen.add(schema);
  open.add(schema);
  const target = resolveReference(asText(schema['$ref']) ?? '', root);
  if (target && (open.has(target) || open.size > MAX_DEPTH)) cut.set(schema, keepType(schema, target));
  else if (target) look(target, search);
  for (const [key, value = null] of Object.entries(schema)) {
    mapSchemas(key, value, ALL_PLACES, (inner) => {
      look(inner, search);
      return inner;
    });
  }
  open.delete(schema);
}

function keepType({ $ref: _, ...schema }: JsonObject, { type }: JsonObject): JsonObject {
  return type === undefined ? schema : { type, ...schema };
}
