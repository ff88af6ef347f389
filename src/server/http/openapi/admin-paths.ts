/** The admin's endpoints, on a listener of their own, from the very schemas that check what comes and goes there. */

import type { z } from 'zod';
import { usageQuery } from '../../../accounting/usage/usage-query.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { groupSettings, keySettings, newGroup, newKey } from '../../../store/key-settings.ts';
import { groupView, keyView } from '../../../store/key-view.ts';
import { errorBody } from '../admin/answers.ts';
import { groupList } from '../admin/group-routes.ts';
import { keyList, listQuery, madeKey, rotation } from '../admin/key-routes.ts';
import { usageAnswer } from '../admin/usage-route.ts';
import { fileResponse } from './responses.ts';
import { jsonSchemaOf } from './schemas.ts';

const requests = {
  NewKey: newKey,
  KeySettings: keySettings,
  Rotation: rotation,
  NewGroup: newGroup,
  GroupSettings: groupSettings,
} as const;
const answers = {
  Key: keyView,
  MadeKey: madeKey,
  KeyList: keyList,
  Group: groupView,
  GroupList: groupList,
  Usage: usageAnswer,
  AdminError: errorBody,
} as const;

/** Their schemas by name. */
export function adminSchemas(): JsonObject {
  return {
    ...mapped(requests, (schema) => jsonSchemaOf(schema)),
    ...mapped(answers, (schema) => jsonSchemaOf(schema, 'output')),
  };
}

function mapped(
  schemas: Readonly<Record<string, z.ZodType>>,
  to: (schema: z.ZodType) => JsonObject,
): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, to(schema)]));
}

const MEANINGS = {
  400: 'A field is invalid; `param` names it.',
  401: 'The admin key is missing or wrong.',
  404: 'There is no such key or group.',
  409: 'The name is taken, the key has been revoked, or keys are still of the group.',
  413: 'The body is too large.',
  503: 'The store cannot be reached or written to.',
} as const;

const SERVERS = [
  {
    url: 'http://{host}:{port}',
    description:
      'The admin listener (GATEWAY_ADMIN_HOST, GATEWAY_ADMIN_PORT). It is open if an admin key is set.',
    variables: { host: { default: '127.0.0.1' }, port: { default: '8788' } },
  },
];

function at(name: keyof typeof requests | keyof typeof answers): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

interface Told {
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: keyof typeof requests;
  /** Whether a body must be there. */
  readonly bodyNeeded?: boolean;
  /** What the path names. */
  readonly named?: JsonObject;
  readonly answer: readonly [status: 200 | 201, schema: keyof typeof answers];
  readonly errors: readonly (keyof typeof MEANINGS)[];
}

function operation({ id, summary, query, body, bodyNeeded = true, named, answer, errors }: Told): JsonObject {
  const [status, schema] = answer;
  const parameters = [
    ...(named === undefined ? [] : [named]),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  return {
    operationId: id,
    tags: ['admin'],
    summary,
    security: [{ adminKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: bodyNeeded, content: { 'application/json': { schema: at(body) } } },
    }),
    responses: {
      [status]: { description: 'Done.', content: { 'application/json': { schema: at(schema) } } },
      ...Object.fromEntries(
        errors.map((error) => [
          error,
          { description: MEANINGS[error], content: { 'application/json': { schema: at('AdminError') } } },
        ]),
      ),
    },
  };
}

const KEY_IN_PATH = {
  name: 'key',
  in: 'path',
  required: true,
  description: "The key's id or name; a revoked key can only be named by its id.",
  schema: { type: 'string' },
};

const GROUP_IN_PATH = {
  name: 'group',
  in: 'path',
  required: true,
  description: 'The name of the group.',
  schema: { type: 'string' },
};

/** The fields of a query's schema, each a parameter. */
function queryParameters(schema: z.ZodType): JsonObject[] {
  const properties = asObject(jsonSchemaOf(schema)['properties']) ?? {};
  return Object.entries(properties).map(([name, of]) => {
    const { description, listOf, ...rest } = asObject(of) ?? {};
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      // Several of them in one text, comma-separated.
      ...(listOf !== undefined && { style: 'form', explode: false }),
      schema:
        listOf === undefined
          ? rest
          : { type: 'array', items: { enum: listOf }, minItems: 1, ...withDefault(rest) },
    };
  });
}

function withDefault({ default: usual }: JsonObject): JsonObject {
  return usual === undefined ? {} : { default: usual };
}

