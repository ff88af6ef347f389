/** Errors as Google words them (google.rpc.Status, AIP-193): `{"error": {code, message, status, details}}`. */

import type { Fault, GatewayError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import { findOverflow } from '../../overflow.ts';
import { saysImageIsUnreadable } from '../../refusal-words.ts';

const TYPE = 'type.googleapis.com/google.rpc.';

/** Google's word for each fault. */
const STATUSES: Readonly<Record<Fault, string>> = {
  'invalid-request': 'INVALID_ARGUMENT',
  'context-too-long': 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  'model-not-allowed': 'PERMISSION_DENIED',
  'permission-denied': 'PERMISSION_DENIED',
  'model-not-found': 'NOT_FOUND',
  'not-found': 'NOT_FOUND',
  'endpoint-not-available': 'NOT_FOUND',
  'method-not-allowed': 'NOT_FOUND',
  'request-timeout': 'DEADLINE_EXCEEDED',
  conflict: 'ABORTED',
  'too-large': 'INVALID_ARGUMENT',
  'unsupported-media-type': 'INVALID_ARGUMENT',
  unprocessable: 'INVALID_ARGUMENT',
  'rate-limited': 'RESOURCE_EXHAUSTED',
  'quota-exceeded': 'RESOURCE_EXHAUSTED',
  internal: 'INTERNAL',
  'upstream-auth': 'INTERNAL',
  'upstream-broken': 'UNAVAILABLE',
  'upstream-overloaded': 'UNAVAILABLE',
  overloaded: 'UNAVAILABLE',
  'upstream-timeout': 'DEADLINE_EXCEEDED',
};

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError): Sse {
  return { data: JSON.stringify(renderError(error)) };
}

/** The error as the body of a response, or as the last chunk of a stream. @see Format.renderError */
export function renderError(error: GatewayError, requestId?: string): JsonObject {
  const { fault, status, param, retryAfter } = error;
  const message = renderMessage(error);
  const details: JsonObject[] = [];
  const add = (type: string, fields: JsonObject) => details.push({ '@type': `${TYPE}${type}`, ...fields });
  if (param !== undefined) add('BadRequest', { fieldViolations: [{ field: param, description: message }] });
  if (retryAfter !== undefined) add('RetryInfo', { retryDelay: `${retryAfter}s` });
  // Clients ask again after any other 429 (google-gemini/gemini-cli, googleQuotaErrors.ts; pydantic-ai, _model_errors.py).
  else if (fault === 'quota-exceeded')
    add('QuotaFailure', { violations: [{ quotaId: 'PerDay', description: message }] });
  if (requestId !== undefined) add('RequestInfo', { requestId });
  return {
    error: { code: status, message, status: STATUSES[fault], ...(details.length > 0 && { details }) },
  };
}

/** Clients know what Google refuses by its sentences alone. They stand before the words of another vendor. */
function renderMessage(error: GatewayError): string {
  const { fault, message } = error;
  if (fault === 'context-too-long') return renderTooLong(message);
  return saysImageIsUnreadable(error) &&
    !/unable to process input image|provided image is not valid/i.test(message)
    ? `Provided image is not valid. ${message}`
    : message;
}

function renderTooLong(message: string): string {
  if (/input token count.{0,200}?exceeds the maximum/i.test(message)) return message;
  const overflow = findOverflow(message);
  if (overflow === undefined || overflow.answer !== undefined) {
    return `The input token count exceeds the maximum number of tokens allowed. ${message}`;
  }
  const { prompt, limit } = overflow;
  return `The input token count (${prompt}) exceeds the maximum number of tokens allowed (${limit}). ${message}`;
}
