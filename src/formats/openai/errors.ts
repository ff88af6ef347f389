/**
 * Errors in the shape that both of OpenAI's formats share: the gateway's own, and those of services that speak the formats,
 * each in its own way.
 */

import { CREDENTIALS_REFUSED, type Fault, GatewayError, reportedWait } from '../../lib/errors.ts';
import { asObject, type JsonObject } from '../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../lib/json-bounds.ts';
import { saysContentIsRefused } from '../refusal-words.ts';
import { classifyError, guessStatus } from './classify-error.ts';
import { type ErrorFields, readErrorBody } from './error-body.ts';
import { renderMessage } from './render-message.ts';

/** The `type` and `code` of each fault in OpenAI's words. An error's own code takes precedence. */
const WORDS: Readonly<Record<Fault, readonly [type: string, code: string | null]>> = {
  'invalid-request': ['invalid_request_error', null],
  'context-too-long': ['invalid_request_error', 'context_length_exceeded'],
  unauthenticated: ['invalid_request_error', 'invalid_api_key'],
  'model-not-allowed': ['permission_error', 'model_not_allowed'],
  'permission-denied': ['permission_error', null],
  'model-not-found': ['invalid_request_error', 'model_not_found'],
  'not-found': ['invalid_request_error', null],
  'endpoint-not-available': ['invalid_request_error', 'endpoint_not_available'],
  'method-not-allowed': ['invalid_request_error', null],
  'request-timeout': ['invalid_request_error', 'request_timeout'],
  conflict: ['invalid_request_error', null],
  'too-large': ['invalid_request_error', 'request_too_large'],
  'unsupported-media-type': ['invalid_request_error', null],
  unprocessable: ['invalid_request_error', null],
  'rate-limited': ['rate_limit_error', 'rate_limit_exceeded'],
  'quota-exceeded': ['insufficient_quota', 'insufficient_quota'],
  internal: ['server_error', null],
  'upstream-auth': ['api_error', 'upstream_auth'],
  'upstream-broken': ['api_error', null],
  // Codex 0.171 asks five times and then suggests another model; without the code it asks some 25 times.
  'upstream-overloaded': ['server_error', 'server_is_overloaded'],
  overloaded: ['server_error', null],
  'upstream-timeout': ['api_error', 'upstream_timeout'],
};

/** Faults whose upstream code concerns the caller. The codes of the others concern the gateway's own account. */
const CODE_CONCERNS_CALLER: ReadonlySet<Fault> = new Set<Fault>([
  'invalid-request',
  'unprocessable',
  'model-not-found',
  'not-found',
]);

/** An error as the body of an error response (OpenAI API reference, "Error codes"). */
export function renderError(error: GatewayError): JsonObject {
  const [type, word] = WORDS[error.fault];
  const code = error.code ?? word ?? (saysContentIsRefused(error) ? 'content_policy_violation' : null);
  return { error: { message: renderMessage(error), type, param: error.param ?? null, code } };
}

/**
 * An error answer, of status 400 and above. Keys and account ids are removed from the vendor's message.
 * @param body its text. If that is not JSON, none of it is shown.
 */
export function parseError(status: number, body: string): GatewayError {
  return toGatewayError(status, readErrorBody(tryParseBounded(body, MAX_ERROR_TOKENS)));
}

/**
 * An error inside a 200: an event of a stream, a failed response, or a body instead of an answer.
 * @param value the event or the body. The error is its `error`, its `response.error`, or the value itself.
 */
export function parseErrorObject(value: JsonObject): GatewayError {
  const fields = readErrorBody(asObject(asObject(value['response'])?.['error']) ?? value);
  return toGatewayError(fields.status ?? guessStatus(fields), fields);
}

function toGatewayError(status: number, fields: ErrorFields): GatewayError {
  const fault = classifyError(status, fields);
  if (fault === 'upstream-auth') {
    return new GatewayError(fault, CREDENTIALS_REFUSED, isOfLength(fields) ? { concerns: 'caller' } : {});
  }
  if (fault === 'model-not-found' && status === 403) {
    return new GatewayError(fault, "The gateway's account at the vendor may not use this model.");
  }
  const message =
    fields.message === undefined
      ? `The upstream answered with status ${status}.`
      : maskSecrets(fields.message);
  const code = CODE_CONCERNS_CALLER.has(fault) ? fields.code : undefined;
  const wait =
    fields.resetsAt === undefined
      ? undefined
      : reportedWait(Math.max(0, (fields.resetsAt - Date.now()) / 1000));
  return new GatewayError(fault, message, {
    // For an unknown model, OpenAI answers 404 in one of its formats and 400 in the other, and for none 410.
    ...((fault === 'invalid-request' || fault === 'model-not-found') &&
      status < 500 &&
      status !== 410 && { status: status === 403 ? 400 : status }),
    ...(fields.param !== undefined && { param: fields.param }),
    ...(code !== undefined && { code }),
    ...(fields.message === undefined && fields.code === undefined && { isUnexplained: true }),
    ...(wait !== undefined && fault === 'rate-limited' && { retryAfter: wait }),
  });
}

/**
 * Whether the account has credit left, but not for an answer as long as the caller asked for. OpenRouter: "This request
 * requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 900".
 */
function isOfLength({ message = '' }: ErrorFields): boolean {
  const isTooLong = message.startsWith('This request requires more credits, or fewer max_tokens');
  return isTooLong && !message.includes('can only afford 0.');
}

/**
 * Whether a refusal is only about streaming. OpenAI and Azure stream some models only to verified organizations: "Your
 * organization must be verified to stream this model" (charmbracelet/crush#422, lobehub/lobehub#9385).
 */
export function refusesStreams({ fault, message }: GatewayError): boolean {
  return fault === 'invalid-request' && /\bmust be verified to stream\b/i.test(message);
}

function maskSecrets(message: string): string {
  return message
    .replaceAll(/\b(?:(?:sk|xai|gsk|pplx|hf)[-_]|AIza)[A-Za-z0-9_*-]{8,}/g, '[key]')
    .replaceAll(/ (?:in|for) (?:organization|project) (?:org|proj)[-_][A-Za-z0-9]+/g, '')
    .replaceAll(/\b(?:org|proj)[-_][A-Za-z0-9]{8,}/g, '[account]')
    .replaceAll(/(?<=not found for account ')[^']+/gi, '[account]');
}
