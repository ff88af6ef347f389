/**
 * Errors in the shape that both of OpenAI's formats have, and that the services which speak them write in ways of
 * their own: what an error answer means, and how ours are said.
 */

import { CREDENTIALS_REFUSED, type Fault, GatewayError, toldWait } from '../../lib/errors.ts';
import { foreignText, MAX_FOREIGN } from '../../lib/foreign-text.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  compact,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../lib/json-bounds.ts';
import { saysAccountIsClosed } from '../account.ts';
import { faultOfStatus } from '../fault-of-status.ts';

/** [type, code] of each fault in OpenAI's words; an error's own code wins over the one here. */
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
  'upstream-overloaded': ['server_error', null],
  overloaded: ['server_error', null],
  'upstream-timeout': ['api_error', 'upstream_timeout'],
};

/** Faults whose upstream code means something to the caller; the others' would speak of our own account. */
const CODE_IS_THE_CALLERS: ReadonlySet<Fault> = new Set<Fault>([
  'invalid-request',
  'unprocessable',
  'model-not-found',
  'not-found',
]);

/** An error as the body of an error response (API reference, error codes). */
export function renderError(error: GatewayError): JsonObject {
  const [type, code] = WORDS[error.fault];
  return { error: { message: error.message, type, param: error.param ?? null, code: error.code ?? code } };
}

/** An error answer (status 400 and above) by its meaning: no key, and no text that is not the vendor's own, comes through. */
export function parseError(status: number, body: string): GatewayError {
  return errorOf(status, tellingOf(tryParseBounded(body, MAX_ERROR_TOKENS)));
}

/**
 * An error that came inside a 200: an event of a stream, a failed response, or a body instead of an answer.
 * @param value the event or body itself: the error is in its `error`, in its `response.error`, or is the value.
 */
export function parseErrorObject(value: JsonObject): GatewayError {
  const told = tellingOf(asObject(asObject(value['response'])?.['error']) ?? value);
  return errorOf(told.status ?? statusOf(told), told);
}

