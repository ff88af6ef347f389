/** The read-only endpoints: models, the caller's key, health checks, the console, and the documents about the gateway. */

import type { CallerResponse } from '../../access/caller.ts';
import { methodNotAllowed } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { decodedName, MODELS_PATH } from '../../pipeline/decode.ts';
import { describeKey } from './caller-key.ts';
import { isGoogleClient } from './client-family.ts';
import { answerHealth, type Condition } from './health.ts';
import { listGoogleModels, listModels, listPricedModels, oneGoogleModel, oneModel } from './model-list.ts';
import { KEYS } from './openapi/describe-exchange.ts';
import type { Endpoint, Operation } from './openapi/endpoint.ts';
import { inPath, inQuery } from './openapi/parameters.ts';
import { errorResponses, fileResponse, jsonResponse } from './openapi/responses.ts';
import { isCall } from './path-advice.ts';
import type { Handler, PathTable, RenderList } from './path-table.ts';

/** What an app has for its read-only endpoints. */
export interface ReadServices {
  readonly list: PathTable<CallerResponse>['list'];
  readonly condition: () => Condition;
  /** Answers with a file of the console. */
  readonly page: Handler;
  /** Answers with the OpenAPI document. */
  readonly describe: Handler;
}

/** An endpoint for GET and HEAD. */
export interface ReadEndpoint extends Endpoint {
  open(services: ReadServices): Handler;
}

type Row = Operation & Pick<ReadEndpoint, 'route' | 'open'>;

const ANY_KEY = ['bearerKey', 'anthropicKey', 'googleKey'] as const;

const FORMS =
  "With an `anthropic-version` header it also has Anthropic's fields; with a key in `x-goog-api-key` it is Google's.";

/** What the clients of OpenAI, Anthropic and Google share: the header that carries the key decides the form of the answer. */
const SHARED = { tag: 'models', keys: ANY_KEY } as const;

const modelAt: RenderList = (gateway, principal, { path, anthropic }) =>
  oneModel(gateway, principal, nameAt(path), anthropic);

const googleModelAt: RenderList = (gateway, principal, { path }) => {
  if (isCall(path)) throw methodNotAllowed('POST');
  return oneGoogleModel(gateway, principal, nameAt(path));
};

/** The model named below `/v1/models/` or `/v1beta/models/`. */
function nameAt(path: string): string {
  return decodedName(path.replace(MODELS_PATH, ''));
}

/** A JSON document of no particular schema. */
function anyObject(description: string): JsonObject {
  return { description, content: { 'application/json': { schema: { type: 'object' } } } };
}

/** Google's SDK uses /v1 unless it is given a version (@google/genai 3 and later). */
function byClient(others: Handler, google: Handler): Handler {
  return (incoming, path) => (isGoogleClient(incoming.message) ? google : others)(incoming, path);
}

/** Editors complete and check a configuration by it. It is loaded by the first request, since most gateways get none. */
async function answerConfigSchema(): Promise<Response> {
  const { default: schema } = await import('../../config/config.schema.json', { with: { type: 'json' } });
  // Editors in a browser ask from other origins.
  return Response.json(schema, { headers: { 'access-control-allow-origin': '*' } });
}

const oneShared = {
  ...SHARED,
  route: '/v1/models/**',
  summary: `One model. ${FORMS}`,
  responses: {
    200: jsonResponse('What the key may use.', 'Model', 'GoogleModel'),
    ...errorResponses(['chat-completions', 'generate-content'], 401, 404),
  },
  open: ({ list }: ReadServices) => byClient(list('any', modelAt), list('generate-content', googleModelAt)),
};

