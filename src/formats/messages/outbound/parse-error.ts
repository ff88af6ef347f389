/** What a vendor's errors mean: `{type: "error", error: {type, message}, request_id}` (API reference, "Errors"). */

import { CREDENTIALS_REFUSED, type Fault, type FaultDetails, GatewayError } from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/foreign-text.ts';
import { asObject, isObject, type JsonObject } from '../../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import { findStatusFault, parseErrorStatus } from '../../fault-of-status.ts';
import type { RecognizedRefusal } from '../../format.ts';
import {
  isModelMissing,
  saysAccountIsClosed,
  saysModelIsMissing,
  saysPromptIsTooLong,
} from '../../refusal-words.ts';

/**
 * Parses an error response of the vendor.
 * @param status the HTTP status, 400 or above, or 200 where the body is an error.
 * @param body the body's text, which need not be JSON.
 */
export function parseError(status: number, body: string): GatewayError {
  return parseErrorValue(asObject(tryParseBounded(body, MAX_ERROR_TOKENS)) ?? {}, status);
}

/**
 * Parses a stream's event as an error.
 * @returns undefined for every event that does not report a failure.
 * @see Outbound.parseFailure
 */
export function parseFailure({ event, data }: Sse): GatewayError | undefined {
  const value = tryParseBounded(data);
  if (!isObject(value)) return undefined;
  const isError = (foreignText(value['type']) ?? event) === 'error';
  return isError || isUntypedError(value) ? parseErrorValue(value) : undefined;
}

/**
 * Tells whether a value is an error although it lacks `type: "error"`. Some services omit the type. Z.ai sends
 * `{code, msg, success: false}` with status 200.
 */
export function isUntypedError(value: JsonObject): boolean {
  return (value['error'] ?? null) !== null || value['success'] === false;
}

/**
 * Parses a body or an event that is known to be an error.
 * @param value holds an `error`, which is an object, or a text as gateways in between write it, or is itself the error.
 * @param status the HTTP status, or undefined for an event in a stream.
 */
export function parseErrorValue(value: JsonObject, status?: number): GatewayError {
  const error = asObject(value['error']) ?? value;
  const said = status === undefined || status < 400 ? parseErrorStatus(error['code']) : undefined;
  const message = maskKeys(
    foreignText(error['message']) ?? foreignText(value['error']) ?? foreignText(error['msg']) ?? '',
  );
  const code = foreignText(asObject(error['details'])?.['error_code']);
  const fault =
    FAULTS_BY_CODE.get(code) ?? findFault(foreignText(error['type']) ?? '', message, said ?? status);
  // The vendor's text may contain the gateway's own key or account.
  if (fault === 'upstream-auth') return new GatewayError(fault, CREDENTIALS_REFUSED);
  return new GatewayError(
    fault,
    message || defaultMessage(said ?? status),
    REFUSALS.includes(fault) ? parseDetails(message, code) : {},
  );
}

/** Faults of the request itself. Only for these, the vendor's details concern what the caller wrote. */
const REFUSALS: readonly Fault[] = ['invalid-request', 'context-too-long', 'unprocessable', 'too-large'];

function defaultMessage(status: number | undefined): string {
  return status === undefined
    ? 'The upstream failed to answer.'
    : `The upstream answered with status ${status}.`;
}

function parseDetails(message: string, code: string | undefined): FaultDetails {
  // A field that the gateway does not know was passed on unchanged, so the caller knows it by this name. All other
  // fields may have another name in the caller's format.
  const param = /^([\w.-]+): Extra inputs are not permitted/.exec(message)?.[1];
  return { ...(param !== undefined && { param }), ...(code !== undefined && { code }) };
}

/** Hides whatever looks like an API key: no caller may see one. */
function maskKeys(message: string): string {
  return message.replaceAll(/\bsk-[A-Za-z0-9_*-]{8,}/g, '[key]');
}

/**
 * Faults by `error_code` (types of `@anthropic-ai/sdk` 1.14). The first codes concern the gateway's own account, although
 * the error has a type that is also used for a caller's mistakes. The last four concern the customer whom the caller
 * wants to be billed (`billing_policy`, `anthropic-user-profile-id`), although the type or the status, 402 and 403, is
 * that of a refused account.
 */
const FAULTS_BY_CODE: ReadonlyMap<string | undefined, Fault> = new Map([
  ['enforced_spend_limit_reached', 'quota-exceeded'],
  ['contract_spend_limit_reached', 'quota-exceeded'],
  ['organization_on_hold', 'upstream-auth'],
  ['cmek_key_disabled', 'upstream-auth'],
  ['cmek_key_network_blocked', 'upstream-auth'],
  ['claude_code_key_creator_not_member', 'upstream-auth'],
  ['linked_organization_billing_unavailable', 'permission-denied'],
  ['linked_organization_spend_limit_reached', 'permission-denied'],
  ['user_profile_billing_not_authorized', 'permission-denied'],
  ['user_profile_not_billable', 'permission-denied'],
]);

/** The statuses of the vendor's types. It uses `api_error` for 503 and 504, too. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['billing_error', 402],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

function findFault(type: string, message: string, answered: number | undefined): Fault {
  const status = STATUSES.get(type) ?? answered;
  if (type === 'invalid_request_error' || status === 400 || status === 422) {
    return findRequestFault(message, status);
  }
  if ((status === 404 || status === 410) && isModelMissing(message)) return 'model-not-found';
  // Z.ai reports an empty account with Anthropic's type for too many requests.
  if (status === 429 && saysAccountIsClosed(message)) return 'quota-exceeded';
  return findStatusFault(status);
}

function findRequestFault(message: string, status: number | undefined): Fault {
  if (saysPromptIsTooLong(message)) return 'context-too-long';
  if (saysModelIsMissing(message)) return 'model-not-found';
  // The vendor reports an empty account, and an account that has reached its own limit, as a bad request.
  if (saysAccountIsClosed(message)) return 'upstream-auth';
  // Services that speak this format may use the type for everything, as OpenAI's does for a wrong key: the status tells.
  return findStatusFault(status === undefined || status < 400 ? 400 : status);
}

/**
 * Refusals of thinking blocks. The vendor cannot read a block that belongs to another deployment or that a client has
 * cut short (Claude Code itself then continues without them), or a block that was changed. From Fable 5.1 on, each block
 * is also bound to the system prompt, the tools and all turns before it (platform.claude.com, "Preserved thinking"):
 * "The block is bound to a different conversation."
 */
const UNREADABLE_THINKING = new RegExp(
  [
    'Invalid `(?:signature|data)` in `(?:redacted_)?thinking` block',
    'bound to a different conversation',
    '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
  ].join('|'),
);

/** @see Outbound.recognizeRefusal */
export function recognizeRefusal({ message }: GatewayError): RecognizedRefusal | undefined {
  return UNREADABLE_THINKING.test(message) ? { kind: 'avoid', avoidance: 'thoughts' } : undefined;
}
