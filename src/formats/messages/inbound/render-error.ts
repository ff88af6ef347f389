/** Errors as Anthropic's API writes them: `{type: "error", error: {type, message}, request_id}` (API reference, "Errors"). */

import type { Fault, GatewayError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import { findOverflow } from '../../overflow.ts';
import { saysContentIsRefused, saysImageIsUnreadable } from '../../refusal-words.ts';

/** Anthropic's `error.type` for each fault. */
const TYPES: Readonly<Record<Fault, string>> = {
  'invalid-request': 'invalid_request_error',
  'context-too-long': 'invalid_request_error',
  unprocessable: 'invalid_request_error',
  'unsupported-media-type': 'invalid_request_error',
  unauthenticated: 'authentication_error',
  'model-not-allowed': 'permission_error',
  'permission-denied': 'permission_error',
  'model-not-found': 'not_found_error',
  'not-found': 'not_found_error',
  'endpoint-not-available': 'not_found_error',
  'method-not-allowed': 'not_found_error',
  conflict: 'conflict_error',
  'too-large': 'request_too_large',
  'rate-limited': 'rate_limit_error',
  'quota-exceeded': 'rate_limit_error',
  internal: 'api_error',
  'upstream-auth': 'api_error',
  'upstream-broken': 'api_error',
  'upstream-overloaded': 'overloaded_error',
  overloaded: 'overloaded_error',
  'request-timeout': 'timeout_error',
  'upstream-timeout': 'timeout_error',
};

/**
 * Renders an error as the body of an error response, or as the data of a stream's `error` event.
 * @param requestId the exchange's id. A stream's event has none.
 * @returns `{type: "error", error, request_id?}`. `error.details.error_code` holds the error's code, on which SDKs act.
 */
export function renderError(error: GatewayError, requestId?: string): JsonObject {
  return {
    type: 'error',
    error: {
      type: TYPES[error.fault],
      message: renderMessage(error),
      ...(error.code !== undefined && { details: { error_code: error.code } }),
    },
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/**
 * Renders an error that occurs after the head of a stream was sent.
 * @see Inbound.renderLateError
 */
export function renderLateError(error: GatewayError): Sse {
  return { event: 'error', data: JSON.stringify(renderError(error)) };
}

/** Agents decide by the words whether to shorten a dialogue, to ask for less, or to take out an image (Claude Code 2.1). */
function renderMessage(error: GatewayError): string {
  const { fault, message } = error;
  if (fault === 'context-too-long') return renderTooLong(message);
  if (saysImageIsUnreadable(error)) return withWords('Could not process image', message);
  if (saysContentIsRefused(error)) return withWords('Output blocked by content filtering policy', message);
  return message;
}

function withWords(sentence: string, message: string): string {
  return message.toLowerCase().includes(sentence.toLowerCase()) ? message : `${sentence}. ${message}`;
}

/**
 * Puts Anthropic's sentence before the words of another vendor. It has two, of which most agents know the first; by the
 * second, Claude Code asks for a shorter answer.
 */
function renderTooLong(message: string): string {
  if (/prompt is too long/i.test(message)) return message;
  const overflow = /exceed context limit: \d/i.test(message) ? undefined : findOverflow(message);
  if (overflow === undefined) return `prompt is too long: ${message}`;
  const { prompt, answer, limit } = overflow;
  const sizes =
    answer === undefined
      ? `${prompt} tokens > ${limit} maximum`
      : `input length and \`max_tokens\` exceed context limit: ${prompt} + ${answer} > ${limit}, decrease input length or \`max_tokens\` and try again`;
  return `prompt is too long: ${sizes}. ${message}`;
}
