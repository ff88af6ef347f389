/** What the OpenAPI document says of an endpoint, for callers and for administrators alike. */

import type { JsonObject } from '../../../lib/json.ts';

/** The places where a key may stand. */
export const securitySchemes = {
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The API key, on any endpoint. Where identity providers are configured, a signed JWT of one of them may stand here, as wherever a key may.',
  },
  anthropicKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  googleKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
  adminKey: { type: 'http', scheme: 'bearer', description: 'The admin key (GATEWAY_ADMIN_KEY).' },
  googleKeyInQuery: { type: 'apiKey', in: 'query', name: 'key' },
} as const;

/** What the document says of an operation. */
export interface Operation {
  /** Its name, which becomes a method's name in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** Where its key may stand. Absent if anybody may ask. */
  readonly keys?: readonly (keyof typeof securitySchemes)[];
  readonly docs?: { readonly url: string; readonly description: string };
  readonly parameters?: readonly JsonObject[];
  /** A reference to the schema of the body. */
  readonly body?: JsonObject | undefined;
  /** Whether the request may come without its body. */
  readonly bodyOptional?: boolean | undefined;
  readonly responses: JsonObject;
}

/** The method and the path by which an operation is asked for. */
export interface Endpoint {
  readonly method: string;
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** The pattern of h3's that serves it. Absent if it is that of the path. */
  readonly route?: string;
  /** Called for the document alone, which few gateways are asked for. */
  describe(): Operation;
}

/** @returns the OpenAPI path items of the endpoints, by path */
export function renderPaths(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonObject>> {
  const items: Record<string, JsonObject> = {};
  for (const { method, path, describe } of endpoints) {
    items[path] = { ...items[path], [method.toLowerCase()]: renderOperation(describe()) };
  }
  return items;
}

function renderOperation(operation: Operation): JsonObject {
  const { id, tag, summary, keys = [], docs, parameters = [], body, bodyOptional, responses } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(docs !== undefined && { externalDocs: { ...docs } }),
    security: keys.map((key) => ({ [key]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: bodyOptional !== true, content: { 'application/json': { schema: body } } },
    }),
    responses,
  };
}