const rows: Readonly<Record<string, Row>> = {
  '/v1/models': {
    ...SHARED,
    id: 'listModels',
    summary: `The models, by pages if a client of Anthropic or Google asks for them. ${FORMS}`,
    responses: {
      200: jsonResponse('What the key may use.', 'ModelList', 'GoogleModelList'),
      ...errorResponses(['chat-completions', 'generate-content'], 401),
    },
    open: ({ list }) => byClient(list('any', listModels), list('generate-content', listGoogleModels)),
  },
  '/v1/models/{vendor}/{model}': {
    ...oneShared,
    id: 'getModel',
    parameters: [inPath('vendor', 'The vendor.'), inPath('model', "The model's name.")],
  },
  '/v1/models/{model}': {
    ...oneShared,
    id: 'getModelByShortName',
    parameters: [
      inPath(
        'model',
        'An OpenAI model (with an `anthropic-version` header, an Anthropic model; with `x-goog-api-key`, a Google model), without its vendor.',
      ),
    ],
  },
  '/v1beta/models': {
    id: 'listGoogleModels',
    tag: 'models',
    summary: 'The models that generateContent serves: Google’s, or all by configuration.',
    keys: KEYS['generate-content'],
    parameters: [
      inQuery('pageSize', 'The most models of a page. Without it, all are one page.', { type: 'integer' }),
      inQuery('pageToken', 'The `nextPageToken` of the page before.', { type: 'string' }),
    ],
    responses: {
      200: jsonResponse('The models that the key may use.', 'GoogleModelList'),
      ...errorResponses(['generate-content'], 401, 400),
    },
    open: ({ list }) => list('generate-content', listGoogleModels),
  },
  '/v1beta/models/{model}': {
    route: '/v1beta/models/**',
    id: 'getGoogleModel',
    tag: 'models',
    summary: 'One model.',
    keys: KEYS['generate-content'],
    parameters: [inPath('model', 'A Google model, without its vendor.')],
    responses: {
      200: jsonResponse('The model.', 'GoogleModel'),
      ...errorResponses(['generate-content'], 401, 404),
    },
    open: ({ list }) => list('generate-content', googleModelAt),
  },
  '/v1/key': {
    id: 'getOwnKey',
    tag: 'keys',
    summary:
      "The caller's own key: its models and limits, what is left of them, and what it has used by day. The fields have OpenRouter's names, where it has them.",
    keys: ANY_KEY,
    responses: {
      200: jsonResponse('The key, never the secret itself.', 'CallerKey'),
      ...errorResponses(['chat-completions'], 401),
      503: jsonResponse('The store cannot be reached.', 'OpenAIError'),
    },
    open: ({ list }) => list('any', describeKey),
  },
  '/api/hello': {
    id: 'isThere',
    tag: 'process',
    summary: 'Claude Code calls this to open its connection.',
    responses: { 200: anyObject('The connection is open.') },
    // An error would close the connection again.
    open: () => () => Response.json({ message: 'hello' }),
  },
  '/health/live': {
    id: 'isAlive',
    tag: 'process',
    summary: 'Whether the process is running.',
    responses: { 200: jsonResponse('It does.', 'Health') },
    open: () => () => answerHealth('ok'),
  },
  '/health/ready': {
    id: 'isReady',
    tag: 'process',
    summary: 'Whether the process accepts new requests.',
    responses: {
      200: jsonResponse('It does.', 'Health'),
      503: jsonResponse('It is shutting down, or overloaded.', 'Health'),
    },
    open: (services) => () => answerHealth(services.condition()),
  },
  '/openapi.json': {
    id: 'getDescription',
    tag: 'process',
    summary: 'This document.',
    responses: { 200: anyObject('OpenAPI 3.1.') },
    open: ({ describe }) => describe,
  },
  '/config.schema.json': {
    id: 'getConfigSchema',
    tag: 'process',
    summary: 'The JSON schema of a configuration file.',
    responses: { 200: anyObject('JSON Schema, draft 7.') },
    open: () => answerConfigSchema,
  },
  '/': {
    id: 'getConsole',
    tag: 'console',
    summary: 'The console: a page to chat with any model, and to administer the gateway.',
    responses: { 200: fileResponse('The page.', 'text/html') },
    open: ({ page }) => page,
  },
  '/console/{file}': {
    route: '/console/**',
    id: 'getConsoleFile',
    tag: 'console',
    summary: "The console's scripts and styles.",
    parameters: [inPath('file', 'Name of the file.')],
    responses: {
      200: fileResponse('The file.', 'text/javascript', 'text/css', 'image/svg+xml'),
      404: jsonResponse('File not found.', 'OpenAIError'),
    },
    open: ({ page }) => page,
  },
  '/console/models.json': {
    id: 'listPricedModels',
    tag: 'console',
    summary: 'The models that the key may use, with their prices.',
    keys: ['bearerKey'],
    responses: {
      200: jsonResponse('The models.', 'PricedModels'),
      ...errorResponses(['chat-completions'], 401),
    },
    open: ({ list }) => list('chat-completions', listPricedModels),
  },
};

export const readEndpoints: readonly ReadEndpoint[] = Object.entries(rows).map(([path, row]) => ({
  method: 'GET',
  path,
  ...(row.route !== undefined && { route: row.route }),
  open: row.open,
  describe: () => row,
}));
