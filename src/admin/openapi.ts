/**
 * The admin API as a part of an OpenAPI 3.1 document: the schemas are those by which bodies are checked. Its paths are
 * on a listener of their own, which every one of them says.
 */

import { z } from 'zod';
import { asObject, type JsonObject, parseJson } from '../json.ts';
import { keySettings, newKey } from '../store/key-settings.ts';
import { keyView } from '../store/key-view.ts';
import { usageQuery } from '../usage/usage-query.ts';
import { errorBody } from './answers.ts';
import { keyList, listQuery, madeKey, rotation } from './key-routes.ts';
import { usageAnswer } from './usage-route.ts';

/** Where the admin API listens unless it is told otherwise. */
const USUAL_PLACE = 'http://127.0.0.1:8788';

const SCHEMAS = {
  AdminKey: keyView,
  AdminMadeKey: madeKey,
  AdminKeyList: keyList,
  AdminNewKey: newKey,
  AdminKeySettings: keySettings,
  AdminRotation: rotation,
  AdminUsage: usageAnswer,
  AdminError: errorBody,
};

type SchemaName = keyof typeof SCHEMAS;

const MEANINGS = {
  400: 'A field is not as it should be.',
  401: 'No admin key, or a wrong one.',
  404: 'There is no such key.',
  409: 'The name is taken, or the key is revoked.',
  413: 'The body is too large.',
  503: 'The store cannot be reached.',
} as const;

type ErrorStatus = keyof typeof MEANINGS;

/** For `tags` of the document. */
export const adminTag: JsonObject = {
  name: 'admin',
  description: 'Keys and usage, on a listener of its own, where an admin key is set.',
};

/** For `components.schemas`. */
export function adminSchemas(): JsonObject {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => {
      // A body is described as it is sent, an answer as it is made.
      const sent = schema === newKey || schema === keySettings || schema === rotation;
      return [name, jsonSchema(schema, sent ? 'input' : 'output')];
    }),
  );
}

/** For `components.securitySchemes`. */
export const adminSecurity: JsonObject = {
  adminKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The admin key: GATEWAY_ADMIN_KEY, or `admin.key`.',
  },
};

/** For `paths`. */
export function adminPaths(): JsonObject {
  return {
    '/admin/keys': path([], {
      get: operation('listKeys', 'The keys, the newest first.', {
        parameters: inQuery(listQuery.shape),
        responses: { 200: answer('The keys.', 'AdminKeyList'), ...errors(400) },
      }),
      post: operation('createKey', 'Makes a key. What is not set is not limited.', {
        requestBody: body('AdminNewKey', true),
        responses: { 201: answer('The key, shown this once.', 'AdminMadeKey'), ...errors(400, 409, 413) },
      }),
    }),
    '/admin/keys/{key}': path([KEY], {
      get: operation('getKey', 'One key.', {
        responses: { 200: answer('The key.', 'AdminKey'), ...errors(404) },
      }),
      patch: operation(
        'changeKey',
        'Changes what is named; null lifts a limit. In force within a second or two.',
        {
          requestBody: body('AdminKeySettings', true),
          responses: { 200: answer('The key as it is now.', 'AdminKey'), ...errors(400, 404, 409, 413) },
        },
      ),
      delete: operation('revokeKey', 'Ends a key for good, within a second or two. Its usage stays.', {
        responses: { 200: answer('The key, revoked.', 'AdminKey'), ...errors(404) },
      }),
    }),
    '/admin/keys/{key}/rotate': path([KEY], {
      post: operation('rotateKey', 'Puts a new key in the place of one: same name, same limits.', {
        requestBody: body('AdminRotation', false),
        responses: {
          200: answer('The key, shown this once.', 'AdminMadeKey'),
          ...errors(400, 404, 409, 413),
        },
      }),
    }),
    '/admin/usage': path([], {
      get: operation('reportUsage', 'What was used, and what it cost.', {
        parameters: inQuery(usageQuery.shape),
        responses: {
          200: answer('The latest day first, then what cost most.', 'AdminUsage'),
          ...errors(400),
        },
      }),
    }),
  };
}

const KEY: JsonObject = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'The id of a key, or the name of one that is not revoked.',
  schema: { type: 'string' },
};

function path(parameters: readonly JsonObject[], operations: JsonObject): JsonObject {
  const servers = [{ url: USUAL_PLACE, description: "The admin API's own listener." }];
  return { servers, ...(parameters.length > 0 && { parameters: [...parameters] }), ...operations };
}

function operation(id: string, summary: string, rest: JsonObject): JsonObject {
  return { operationId: id, tags: ['admin'], summary, security: [{ adminKey: [] }], ...rest };
}

function answer(description: string, schema: SchemaName): JsonObject {
  return { description, content: { 'application/json': { schema: reference(schema) } } };
}

function body(schema: SchemaName, required: boolean): JsonObject {
  return { required, content: { 'application/json': { schema: reference(schema) } } };
}

/** The errors of an operation; the last two are of all. */
function errors(...statuses: readonly ErrorStatus[]): JsonObject {
  const all: readonly ErrorStatus[] = [...statuses, 401, 503];
  return Object.fromEntries(all.map((status) => [status, answer(MEANINGS[status], 'AdminError')]));
}

function inQuery(shape: Readonly<Record<string, z.ZodType>>): JsonObject[] {
  return Object.entries(shape).map(([name, field]) => {
    const { description, ...schema } = jsonSchema(field, 'input');
    return { name, in: 'query', required: false, ...(description !== undefined && { description }), schema };
  });
}

function reference(schema: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${schema}` };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: node }) {
      // The pattern of a date says in 300 characters what its format says in one word.
      if (node.format !== undefined) delete node.pattern;
    },
  });
  const { $schema: _, ...rest } = asObject(parseJson(JSON.stringify(made))) ?? {};
  return rest;
}