/** What an error answer says, whatever its shape. */
interface Told {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  /** HTTP status named inside the body (OpenRouter's numeric `code`, Groq's `status_code`). */
  readonly status?: number;
  /** OpenRouter: the input was held back by moderation. */
  readonly moderated?: boolean;
  /** OpenRouter: when its limit is over, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

function errorOf(status: number, told: Told): GatewayError {
  const fault = faultOf(status, told);
  if (fault === 'upstream-auth') {
    return new GatewayError(fault, CREDENTIALS_REFUSED);
  }
  if (fault === 'model-not-found' && status === 403) {
    return new GatewayError(fault, "The gateway's account at the vendor may not use this model.");
  }
  const message =
    told.message === undefined ? `The upstream answered with status ${status}.` : masked(told.message);
  const code = CODE_IS_THE_CALLERS.has(fault) ? told.code : undefined;
  const wait =
    told.resetsAt === undefined ? undefined : toldWait(Math.max(0, (told.resetsAt - Date.now()) / 1000));
  return new GatewayError(fault, message, {
    // OpenAI says of a model that there is none by 404 in one of its formats, by 400 in the other.
    ...((fault === 'invalid-request' || fault === 'model-not-found') &&
      status < 500 && { status: status === 403 ? 400 : status }),
    ...(told.param !== undefined && { param: told.param }),
    ...(code !== undefined && { code }),
    ...(wait !== undefined && fault === 'rate-limited' && { retryAfter: wait }),
  });
}

function faultOf(status: number, told: Told): Fault {
  const text = told.message ?? '';
  if (told.moderated) return 'invalid-request';
  if (status === 403 && isOfTheRequest(told)) return faultOf(400, told);
  if (isKeyTrouble(told, status)) return 'upstream-auth';
  switch (status) {
    case 400:
    case 422:
      if (told.code === 'context_length_exceeded' || TOO_LONG.test(text)) return 'context-too-long';
      if (told.code === 'model_not_found') return 'model-not-found';
      break;
    case 404:
      if (told.code === 'DeploymentNotFound' || /model/i.test(`${text} ${told.code}`))
        return 'model-not-found';
      break;
    case 429:
      if (/quota|billing|credit|balance/i.test(`${told.type} ${told.code}`) || saysAccountIsClosed(text))
        return 'quota-exceeded';
      break;
  }
  return faultOfStatus(status);
}

/**
 * Sentences about a prompt longer than the model's context; agents shorten their dialogue only where they are told so.
 * The last ones are Bedrock's and Groq's, and then Moonshot's, Alibaba's, Z.ai's, GitHub's, SiliconFlow's, Bedrock's
 * (of OpenAI's models), Cohere's, Perplexity's, text-generation-inference's, SGLang's, vLLM's, Volcengine's and
 * Anthropic's behind a router.
 */
const TOO_LONG = new RegExp(
  [
    'context.?(length|window|size)',
    '(prompt|input) (is )?too long',
    'too many tokens',
    'maximum (allowed )?(input|prompt) length',
    'reduce the length of the (messages|prompt|input)',
    'model token limit',
    'range of input length',
    'prompt exceeds max length',
    'tokens in request more than max tokens allowed',
    'prompt token count of \\d+ exceeds',
    'exceeded max_prompt_tokens',
    'prompt tokens \\(\\d+\\) exceed',
    "total tokens exceeds? the model's max",
    'length of all messages is too long',
    '`inputs` (tokens \\+ `max_new_tokens` must be|must have less than \\d+ tokens)',
    'input length \\(\\d+ tokens\\) exceeds',
    'longer than the maximum model length',
    'exceed max message tokens',
    'exceeds? (the )?context limit',
  ].join('|'),
  'i',
);

/**
 * OpenAI, and Azure in its words, streams answers of some models to verified organizations alone: "Your organization must
 * be verified to stream this model", of `stream` (charmbracelet/crush#422, lobehub/lobehub#9385).
 * @see Outbound.refusesStreams
 */
export function refusesStreams({ fault, message }: GatewayError): boolean {
  return fault === 'invalid-request' && /\bmust be verified to stream\b/i.test(message);
}

/**
 * A 403 that is not of the key, which is left alone by none for it: xAI's for a text it does not take, Together's for one
 * that is too long, and OpenAI's for a model that the key's project may not ask.
 */
function isOfTheRequest({ message = '', code }: Told): boolean {
  return /^content violates/i.test(message) || TOO_LONG.test(message) || code === 'model_not_found';
}

/** Whether it is the gateway's own key, or its account, that the vendor does not like. @see saysAccountIsClosed */
function isKeyTrouble({ code, message = '' }: Told, status: number): boolean {
  if (code === 'invalid_api_key' || code === 'Arrearage') return true;
  const isKeys = /^\W*((incorrect|invalid|missing|no valid) api.?key|api.?key not valid)/i.test(message);
  return isKeys || (status !== 429 && saysAccountIsClosed(message));
}

/** The status of an error inside a 200 that names none. */
function statusOf({ type = '', code = '' }: Told): number {
  const word = `${type} ${code}`;
  if (/insufficient_quota|rate_limit|too_many_requests/i.test(word)) return 429;
  if (/authentication|permission|api_key/i.test(word)) return 401;
  if (/not_found/i.test(word)) return 404;
  if (/overloaded|unavailable|capacity/i.test(word)) return 503;
  if (/timeout/i.test(word)) return 504;
  return /invalid|bad_request|context_length|tool_use_failed|content_filter|policy|image/i.test(word)
    ? 400
    : 502;
}

/** Reads an error answer, whatever its shape. @param isBehind whether it stands in another one, which is the last. */
function tellingOf(body: Json | undefined, isBehind = false): Told {
  // Google's compatible endpoint puts the one error into a list.
  const value = isList(body) ? body[0] : body;
  if (!isObject(value)) return {};
  const inner = value['error'];
  // xAI: {"code": "...", "error": "text"}.
  if (typeof inner === 'string') return withWords(inner, value);
  // Cloudflare has a list of errors, MiniMax what became of the request.
  const [listed] = asObjects(value['errors']);
  const error = asObject(inner) ?? listed ?? asObject(value['base_resp']) ?? value;
  const words = ['message', 'msg', 'status_msg'].map((key) => error[key]).find((said) => said !== undefined);
  const told = withWords(
    foreignText(words) ?? linesOf(words ?? error['errors']) ?? detailText(error['detail']),
    error,
  );
  return isBehind ? told : { ...told, ...vendorsOwn(told, asObject(error['metadata'])?.['raw']) };
}

/**
 * What stands behind OpenRouter's "Provider returned error": the answer of the vendor it asked, as a JSON text, as words
 * or as it was (openrouter.ai/docs, "Errors").
 */
function vendorsOwn({ message: told }: Told, raw: Json | undefined): Pick<Told, 'message' | 'code'> {
  if (told !== 'Provider returned error' || !raw) return {};
  const value = typeof raw === 'string' ? tryParseBounded(raw, MAX_ERROR_TOKENS) : raw;
  if (value === undefined) return compact({ message: foreignText(raw) });
  const { message, code } = tellingOf(value, true);
  return compact({ message, code });
}

/** MiniMax's numbers (error codes of its API reference) for what other services say by a status. */
const MINIMAX: Readonly<Record<number, number>> = {
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  2013: 400,
  2049: 401,
  2056: 429,
};

function withWords(message: string | undefined, error: JsonObject): Told {
  const named = asNumber(error['status_code']) ?? 0;
  const numbers = [MINIMAX[named] ?? named, error['code'], error['status']];
  return compact({
    message: message?.slice(0, MAX_FOREIGN) || undefined,
    type: foreignText(error['type']),
    code: foreignText(error['code']) || undefined,
    param: foreignText(error['param']),
    status: numbers.map(asNumber).find(isErrorStatus),
    moderated: asObject(error['metadata'])?.['flagged_input'] !== undefined,
    resetsAt: resetIn(asObject(asObject(error['metadata'])?.['headers'])),
  });
}

/** The time that OpenRouter's header of a limit tells, which stands in its error: in milliseconds, or in seconds. */
function resetIn(headers: JsonObject | undefined): number | undefined {
  const told = foreignText(headers?.['X-RateLimit-Reset']) ?? '';
  if (!/^\d{10,13}$/.test(told)) return undefined;
  return told.length === 10 ? Number(told) * 1000 : Number(told);
}

/** Several sentences where others say one. */
function linesOf(value: Json | undefined): string | undefined {
  const lines = asList(value).filter((line) => typeof line === 'string');
  return lines.length > 0 ? lines.join('; ') : undefined;
}

/** FastAPI's `detail`: a text, or a list of `{loc, msg}`. */
function detailText(detail: Json | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  const lines = asObjects(detail).map((item) => {
    const place = isList(item['loc']) ? item['loc'].filter((step) => typeof step !== 'object').join('.') : '';
    return place === ''
      ? (foreignText(item['msg']) ?? '')
      : `${place}: ${foreignText(item['msg']) ?? 'invalid'}`;
  });
  return lines.length > 0 ? lines.join('; ') : undefined;
}

function isErrorStatus(status: number | undefined): status is number {
  return status !== undefined && Number.isInteger(status) && status >= 400 && status <= 599;
}

/** Keys and our accounts at the vendor are no caller's to see. */
function masked(message: string): string {
  return message
    .replaceAll(/\b(?:(?:sk|xai|gsk|pplx|hf)[-_]|AIza)[A-Za-z0-9_*-]{8,}/g, '[key]')
    .replaceAll(/ (?:in|for) (?:organization|project) (?:org|proj)[-_][A-Za-z0-9]+/g, '')
    .replaceAll(/\b(?:org|proj)[-_][A-Za-z0-9]{8,}/g, '[account]');
}
