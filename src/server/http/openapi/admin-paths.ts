/** The endpoints of the admin listener, described from the table that serves them. */

import type { z } from 'zod';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { ACTOR_HEADER } from '../admin/actor.ts';
import { configList } from '../admin/config-route.ts';
import { type AdminOperation, adminOperations } from '../admin/operations.ts';
import { sessionView } from '../admin/sign-in-routes.ts';
import { refTo, schemaAt, toJsonSchema } from './components.ts';
import { type Endpoint, type Operation, renderPaths } from './endpoint.ts';
import { inHeader, inPath } from './parameters.ts';
import { fileResponse, REQUEST_ID } from './responses.ts';

const MEANINGS = {
  400: 'A field is invalid; `param` names it.',
  401: 'The admin key is missing or wrong.',
  404: 'There is no such key or group.',
  409: 'The name is taken, the key has been revoked, or the group still has keys.',
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

const ADMIN = { tag: 'admin', keys: ['adminKey'] } as const;

const ACTOR = inHeader(
  ACTOR_HEADER,
  'Who makes the change, for the audit trail: a name of at most 128 characters of ASCII.',
);

/** What each placeholder in a path stands for. */
const NAMED: Readonly<Record<string, string>> = {
  key: "The key's id or name; a revoked key can only be named by its id.",
  group: 'The name of the group.',
};

/** @returns the OpenAPI path items of the admin listener by path, with the servers that they are found at */
export function adminPaths(): JsonObject {
  const api = Object.entries(adminOperations).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation)),
  );
  const endpoints = [...api, ...watched].map(({ method, path, ...operation }) => ({
    method,
    path,
    describe: () => operation,
  }));
  const items = Object.entries(renderPaths(endpoints));
  return Object.fromEntries(items.map(([path, item]) => [path, { servers: SERVERS, ...item }]));
}

type AdminEndpoint = Operation & Pick<Endpoint, 'method' | 'path'>;

function describe(path: string, method: string, operation: AdminOperation): AdminEndpoint {
  const { id, summary, query, body, bodyOptional, status = 200, answer, errors = [] } = operation;
  const invalid = query === undefined && body === undefined ? [] : [400 as const];
  const tooLarge = body === undefined ? [] : [413 as const];
  return {
    ...ADMIN,
    method,
    path,
    id,
    summary,
    parameters: [
      ...pathParameters(path),
      ...(query === undefined ? [] : queryParameters(query)),
      ...(method === 'GET' ? [] : [ACTOR]),
    ],
    body: body && refTo(body),
    bodyOptional,
    responses: {
      [status]: answerResponse('Done.', answer),
      ...Object.fromEntries(
        [...invalid, 401 as const, ...errors, ...tooLarge].map((error) => [error, errorResponse(error)]),
      ),
      // By the id the log is searched for the reason.
      503: { ...errorResponse(503), headers: { 'x-request-id': REQUEST_ID } },
    },
  };
}

function errorResponse(status: keyof typeof MEANINGS): JsonObject {
  return {
    description: MEANINGS[status],
    content: { 'application/json': { schema: schemaAt('AdminError') } },
  };
}

function answerResponse(description: string, answer: z.ZodType): JsonObject {
  return { description, content: { 'application/json': { schema: refTo(answer) } } };
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inPath(name, NAMED[name] ?? ''));
}

/** Each field of a query's schema as an OpenAPI parameter. */
function queryParameters(schema: z.ZodType): JsonObject[] {
  const properties = asObject(toJsonSchema(schema)['properties']) ?? {};
  return Object.entries(properties).map(([name, property]) => {
    const { description, listOf, ...rest } = asObject(property) ?? {};
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      // Several values are sent as one comma-separated text.
      ...(listOf !== undefined && { style: 'form', explode: false }),
      schema:
        listOf === undefined
          ? rest
          : { type: 'array', items: { enum: listOf }, minItems: 1, ...renderDefault(rest) },
    };
  });
}

function renderDefault({ default: value }: JsonObject): JsonObject {
  return value === undefined ? {} : { default: value };
}

/** What an operator watches. The console is described with the callers' paths. */
const watched: readonly AdminEndpoint[] = [
  {
    method: 'GET',
    path: '/admin/session',
    id: 'getSession',
    tag: 'admin',
    summary: 'Says who has signed in at the identity provider, and whether anybody can.',
    responses: { 200: answerResponse('The session.', sessionView) },
  },
  {
    method: 'GET',
    path: '/admin/config',
    ...ADMIN,
    id: 'getConfig',
    summary:
      'Lists each value of the effective configuration with where it comes from; secrets are not shown.',
    responses: { 200: answerResponse('The values.', configList), 401: errorResponse(401) },
  },
  {
    method: 'GET',
    path: '/metrics',
    ...ADMIN,
    id: 'getMetrics',
    summary:
      "Metrics for Prometheus. Also on the callers' listener, with the admin key; without the key it is a 404 there.",
    responses: { 200: fileResponse("Prometheus's text format.", 'text/plain'), 401: errorResponse(401) },
  },
];
