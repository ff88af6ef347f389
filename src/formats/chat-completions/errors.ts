/** Errors: what a vendor's error answer means, and how this format says ours. */

import { type Fault, GatewayError } from '../../errors.ts';
import { isObject, type JsonObject, tryParseJson } from '../../json.ts';
import type { Sse } from '../../streams/sse.ts';
import {
  CODE_IS_THE_CALLERS,
  isKeyTrouble,
  renderError,
  TOO_LONG,
  type Told,
  tellingOf,
} from '../openai-errors.ts';

export { renderError } from '../openai-errors.ts';

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError): Sse {
  return { data: JSON.stringify(renderError(error)) };
}

/** An error answer (status 400 and above) by its meaning. No key and no text that is not the vendor's comes through. */
export function parseError(status: number, body: string): GatewayError {
  const told = tellingOf(tryParseJson(body));
  return errorOf(status >= 400 ? status : (told.status ?? 502), told);
}

/** An error that came inside a 200, in a stream or instead of an answer. */
export function parseInnerError(value: JsonObject): GatewayError {
  const told = tellingOf(value);
  return errorOf(told.status ?? statusOf(told), told);
}

/** @see Outbound.parseFailure */
export function parseFailure({ event, data }: Sse): GatewayError | undefined {
  const value = tryParseJson(data);
  if (!isObject(value)) return undefined;
  return event === 'error' || isErrorBody(value) ? parseInnerError(value) : undefined;
}

/** Whether a body without choices is an error: `{error}`, Mistral's `{object: "error"}`, FastAPI's `{detail}`. */
export function isErrorBody(body: JsonObject): boolean {
  if (body['error'] !== undefined && body['error'] !== null && body['error'] !== false) return true;
  if (body['object'] === 'error' || body['type'] === 'error') return true;
  return body['choices'] === undefined && body['detail'] !== undefined;
}

function errorOf(status: number, told: Told): GatewayError {
  const fault = faultOf(status, told);
  if (fault === 'upstream-auth') {
    return new GatewayError(fault, 'The upstream refused the credentials of this gateway.');
  }
  const message =
    told.message === undefined ? `The upstream answered with status ${status}.` : masked(told.message);
  const code = CODE_IS_THE_CALLERS.has(fault) ? told.code : undefined;
  return new GatewayError(fault, message, {
    ...(fault === 'invalid-request' && status < 500 && { status: told.moderated ? 400 : status }),
    ...(told.param !== undefined && { param: told.param }),
    ...(code !== undefined && { code }),
  });
}

function faultOf(status: number, told: Told): Fault {
  const text = told.message ?? '';
  if (told.moderated) return 'invalid-request';
  if (status === 401 || status === 402 || status === 403 || isKeyTrouble(told)) return 'upstream-auth';
  if (status === 413) return 'too-large';
  if (status === 400 || status === 422) {
    if (told.code === 'context_length_exceeded' || TOO_LONG.test(text)) return 'context-too-long';
    if (told.code === 'model_not_found') return 'model-not-found';
    return status === 422 ? 'unprocessable' : 'invalid-request';
  }
  if (status === 404)
    return told.code === 'DeploymentNotFound' || /model/i.test(text + told.code)
      ? 'model-not-found'
      : 'not-found';
  if (status === 409) return 'conflict';
  if (status === 429) {
    return told.code === 'insufficient_quota' || /quota|billing|credit|balance/i.test(told.type ?? '')
      ? 'quota-exceeded'
      : 'rate-limited';
  }
  if (status === 408 || status === 504 || status === 524) return 'upstream-timeout';
  // 498 is Groq's word for 'no capacity', 529 Anthropic's.
  if (status === 498 || status === 503 || status === 529) return 'upstream-overloaded';
  // A method, a path or a media type the upstream does not know is this program's mistake, not the caller's.
  return status > 422 && status < 500 ? 'invalid-request' : 'upstream-broken';
}

/** The status of an error inside a 200 that names none. */
function statusOf({ type = '', code = '' }: Told): number {
  const word = `${type} ${code}`;
  if (/insufficient_quota|rate_limit|too_many_requests/i.test(word)) return 429;
  if (/authentication|permission|api_key/i.test(word)) return 401;
  if (/not_found/i.test(word)) return 404;
  if (/overloaded|unavailable|capacity/i.test(word)) return 503;
  if (/timeout/i.test(word)) return 504;
  return /invalid|bad_request|context_length|tool_use_failed|content_filter/i.test(word) ? 400 : 502;
}

/** Keys, and names of this gateway's own account, are no caller's to see; nor does one need more than 2,000 characters. */
function masked(message: string): string {
  return message
    .slice(0, 2000)
    .replaceAll(/\b(?:(?:sk|xai|gsk|pplx|hf)[-_]|AIza)[A-Za-z0-9_*-]{8,}/g, '[key]')
    .replaceAll(/\b(?:org|proj)-[A-Za-z0-9]{8,}/g, '[account]');
}
