/** The read-only endpoints: models, health checks, the console, and this document. */

import type { JsonObject } from '../../../lib/json.ts';
import type { SchemaName } from './components.ts';
import { eitherResponse, eithersErrors, errorResponses, fileResponse, jsonResponse } from './responses.ts';

const anyKey = [{ bearerKey: [] }, { anthropicKey: [] }, { googleKey: [] }];
const googleKeys = [{ bearerKey: [] }, { googleKey: [] }, { googleKeyInQuery: [] }];

function inPath(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/**
 * Describes a path that the clients of OpenAI, Anthropic and Google share. The header that carries the key decides the
 * form of the answer.
 * @param answers the schemas for OpenAI's and Anthropic's clients, and for Google's
 */
function shared(
  id: string,
  summary: string,
  answers: readonly [SchemaName, SchemaName],
  parameters: readonly JsonObject[] = [],
): JsonObject {
  return {
    get: {
      operationId: id,
      tags: ['models'],
      summary: `${summary} With an \`anthropic-version\` header it also has Anthropic's fields; with a key in \`x-goog-api-key\` it is Google's.`,
      security: anyKey,
      ...(parameters.length > 0 && { parameters: [...parameters] }),
      responses: {
        200: eitherResponse('What the key may use.', ...answers),
        ...eithersErrors(
          'chat-completions',
          'generate-content',
          401,
          ...(parameters.length > 0 ? [404 as const] : []),
        ),
      },
    },
  };
}

function inQuery(name: string, type: string, description: string): JsonObject {
  return { name, in: 'query', description, schema: { type } };
}

function plain(id: string, tag: string, summary: string, responses: JsonObject): JsonObject {
  return { get: { operationId: id, tags: [tag], summary, security: [], responses } };
}

const NOT_THERE = jsonResponse('File not found.', 'OpenAIError');

/** @returns the OpenAPI path items of the read-only endpoints, by path */
export function readPaths(): JsonObject {
  return {
    '/v1/models': shared(
      'listModels',
      'The models, by pages if a client of Anthropic or Google asks for them.',
      ['ModelList', 'GoogleModelList'],
    ),
    '/v1/models/{vendor}/{model}': shared(
      'getModel',
      'One model.',
      ['Model', 'GoogleModel'],
      [inPath('vendor', 'The vendor.'), inPath('model', "The model's name.")],
    ),
    '/v1/models/{model}': shared(
      'getModelByShortName',
      'One model.',
      ['Model', 'GoogleModel'],
      [
        inPath(
          'model',
          'An OpenAI model (with an `anthropic-version` header, an Anthropic model; with `x-goog-api-key`, a Google model), without its vendor.',
        ),
      ],
    ),
    '/v1beta/models': {
      get: {
        operationId: 'listGoogleModels',
        tags: ['models'],
        summary: 'The models that generateContent serves: Google’s, or all by configuration.',
        security: googleKeys,
        parameters: [
          inQuery('pageSize', 'integer', 'The most models of a page. Without it, all are one page.'),
          inQuery('pageToken', 'string', 'The `nextPageToken` of the page before.'),
        ],
        responses: {
          200: jsonResponse('The models that the key may use.', 'GoogleModelList'),
          ...errorResponses('generate-content', 401, 400),
        },
      },
    },
    '/v1beta/models/{model}': {
      get: {
        operationId: 'getGoogleModel',
        tags: ['models'],
        summary: 'One model.',
        security: googleKeys,
        parameters: [inPath('model', 'A Google model, without its vendor.')],
        responses: {
          200: jsonResponse('The model.', 'GoogleModel'),
          ...errorResponses('generate-content', 401, 404),
        },
      },
    },
    '/v1/key': {
      get: {
        operationId: 'getOwnKey',
        tags: ['keys'],
        summary:
          "The caller's own key: its models and limits, what is left of them, and what it has used by day. The fields have OpenRouter's names, where it has them.",
        security: anyKey,
        responses: {
          200: jsonResponse('The key, never the secret itself.', 'CallerKey'),
          ...errorResponses('chat-completions', 401),
          503: jsonResponse('The store cannot be reached.', 'OpenAIError'),
        },
      },
    },
    '/api/hello': plain('isThere', 'process', 'Claude Code calls this to open its connection.', {
      200: {
        description: 'The connection is open.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    }),
    '/health/live': plain('isAlive', 'process', 'Whether the process is running.', {
      200: jsonResponse('It does.', 'Health'),
    }),
    '/health/ready': plain('isReady', 'process', 'Whether the process accepts new requests.', {
      200: jsonResponse('It does.', 'Health'),
      503: jsonResponse('It is shutting down, or overloaded.', 'Health'),
    }),
    '/openapi.json': plain('getDescription', 'process', 'This document.', {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    '/config.schema.json': plain('getConfigSchema', 'process', 'The JSON schema of a configuration file.', {
      200: {
        description: 'JSON Schema, draft 7.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    }),
    '/': plain(
      'getConsole',
      'console',
      'The console: a page to chat with any model, and to administer the gateway.',
      {
        200: fileResponse('The page.', 'text/html'),
      },
    ),
    '/console/{file}': {
      get: {
        operationId: 'getConsoleFile',
        tags: ['console'],
        summary: "The console's scripts and styles.",
        security: [],
        parameters: [inPath('file', 'Name of the file.')],
        responses: {
          200: fileResponse('The file.', 'text/javascript', 'text/css', 'image/svg+xml'),
          404: NOT_THERE,
        },
      },
    },
    '/console/models.json': {
      get: {
        operationId: 'listPricedModels',
        tags: ['console'],
        summary: 'The models that the key may use, with their prices.',
        security: [{ bearerKey: [] }],
        responses: {
          200: jsonResponse('The models.', 'PricedModels'),
          ...errorResponses('chat-completions', 401),
        },
      },
    },
  };
}
