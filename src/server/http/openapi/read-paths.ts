/** The read-only endpoints: models, health checks, the console, and this document. */

import type { JsonObject } from '../../../lib/json.ts';
import type { SchemaName } from './components.ts';
import { inPath, inQuery } from './parameters.ts';
import { eitherResponse, eithersErrors, errorResponses, fileResponse, jsonResponse } from './responses.ts';

const anyKey = [{ bearerKey: [] }, { anthropicKey: [] }, { googleKey: [] }];
const googleKeys = [{ bearerKey: [] }, { googleKey: [] }, { googleKeyInQuery: [] }];

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
  return get(
    id,
    'models',
    `${summary} With an \`anthropic-version\` header it also has Anthropic's fields; with a key in \`x-goog-api-key\` it is Google's.`,
    {
      200: eitherResponse('What the key may use.', ...answers),
      ...eithersErrors(
        'chat-completions',
        'generate-content',
        401,
        ...(parameters.length > 0 ? [404 as const] : []),
      ),
    },
    anyKey,
    parameters,
  );
}

/** @param security the keys that it takes; none if anybody may ask */
function get(
  id: string,
  tag: string,
  summary: string,
  responses: JsonObject,
  security: readonly JsonObject[] = [],
  parameters: readonly JsonObject[] = [],
): JsonObject {
  return {
    get: {
      operationId: id,
      tags: [tag],
      summary,
      security,
      ...(parameters.length > 0 && { parameters }),
      responses,
    },
  };
}

/** A JSON document of no particular schema. */
function anyObject(description: string): JsonObject {
  return { description, content: { 'application/json': { schema: { type: 'object' } } } };
}

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
    '/v1beta/models': get(
      'listGoogleModels',
      'models',
      'The models that generateContent serves: Google’s, or all by configuration.',
      {
        200: jsonResponse('The models that the key may use.', 'GoogleModelList'),
        ...errorResponses('generate-content', 401, 400),
      },
      googleKeys,
      [
        inQuery('pageSize', 'The most models of a page. Without it, all are one page.', { type: 'integer' }),
        inQuery('pageToken', 'The `nextPageToken` of the page before.', { type: 'string' }),
      ],
    ),
    '/v1beta/models/{model}': get(
      'getGoogleModel',
      'models',
      'One model.',
      {
        200: jsonResponse('The model.', 'GoogleModel'),
        ...errorResponses('generate-content', 401, 404),
      },
      googleKeys,
      [inPath('model', 'A Google model, without its vendor.')],
    ),
    '/v1/key': get(
      'getOwnKey',
      'keys',
      "The caller's own key: its models and limits, what is left of them, and what it has used by day. The fields have OpenRouter's names, where it has them.",
      {
        200: jsonResponse('The key, never the secret itself.', 'CallerKey'),
        ...errorResponses('chat-completions', 401),
        503: jsonResponse('The store cannot be reached.', 'OpenAIError'),
      },
      anyKey,
    ),
    '/api/hello': get('isThere', 'process', 'Claude Code calls this to open its connection.', {
      200: anyObject('The connection is open.'),
    }),
    '/health/live': get('isAlive', 'process', 'Whether the process is running.', {
      200: jsonResponse('It does.', 'Health'),
    }),
    '/health/ready': get('isReady', 'process', 'Whether the process accepts new requests.', {
      200: jsonResponse('It does.', 'Health'),
      503: jsonResponse('It is shutting down, or overloaded.', 'Health'),
    }),
    '/openapi.json': get('getDescription', 'process', 'This document.', { 200: anyObject('OpenAPI 3.1.') }),
    '/config.schema.json': get('getConfigSchema', 'process', 'The JSON schema of a configuration file.', {
      200: anyObject('JSON Schema, draft 7.'),
    }),
    '/': get(
      'getConsole',
      'console',
      'The console: a page to chat with any model, and to administer the gateway.',
      { 200: fileResponse('The page.', 'text/html') },
    ),
    '/console/{file}': get(
      'getConsoleFile',
      'console',
      "The console's scripts and styles.",
      {
        200: fileResponse('The file.', 'text/javascript', 'text/css', 'image/svg+xml'),
        404: jsonResponse('File not found.', 'OpenAIError'),
      },
      [],
      [inPath('file', 'Name of the file.')],
    ),
    '/console/models.json': get(
      'listPricedModels',
      'console',
      'The models that the key may use, with their prices.',
      {
        200: jsonResponse('The models.', 'PricedModels'),
        ...errorResponses('chat-completions', 401),
      },
      [{ bearerKey: [] }],
    ),
  };
}
