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

/** What statuses mean at an endpoint where that differs. */
export type Meanings = { readonly [S in ErrorStatus]?: string };

export const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** The headers that name an exchange with a model. */
const EXCHANGE_IDS = {
  'x-request-id': REQUEST_ID,
  [UPSTREAM_ID]: { $ref: '#/components/headers/UpstreamRequestId' },
};

/** @returns an OpenAPI response object for a JSON answer of this schema, or of one of several */
export function jsonResponse(description: string, ...schemas: SchemaName[]): JsonObject {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID },
    content: { 'application/json': { schema: renderUnion(schemas.map(schemaAt)) } },
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

/**
 * @param formats the formats of the error; the caller's headers decide between several
 * @returns response objects by status
 */
export function errorResponses(formats: readonly FormatName[], ...statuses: ErrorStatus[]): JsonObject {
  const schema = renderUnion(formats.map((format) => schemaAt(ERRORS[format])));
  return errorsWith({ 'x-request-id': REQUEST_ID }, {}, schema, statuses);
}

/**
 * @param listed whether an error may be the only entry of a list, as in Google's stream without `alt=sse`
 * @returns response objects by status for an endpoint that reaches a vendor, with the headers of the key's and the vendor's
 *   limits
 */
export function refusalResponses(
  format: FormatName,
  listed: boolean,
  statuses: readonly ErrorStatus[],
  meanings: Meanings = {},
): JsonObject {
  const error = schemaAt(ERRORS[format]);
  const schema = renderUnion([error, ...(listed ? [{ type: 'array', items: error, minItems: 1 }] : [])]);
  return errorsWith(EXCHANGE_IDS, limitHeaders, schema, statuses, meanings);
}

function renderUnion(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}

function errorsWith(
  ids: JsonObject,
  limits: JsonObject,
  schema: JsonObject,
  statuses: readonly ErrorStatus[],
  meanings: Meanings = {},
): JsonObject {
  const usual = { ...ids, ...limits };
  const later = { ...usual, ...retryAfter };
  const content = { 'application/json': { schema } };
  const responses = statuses.map((status) => {
    const headers = UNADMITTED.has(status) ? ids : status >= 429 ? later : usual;
    return [status, { description: meanings[status] ?? MEANINGS[status], headers, content }];
  });
  return Object.fromEntries(responses);
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
