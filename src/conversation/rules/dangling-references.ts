/**
 * References that lead nowhere. Clients lose the definitions of an MCP server's schema, or write references to ones that
 * do not exist (zod-to-json-schema, openai/openai-node#978), and vendors refuse the whole request for one ("reference
 * to undefined schema at properties.a", google-gemini/gemini-cli#13326; "JSON schema is invalid", 567-labs/instructor-js#194).
 * No vendor fetches another document either.
 */

import { asText, type JsonObject, withoutFields } from '../../lib/json.ts';
import { parsePointer, resolvePointer } from './json-pointer.ts';
import { hasReference, rewriteSchema } from './schema-places.ts';

/** The keywords by which a schema has a name that a reference may say. `id` is that of draft 4. */
const NAMES = ['$id', '$anchor', '$dynamicAnchor', 'id'] as const;

/** The schema without references that lead nowhere: any value is allowed there. Itself if it has none. */
export function withoutDanglingReferences(schema: JsonObject): JsonObject {
  // Most schemas have none at all, and an agent sends dozens of them with each turn: this takes half as long.
  if (!hasReference(schema)) return schema;
  let isNamed: boolean | undefined;
  const isDangling = (reference: string): boolean => {
    if (parsePointer(reference) !== undefined) return resolvePointer(reference, schema) === undefined;
    isNamed ??= hasNames(schema);
    return !isNamed;
  };
  return rewriteSchema(schema, (one) => {
    const reference = asText(one['$ref']);
    return reference !== undefined && isDangling(reference) ? withoutFields(one, ['$ref']) : one;
  });
}

function hasNames(schema: JsonObject): boolean {
  let found = false;
  rewriteSchema(schema, (one) => {
    found ||= NAMES.some((name) => typeof one[name] === 'string');
    return one;
  });
  return found;
}
