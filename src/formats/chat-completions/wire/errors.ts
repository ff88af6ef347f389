/** Errors of this format: OpenAI's one shape, before an answer and inside one, and what services make of it. */

import type { FormatName } from '../../../conversation/prompt.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import { asList, asNumber, asObject, isList, isObject, type JsonObject } from '../../../lib/json.ts';
import { tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { ThinkingObserved } from '../../format.ts';
import { parseErrorObject, renderError } from '../../openai/errors.ts';

export { parseError, parseErrorObject, renderError } from '../../openai/errors.ts';

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError): Sse {
  return { data: JSON.stringify(renderError(error)) };
}

/** @see Outbound.parseFailure */
export function parseFailure({ event, data }: Sse): GatewayError | undefined {
  const value = tryParseBounded(data);
  if (!isObject(value)) return undefined;
  return event === 'error' || isErrorBody(value) ? parseErrorObject(value) : undefined;
}

/**
 * OpenAI has models that only responses asks, and functions that a thinking model calls there alone ("This model is only
 * supported in v1/responses", "To use function tools, use /v1/responses"); and `reasoning` is a field of that format.
 * @see Outbound.wantedFormat
 */
export function wantedFormat({ message, param }: GatewayError): FormatName | undefined {
  return param === 'reasoning' || /\bv1\/responses\b/.test(message) ? 'responses' : undefined;
}

/** OpenRouter's, Moonshot's and Volcengine's sentences about a model that was told not to think. */
const ALWAYS =
  /reasoning is mandatory|invalid thinking: only type=enabled is allowed|does not support disabling thinking/i;

/** Ollama's, Groq's and xAI's about one that was told how much to. */
const UNTOLD =
  /does not support (thinking$|parameter reasoning)|(reasoning_?effort\W*|^think value "\w+") is not supported|reasoning_effort\W+must be one of/i;

/** @see Outbound.thinkingTold */
export function thinkingTold({ message }: GatewayError): ThinkingObserved | undefined {
  if (ALWAYS.test(message)) return 'always';
  return UNTOLD.test(message) ? 'untold' : undefined;
}

/**
 * Whether a body without choices is an error: `{error}`, Mistral's `{object: "error"}`, FastAPI's `{detail}`,
 * Cloudflare's `{errors}`, MiniMax's `{base_resp}`, and the `{code, msg}` of services that know no other status than 200.
 */
export function isErrorBody(body: JsonObject): boolean {
  if (body['error'] !== undefined && body['error'] !== null && body['error'] !== false) return true;
  if (body['object'] === 'error' || body['type'] === 'error') return true;
  if (isList(body['choices'])) return false;
  const { detail, errors, success, code, msg } = body;
  const ended = asNumber(asObject(body['base_resp'])?.['status_code']) ?? 0;
  const isSaid = code !== undefined && typeof msg === 'string' && msg !== '';
  return detail !== undefined || asList(errors).length > 0 || success === false || ended !== 0 || isSaid;
}
