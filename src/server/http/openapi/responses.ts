/** The responses of the OpenAPI document. */

import type { FormatName } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { UPSTREAM_ID } from '../../../pipeline/encode.ts';
import { type SchemaName, schemaAt } from './components.ts';
import { limitHeaderComponents, limitHeaders, retryAfter } from './limit-headers.ts';

const ERRORS: Readonly<Record<FormatName, SchemaName>> = {
  'chat-completions': 'OpenAIError',
  responses: 'OpenAIError',
  messages: 'AnthropicError',
  'generate-content': 'GoogleError',
};

const MEANINGS = {
  400: 'The body is not JSON, or one of its fields is invalid, or the vendor says so.',
  401: 'The API key is missing or not valid.',
  403: 'The key may not use the model.',
  404: '`Model not supported`: it is not in the catalog, or no vendor that serves it is configured.',
  413: 'The body is too large.',
  415: 'The content type of the body is not JSON.',
  429: 'Over a limit or budget of the key, of its group, or of the vendor; `Retry-After` says when to try again.',
  500: 'An error of the vendor, or of the gateway itself.',
  502: "The vendor is down, broke off its answer, or refused the gateway's own key.",
  503: 'The vendor or the gateway is overloaded.',
  504: 'The vendor took too long to answer.',
  529: 'The vendor is overloaded.',
} as const;

/** Statuses without limit headers, since they are answered before limits are read. */
const UNADMITTED: ReadonlySet<number> = new Set([401, 403, 415]);

export type ErrorStatus = keyof typeof MEANINGS;

export const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** The headers that name an exchange with a model. */
const EXCHANGE_IDS = {
  'x-request-id': REQUEST_ID,
  [UPSTREAM_ID]: { $ref: '#/components/headers/UpstreamRequestId' },
};

/** @returns an OpenAPI response object for a JSON answer of this schema */
export function jsonResponse(description: string, schema: SchemaName): JsonObject {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID },
    content: { 'application/json': { schema: schemaAt(schema) } },
  };
}

/** @returns an OpenAPI response object for a JSON answer that has one of two schemas */
export function eitherResponse(description: string, one: SchemaName, other: SchemaName): JsonObject {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID },
    content: { 'application/json': { schema: { anyOf: [schemaAt(one), schemaAt(other)] } } },
  };
}

/**
 * @param whole the response object of the JSON answer
 * @param events the description of its stream, if the endpoint can stream
 * @returns an OpenAPI response object for a model's answer
 */
export function answerResponse(whole: JsonObject, events?: string): JsonObject {
  return {
    description:
      events === undefined ? 'The answer.' : 'The answer: whole, or as events if a stream was requested.',
    headers: { ...EXCHANGE_IDS, ...limitHeaders },
    content: {
      'application/json': { schema: whole },
      ...(events !== undefined && {
        // No type: some tools read it as that of the body's text, and others as that of each event.
        'text/event-stream': { schema: { description: events } },
      }),
    },
  };
}

/** Any other status is the vendor's own, since native answers pass unchanged. */
export const otherResponses: JsonObject = {
  description: "Any other status is the vendor's own, with its own body.",
  headers: { ...EXCHANGE_IDS, ...limitHeaders, ...retryAfter },
};

/**
 * @param types the media types of the file
 * @returns an OpenAPI response object for an answer that is a file
 */
export function fileResponse(description: string, ...types: string[]): JsonObject {
  return {
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
  };
}

/** @returns response objects by status, each with the error schema of the format */
export function errorResponses(format: FormatName, ...statuses: ErrorStatus[]): JsonObject {
  return errorsWith({ 'x-request-id': REQUEST_ID }, {}, schemaAt(ERRORS[format]), statuses);
}

/**
 * @returns response objects by status for an endpoint that answers in one of two formats, depending on the caller's
 *   headers
 */
export function eithersErrors(one: FormatName, other: FormatName, ...statuses: ErrorStatus[]): JsonObject {
  return errorsWith(
    { 'x-request-id': REQUEST_ID },
    {},
    { anyOf: [schemaAt(ERRORS[one]), schemaAt(ERRORS[other])] },
    statuses,
  );
}

/**
 * @param listed whether an error may be the only entry of a list, as in Google's stream without `alt=sse`
 * @returns response objects by status for an endpoint that asks a model, with the headers of the key's and the vendor's
 *   limits
 */
export function refusalResponses(
  format: FormatName,
  listed: boolean,
  ...statuses: ErrorStatus[]
): JsonObject {
  const error = schemaAt(ERRORS[format]);
  const schema = listed ? { anyOf: [error, { type: 'array', items: error, minItems: 1 }] } : error;
  return errorsWith(EXCHANGE_IDS, limitHeaders, schema, statuses);
}

function errorsWith(
  ids: JsonObject,
  limits: JsonObject,
  schema: JsonObject,
  statuses: readonly ErrorStatus[],
): JsonObject {
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: MEANINGS[status],
        headers: {
          ...ids,
          ...(!UNADMITTED.has(status) && limits),
          ...(status >= 429 && retryAfter),
        },
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

/** The headers that responses refer to, by the name of the component. */
export const componentHeaders: JsonObject = {
  RequestId: {
    description:
      "The id of this exchange in logs and errors: the caller's own `x-request-id` if it sent a usable one.",
    schema: { type: 'string' },
  },
  UpstreamRequestId: {
    description: "The vendor's own id of the exchange, which its support asks for. Absent if it gave none.",
    schema: { type: 'string' },
  },
  ...limitHeaderComponents,
};
