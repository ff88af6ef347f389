/**
 * Google's errors (google.rpc.Status, AIP-193): `{"error": {code, message, status, details}}`. The answer to a stream
 * without `alt=sse` holds it in a list.
 */

import {
  CREDENTIALS_REFUSED,
  type Fault,
  type FaultDetails,
  GatewayError,
  reportedWait,
} from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/foreign-text.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, isList, isObject } from '../../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import { findStatusFault, parseErrorStatus } from '../../fault-of-status.ts';
import { saysAccountIsClosed, saysPromptIsTooLong } from '../../refusal-words.ts';

/** @see Outbound.parseError */
export function parseError(status: number, body: string): GatewayError {
  const value = tryParseBounded(body, MAX_ERROR_TOKENS);
  return makeError(asObject(isList(value) ? value[0] : value)?.['error'], status);
}

/**
 * @param value of `error`: Google's object, or a sentence, as some proxies in front of Google write.
 * @param status of the response; absent if the error came within a stream.
 */
function makeError(value: Json | undefined, status?: number): GatewayError {
  const error: JsonObject = isObject(value) ? value : { message: value };
  const word = foreignText(error['status']) ?? '';
  const http = status ?? parseErrorStatus(error['code']) ?? STATUS_OF.get(word) ?? 500;
  const message = hideConsumer(foreignText(error['message']) ?? '');
  const details = asObjects(error['details']);
  const fault = findFault(http, word, message, details);
  const facts = parseFacts(fault, http, details);
  return new GatewayError(fault, renderMessage(fault, message), facts);
}

/** The error that a chunk holds; undefined if it holds none. @param error its field `error`. */
export function parseInnerError(error: Json | undefined): GatewayError | undefined {
  return error === undefined || error === null ? undefined : makeError(error);
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

/** What a caller may name: files, cached contents, and objects in buckets. */
const CALLERS_OWN = /\b(?:File|CachedContent|cachedContents\.get|storage\.objects\.get)\b/;

function findFault(http: number, word: string, message: string, details: readonly JsonObject[]): Fault {
  const reason = foreignText(findDetail(details, 'ErrorInfo')?.['reason']);
  if (reason?.startsWith('API_KEY_') || /^API key (?:not valid|expired|not found)/i.test(message)) {
    return 'upstream-auth';
  }
  // Something that the caller named: Google does not say whether it exists. The gateway's own project is another case.
  // Vertex AI names the permission: "Permission 'aiplatform.cachedContents.get' denied on resource …".
  if (word === 'PERMISSION_DENIED' && CALLERS_OWN.test(message)) return 'permission-denied';
  // This is about the place or the account that the gateway calls from, not about the request.
  if (word === 'FAILED_PRECONDITION' && /location|billing/i.test(message)) return 'upstream-auth';
  // Prepaid credits are used up. Only the status 402 says so; the word is that of a rate limit, which ends by waiting.
  if (http === 402) return 'upstream-auth';
  // A word that Google does not have, or that blames the request where the status does not, comes from a proxy in front of
  // it: the status counts.
  const said = STATUS_OF.get(word);
  const fault = findStatusFault(said === 400 && blamesOthers(http) ? http : (said ?? http));
  switch (fault) {
    case 'invalid-request':
      return findInvalidFault(message, http);
    case 'not-found':
      return /\bmodels?\b/i.test(message) ? 'model-not-found' : 'not-found';
    case 'rate-limited':
      return isUsedUp(message, details) ? 'quota-exceeded' : 'rate-limited';
    default:
      return fault;
  }
}

/** Whether a wait of seconds is of no use: a quota of the day, or prepaid credits, are used up. */
function isUsedUp(message: string, details: readonly JsonObject[]): boolean {
  return saysAccountIsClosed(message) || dailyQuotas(details).length > 0;
}

/** Whether a status is about the gateway's key, its limits or the vendor, and not about the request. */
function blamesOthers(http: number): boolean {
  return http === 401 || http === 403 || http === 429 || http >= 500;
}

/** The HTTP statuses of Google's words (google.rpc.Code). */
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

function findInvalidFault(message: string, http: number): Fault {
  if (http === 413) return 'too-large';
  return saysPromptIsTooLong(message) ? 'context-too-long' : 'invalid-request';
}

/** The ids of the daily quotas that are used up. They do not end by waiting a minute. */
function dailyQuotas(details: readonly JsonObject[]): readonly string[] {
  const violations = asObjects(findDetail(details, 'QuotaFailure')?.['violations']);
  return violations.map(({ quotaId }) => foreignText(quotaId) ?? '').filter((id) => /per_?day/i.test(id));
}

/** Whether all of these quotas are of one model each, as `GenerateRequestsPerDayPerProjectPerModel-FreeTier` is. */
function areOfModel(quotas: readonly string[]): boolean {
  return quotas.every((id) => /per_?(?:base_?)?model/i.test(id));
}

function parseFacts(fault: Fault, http: number, details: readonly JsonObject[]): FaultDetails {
  const param = foreignText(asObjects(findDetail(details, 'BadRequest')?.['fieldViolations'])[0]?.['field']);
  const delay = parseDelay(foreignText(findDetail(details, 'RetryInfo')?.['retryDelay']) ?? '');
  const isCallers = http < 500 && !fault.startsWith('upstream-');
  return {
    ...(isCallers && { status: http }),
    ...(param && isCallers && { param }),
    ...(fault === 'quota-exceeded' && areOfModel(dailyQuotas(details)) && { concerns: 'model' }),
    ...(delay !== undefined && { retryAfter: Math.ceil(delay) }),
  };
}

/** The seconds of a protobuf `Duration` in its JSON form, `3.5s` (ProtoJSON); undefined for any other text. */
function parseDelay(text: string): number | undefined {
  const said = /^(\d{1,12}(?:\.\d{1,9})?)s?$/.exec(text)?.[1];
  return said === undefined ? undefined : reportedWait(Number(said));
}

/** The message for the caller. It says nothing about the gateway's own account with Google, and is never empty. */
function renderMessage(fault: Fault, message: string): string {
  if (fault === 'upstream-auth') return CREDENTIALS_REFUSED;
  if (message !== '') return message;
  if (fault === 'upstream-overloaded') return 'The upstream is overloaded.';
  if (fault === 'upstream-timeout') return 'The upstream took too long.';
  if (fault === 'upstream-broken') return 'The upstream failed.';
  return 'The upstream refused the request.';
}

/** Google names the project that pays, which is the gateway's and not the caller's. */
function hideConsumer(message: string): string {
  return message.replaceAll(/ for consumer '[^']*'/g, '').replaceAll(/\bprojects?\/[\w-]+/g, 'the project');
}

/** The detail of a type; undefined if there is none. @param name without the `google.rpc.` before it. */
function findDetail(details: readonly JsonObject[], name: string): JsonObject | undefined {
  return details.find((detail) => foreignText(detail['@type'])?.endsWith(`google.rpc.${name}`));
}
