/** Anthropic's errors: `{"type":"error","error":{"type","message"},"request_id"}` (API reference, "Errors"). */

import { CREDENTIALS_REFUSED, type Fault, type FaultDetails, GatewayError } from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/foreign-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, isObject } from '../../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import { saysAccountIsClosed } from '../../account.ts';
import { faultOfStatus } from '../../fault-of-status.ts';

/** What each fault is called. */
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

/** An error as a body, and as the data of a stream's `error` event. SDKs act on the code in its details. */
export function renderError(error: GatewayError, requestId?: string): JsonObject {
  return {
    type: 'error',
    error: {
      type: TYPES[error.fault],
      message: messageOf(error),
      ...(error.code !== undefined && { details: { error_code: error.code } }),
    },
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError): Sse {
  return { event: 'error', data: JSON.stringify(renderError(error)) };
}

/** Clients of this format know a full context by these words, and shorten what they send. */
function messageOf({ fault, message }: GatewayError): string {
  return fault === 'context-too-long' && !/prompt is too long/i.test(message)
    ? `prompt is too long: ${message}`
    : message;
}

/** An error answer of the vendor, whatever its body is, by its meaning. */
export function parseError(status: number, body: string): GatewayError {
  return errorOf(asObject(tryParseBounded(body, MAX_ERROR_TOKENS)) ?? {}, status);
}

/** @see Outbound.parseFailure */
export function parseFailure({ event, data }: Sse): GatewayError | undefined {
  const value = tryParseBounded(data);
  if (!isObject(value)) return undefined;
  const isError = (foreignText(value['type']) ?? event) === 'error';
  return isError || isUntypedError(value) ? errorOf(value) : undefined;
}

/** Some services write an error without its type; Z.ai's `{code, msg, success: false}` comes with a status of 200. */
export function isUntypedError(value: JsonObject): boolean {
  return (value['error'] ?? null) !== null || value['success'] === false;
}

/**
 * @param value a body or event with an `error`; gateways in between write theirs without a type, or as a text.
 * @param status the HTTP status; undefined of an event in a stream.
 */
export function errorOf(value: JsonObject, status?: number): GatewayError {
  const error = asObject(value['error']) ?? value;
  const message = masked(
    foreignText(error['message']) ?? foreignText(value['error']) ?? foreignText(error['msg']) ?? '',
  );
  const code = foreignText(asObject(error['details'])?.['error_code']);
  const fault = BY_CODE.get(code) ?? faultOf(foreignText(error['type']) ?? '', message, status);
  // The vendor's text may show the gateway's own key or account.
  if (fault === 'upstream-auth') return new GatewayError(fault, CREDENTIALS_REFUSED);
  return new GatewayError(
    fault,
    message || silence(status),
    REFUSALS.includes(fault) ? detailsOf(message, code) : {},
  );
}

/** Faults of the request itself: what the vendor says beyond its message is about what the caller wrote. */
const REFUSALS: readonly Fault[] = ['invalid-request', 'context-too-long', 'unprocessable', 'too-large'];

function silence(status: number | undefined): string {
  return status === undefined
    ? 'The upstream failed to answer.'
    : `The upstream answered with status ${status}.`;
}

function detailsOf(message: string, code: string | undefined): FaultDetails {
  // Other fields have names of their own in the caller's format; one that nobody knows was passed on as it was.
  const param = /^([\w.-]+): Extra inputs are not permitted/.exec(message)?.[1];
  return { ...(param !== undefined && { param }), ...(code !== undefined && { code }) };
}

/** Anything that looks like a key is no caller's to see. */
function masked(message: string): string {
  return message.replaceAll(/\bsk-[A-Za-z0-9_*-]{8,}/g, '[key]');
}

/** What codes say of the gateway's own account, under a type that is also a caller's (types of `@anthropic-ai/sdk` 1.12). */
const BY_CODE: ReadonlyMap<string | undefined, Fault> = new Map([
  ['enforced_spend_limit_reached', 'quota-exceeded'],
  ['contract_spend_limit_reached', 'quota-exceeded'],
  ['organization_on_hold', 'upstream-auth'],
  ['cmek_key_disabled', 'upstream-auth'],
  ['cmek_key_network_blocked', 'upstream-auth'],
  ['claude_code_key_creator_not_member', 'upstream-auth'],
]);

function faultOf(type: string, message: string, status: number | undefined): Fault {
  switch (type) {
    case 'invalid_request_error':
      return badRequest(message, status);
    case 'authentication_error':
    case 'permission_error':
    case 'billing_error':
      return 'upstream-auth';
    case 'not_found_error':
      return message.startsWith('model:') ? 'model-not-found' : 'not-found';
    case 'conflict_error':
      return 'conflict';
    case 'request_too_large':
      return 'too-large';
    case 'rate_limit_error':
      return tooMany(message);
    case 'timeout_error':
      return 'upstream-timeout';
    case 'overloaded_error':
      return 'upstream-overloaded';
    default:
      // `api_error` too: a 503 and a 504 may come under that name.
      if (status === 400 || status === 422) return badRequest(message, status);
      return status === 429 ? tooMany(message) : faultOfStatus(status);
  }
}

/** The second words are Amazon's. */
const TOO_LONG =
  /prompt is too long|input is too long for requested model|exceed(?:s|ed)? (?:the )?context (?:limit|window)/i;

function badRequest(message: string, status: number | undefined): Fault {
  if (TOO_LONG.test(message)) return 'context-too-long';
  // That the account is empty, or its own limit reached, is told as a bad request.
  if (saysAccountIsClosed(message)) return 'upstream-auth';
  return status === 413 ? 'too-large' : status === 422 ? 'unprocessable' : 'invalid-request';
}

/** Z.ai's account that is empty stands under Anthropic's type for too many requests. */
function tooMany(message: string): Fault {
  return saysAccountIsClosed(message) ? 'quota-exceeded' : 'rate-limited';
}

/**
 * Thoughts that cannot be read, as those of another deployment or cut by a client (Claude Code itself goes on without
 * them then), or have been changed; from Fable 5.1 on each is bound to the system prompt, the tools and all turns before
 * it, too (platform.claude.com, "Preserved thinking"): "The block is bound to a different conversation."
 */
const UNREAD = new RegExp(
  [
    'Invalid `(?:signature|data)` in `(?:redacted_)?thinking` block',
    'bound to a different conversation',
    '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
  ].join('|'),
);

/** @see Outbound.refusesThoughts */
export function refusesThoughts({ message }: GatewayError): boolean {
  return UNREAD.test(message);
}