/** The paths, by what they are. */
export function adminPaths(): JsonObject {
  const paths = {
    '/admin/keys': {
      get: operation({
        id: 'listKeys',
        summary: 'Lists the keys in the store.',
        query: listQuery,
        answer: [200, 'KeyList'],
        errors: [400, 401, 503],
      }),
      post: operation({
        id: 'createKey',
        summary: 'Creates a key. This answer is the only one that contains it.',
        body: 'NewKey',
        answer: [201, 'MadeKey'],
        errors: [400, 401, 409, 413, 503],
      }),
    },
    '/admin/keys/{key}': {
      get: operation({
        id: 'getKey',
        summary: 'Reads one key.',
        named: KEY_IN_PATH,
        answer: [200, 'Key'],
        errors: [401, 404, 503],
      }),
      patch: operation({
        id: 'changeKey',
        summary: 'Changes the settings of a key: absent fields stay as they are, null removes a limit.',
        named: KEY_IN_PATH,
        body: 'KeySettings',
        answer: [200, 'Key'],
        errors: [400, 401, 404, 409, 413, 503],
      }),
      delete: operation({
        id: 'revokeKey',
        summary: 'Revokes a key for good.',
        named: KEY_IN_PATH,
        answer: [200, 'Key'],
        errors: [401, 404, 503],
      }),
    },
    '/admin/keys/{key}/rotate': {
      post: operation({
        id: 'rotateKey',
        summary: 'Replaces a key with a new one; the old one can keep working for a while.',
        named: KEY_IN_PATH,
        body: 'Rotation',
        bodyNeeded: false,
        answer: [201, 'MadeKey'],
        errors: [400, 401, 404, 409, 413, 503],
      }),
    },
    '/admin/groups': {
      get: operation({
        id: 'listGroups',
        summary: 'Lists the groups in the store.',
        answer: [200, 'GroupList'],
        errors: [401, 503],
      }),
      post: operation({
        id: 'createGroup',
        summary: 'Creates a group: keys of it share its limits.',
        body: 'NewGroup',
        answer: [201, 'Group'],
        errors: [400, 401, 409, 413, 503],
      }),
    },
    '/admin/groups/{group}': {
      get: operation({
        id: 'getGroup',
        summary: 'Reads one group.',
        named: GROUP_IN_PATH,
        answer: [200, 'Group'],
        errors: [401, 404, 503],
      }),
      patch: operation({
        id: 'changeGroup',
        summary: 'Changes the settings of a group: absent fields stay as they are, null removes a limit.',
        named: GROUP_IN_PATH,
        body: 'GroupSettings',
        answer: [200, 'Group'],
        errors: [400, 401, 404, 413, 503],
      }),
      delete: operation({
        id: 'deleteGroup',
        summary: 'Deletes a group that no key is of any more. Its usage stays in reports.',
        named: GROUP_IN_PATH,
        answer: [200, 'Group'],
        errors: [401, 404, 409, 503],
      }),
    },
    '/admin/usage': {
      get: operation({
        id: 'getUsage',
        summary: 'Reports requests, tokens and cost by day, group, key, model, vendor or tag.',
        query: usageQuery,
        answer: [200, 'Usage'],
        errors: [400, 401, 503],
      }),
    },
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        tags: ['admin'],
        summary:
          "Metrics for Prometheus. Also on the callers' listener, with the admin key; without the key it is a 404 there.",
        security: [{ adminKey: [] }],
        responses: {
          200: fileResponse("Prometheus's text format.", 'text/plain'),
          401: { description: MEANINGS[401], content: { 'application/json': { schema: at('AdminError') } } },
        },
      },
    },
    '/dashboard': {
      get: {
        operationId: 'getDashboard',
        tags: ['admin'],
        summary:
          'A page that shows requests, tokens, cost and latency; it asks for the admin key. `/` of the admin listener leads here.',
        security: [],
        responses: { 200: fileResponse('The page.', 'text/html') },
      },
    },
    '/dashboard/{file}': {
      get: {
        operationId: 'getDashboardFile',
        tags: ['admin'],
        summary: "The page's scripts and styles.",
        security: [],
        parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: fileResponse('The file.', 'text/javascript', 'text/css', 'image/svg+xml', 'text/html'),
          404: {
            description: 'File not found.',
            content: { 'application/json': { schema: at('AdminError') } },
          },
        },
      },
    },
  };
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [path, { servers: SERVERS, ...item }]),
  );
}
