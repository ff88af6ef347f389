/** Answers as an OpenAPI document tells them. */

import type { FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../json.ts';
import { type SchemaName, schemaAt } from './schemas.ts';

const ERRORS: Readonly<Record<FormatName, SchemaName>> = {
  'chat-completions': 'OpenAIError',
  responses: 'OpenAIError',
  messages: 'AnthropicError',
  'generate-content': 'GoogleError',
};

const MEANINGS = {
  400: 'The body is not JSON, or a field of it is not as it should be; or the vendor says so.',
  401: 'No key, or a wrong one.',
  403: 'The key may not use the model.',
  404: '`Model not supported`: it is not in the catalog, or no vendor that serves it is configured.',
  413: 'The body is too large.',
  415: 'The body is not JSON by its content type.',
  429: 'Over a limit or a budget, of the key or of the vendor; `Retry-After` says when to come again.',
  500: 'An error of the vendor, or of the gateway itself.',
  502: "The vendor is down, broke off, or refused the gateway's own key.",
  503: 'The vendor is overloaded, or the gateway is.',
  504: 'The vendor took too long.',
  529: 'The vendor is overloaded.',
} as const;

export type ErrorStatus = keyof typeof MEANINGS;

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** A JSON answer. */
export function jsonResponse(description: string, schema: SchemaName): JsonObject {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID },
    content: { 'application/json': { schema: schemaAt(schema) } },
  };
}

/** A JSON answer that may be a stream of events instead. */
export function answerResponse(whole: JsonObject, events: string): JsonObject {
  return {
    description: 'The answer: whole, or as events where a stream was asked for.',
    headers: { 'x-request-id': REQUEST_ID },
    content: {
      'application/json': { schema: whole },
      'text/event-stream': { schema: { type: 'string', description: events } },
    },
  };
}

/** An answer that is a file. */
export function fileResponse(description: string, ...types: string[]): JsonObject {
  return {
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
  };
}

/** Errors of these statuses, in a format's words. */
export function errorResponses(format: FormatName, ...statuses: ErrorStatus[]): JsonObject {
  return Object.fromEntries(
    statuses.map((status) => {
      const waits = status === 429 || status === 503;
      const headers = {
        'x-request-id': REQUEST_ID,
        ...(waits && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
      };
      return [
        String(status),
        {
          description: MEANINGS[status],
          headers,
          content: { 'application/json': { schema: schemaAt(ERRORS[format]) } },
        },
      ];
    }),
  );
}

export const componentHeaders: JsonObject = {
  RequestId: {
    description:
      "What logs and errors call this exchange: the caller's own `x-request-id` where it sent a sane one.",
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before another try, where that is known.',
    schema: { type: 'integer', minimum: 0 },
  },
};
