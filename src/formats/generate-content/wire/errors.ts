/**
 * Google's errors (google.rpc.Status, AIP-193): `{"error": {code, message, status, details}}`, in a list where a
 * stream was asked for without `alt=sse`.
 */

import {
  CREDENTIALS_REFUSED,
  type Fault,
  type FaultDetails,
  GatewayError,
  toldWait,
} from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/foreign-text.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asNumber, asObject, asObjects, isList, isObject } from '../../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import { faultOfStatus } from '../../fault-of-status.ts';

const TYPE = 'type.googleapis.com/google.rpc.';

/** An error answer by its meaning. @param body as it came, JSON or not. */
export function parseError(status: number, body: string): GatewayError {
  const value = tryParseBounded(body, MAX_ERROR_TOKENS);
  return errorOf(asObject(isList(value) ? value[0] : value)?.['error'], status);
}

/**
 * @param told what is under `error`: Google's object, or a sentence as some that stand before it write.
 * @param status of the response, where the error came as one.
 */
function errorOf(told: Json | undefined, status?: number): GatewayError {
  const error: JsonObject = isObject(told) ? told : { message: told };
  const code = asNumber(error['code']);
  const http = status ?? (code !== undefined && code >= 400 ? code : 500);
  const word = foreignText(error['status']) ?? '';
  const message = hideConsumer(foreignText(error['message']) ?? '');
  const details = asObjects(error['details']);
  const fault = faultOf(http, word, message, details);
  const facts = factsOf(fault, http, details);
  return new GatewayError(fault, messageOf(fault, message), facts);
}

/** The error under `error` in a chunk; undefined where there is none. */
export function parseInnerError(error: Json | undefined): GatewayError | undefined {
  return error === undefined || error === null ? undefined : errorOf(error);
}

/** @see Outbound.parseFailure */
export function parseFailure({ data }: Sse): GatewayError | undefined {
  const value = tryParseBounded(data);
  for (const chunk of isList(value) ? value : [value]) {
    const error = parseInnerError(asObject(chunk)?.['error']);
    if (error !== undefined) return error;
  }
  return undefined;
}

function faultOf(http: number, word: string, message: string, details: readonly JsonObject[]): Fault {
  const reason = foreignText(detailOf(details, 'ErrorInfo')?.['reason']);
  if (reason?.startsWith('API_KEY_') || /^API key (?:not valid|expired|not found)/i.test(message)) {
    return 'upstream-auth';
  }
  // What the caller named: Google does not say whether it exists. Not so of the gateway's own project.
  if (word === 'PERMISSION_DENIED' && /\b(?:File|CachedContent)\b/.test(message)) return 'permission-denied';
  // The place or the account the gateway calls from, not the request.
  if (word === 'FAILED_PRECONDITION' && /location|billing/i.test(message)) return 'upstream-auth';
  // Prepaid credits are used up: told with 402, and the word of a rate that comes back by waiting.
  if (http === 402) return 'upstream-auth';
  // A word that is none of Google's is of something that stands before it: the status counts.
  const fault = faultOfStatus(STATUS_OF.get(word) ?? http);
  switch (fault) {
    case 'invalid-request':
      return invalidFault(message, http);
    case 'not-found':
      return /\bmodels?\b/i.test(message) ? 'model-not-found' : 'not-found';
    case 'rate-limited':
      return isQuota(details) ? 'quota-exceeded' : 'rate-limited';
    default:
      return fault;
  }
}

/** What Google's words are in HTTP (google.rpc.Code). */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['OUT_OF_RANGE', 400],
  ['FAILED_PRECONDITION', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['ABORTED', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);

/** The last words are Vertex AI's: "the input token count is 1200000 but model only supports up to 1048576". */
const TOO_LONG =
  /token count.{0,200}?exceeds the maximum|exceeds the maximum number of tokens|token count is \d{1,12} but .{0,100}?supports up to/i;

function invalidFault(message: string, http: number): Fault {
  if (http === 413) return 'too-large';
  return TOO_LONG.test(message) ? 'context-too-long' : 'invalid-request';
}

/** A quota of a day does not come back by waiting a minute. */
function isQuota(details: readonly JsonObject[]): boolean {
  const violations = asObjects(detailOf(details, 'QuotaFailure')?.['violations']);
  return violations.some((violation) => /per_?day/i.test(foreignText(violation['quotaId']) ?? ''));
}

function factsOf(fault: Fault, http: number, details: readonly JsonObject[]): FaultDetails {
  const param = foreignText(asObjects(detailOf(details, 'BadRequest')?.['fieldViolations'])[0]?.['field']);
  const delay = delayOf(foreignText(detailOf(details, 'RetryInfo')?.['retryDelay']) ?? '');
  const isCallers = http < 500 && !fault.startsWith('upstream-');
  return {
    ...(isCallers && { status: http }),
    ...(param && isCallers && { param }),
    ...(delay !== undefined && { retryAfter: Math.ceil(delay) }),
  };
}

/** A protobuf `Duration` in its JSON form, `3.5s`, in seconds (ProtoJSON); undefined for what is none. */
function delayOf(text: string): number | undefined {
  const said = /^(\d{1,12}(?:\.\d{1,9})?)s?$/.exec(text)?.[1];
  return said === undefined ? undefined : toldWait(Number(said));
}

/** What the caller is told. Nothing of the gateway's own standing with Google, and no empty sentence. */
function messageOf(fault: Fault, message: string): string {
  if (fault === 'upstream-auth') return CREDENTIALS_REFUSED;
  if (message !== '') return message;
  if (fault === 'upstream-overloaded') return 'The upstream is overloaded.';
  if (fault === 'upstream-timeout') return 'The upstream took too long.';
  if (fault === 'upstream-broken') return 'The upstream failed.';
  return 'The upstream refused the request.';
}

/** Google names the project that pays: the gateway's, not the caller's. */
function hideConsumer(message: string): string {
  return message.replaceAll(/ for consumer '[^']*'/g, '').replaceAll(/\bprojects?\/[\w-]+/g, 'the project');
}

function detailOf(details: readonly JsonObject[], name: string): JsonObject | undefined {
  return details.find((detail) => foreignText(detail['@type'])?.endsWith(`google.rpc.${name}`));
}

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

/** An error as the body of a response, or as the last chunk of a stream. */
export function renderError(
  { fault, status, message, param, retryAfter }: GatewayError,
  requestId?: string,
): JsonObject {
  const details: JsonObject[] = [];
  const tell = (type: string, fields: JsonObject) => details.push({ '@type': `${TYPE}${type}`, ...fields });
  if (param !== undefined) tell('BadRequest', { fieldViolations: [{ field: param, description: message }] });
  if (retryAfter !== undefined) tell('RetryInfo', { retryDelay: `${retryAfter}s` });
  if (requestId !== undefined) tell('RequestInfo', { requestId });
  return {
    error: { code: status, message, status: STATUSES[fault], ...(details.length > 0 && { details }) },
  };
}
