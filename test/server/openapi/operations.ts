/** The operations of a document. */

import { asObject, asText, isObject, type JsonObject } from '../../../src/lib/json.ts';
import { resolved } from './validator.ts';

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: JsonObject;
  /** By status, or `default`. */
  readonly responses: Readonly<Record<string, JsonObject>>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Every operation, with its references resolved. */
export function operationsOf(document: JsonObject): readonly Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(asObject(document['paths']) ?? {})) {
    for (const method of METHODS) {
      const described = isObject(item) ? item[method] : undefined;
      if (!isObject(described)) continue;
      const description = resolved(document, described);
      if (!isObject(description)) throw new Error('An operation is an object.');
      const responses = Object.entries(asObject(description['responses']) ?? {}).flatMap(
        ([status, response]) => (isObject(response) ? [[status, response] as const] : []),
      );
      operations.push({
        id: asText(description['operationId']) ?? '',
        method: method.toUpperCase(),
        path,
        description,
        responses: Object.fromEntries(responses),
      });
    }
  }
  return operations;
}

/** The schema of a response's JSON, if it has one. */
export function jsonSchemaIn(response: JsonObject | undefined): JsonObject | undefined {
  const content = asObject(response?.['content']);
  return asObject(asObject(content?.['application/json'])?.['schema']);
}
