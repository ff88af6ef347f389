/** The parameters of the OpenAPI document. */

import type { JsonObject } from '../../../lib/json.ts';

const TEXT: JsonObject = { type: 'string' };

/** A part of the path, which is always there. */
export function inPath(name: string, description: string, schema = TEXT): JsonObject {
  return { name, in: 'path', required: true, description, schema };
}

export function inQuery(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'query', description, schema };
}

export function inHeader(name: string, description: string, schema = TEXT): JsonObject {
  return { name, in: 'header', description, schema };
}
