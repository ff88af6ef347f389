/** Errors of services that speak this format: as the answer, inside a stream, and what a refusal says of the model. */

import type { GatewayError } from '../../../lib/errors.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type JsonObject,
} from '../../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { RecognizedRefusal } from '../../format.ts';
import { parseErrorObject, refusesStreams } from '../../openai/errors.ts';
import { fieldElsewhere } from '../../openai/fields-elsewhere.ts';

export { parseError, parseErrorObject } from '../../openai/errors.ts';

/**
 * The error in an event of a stream; undefined if the event is not an error, or is not JSON.
 * @see Outbound.parseFailure
 */
export function parseFailure({ event, data }: Sse): GatewayError | undefined {
  const value = tryParseBounded(data);
  if (!isObject(value)) return undefined;
  if (event === 'error' || isErrorBody(value)) return parseErrorObject(value);
  const failed = asObjects(value['choices']).find(isErrorFinish);
  return failed && parseErrorFinish(failed);
}

/** Whether the content of a choice says why it failed, as at Alibaba (QwenLM/qwen-code, `StreamContentError`). */
export function isErrorFinish({ finish_reason: reason }: JsonObject): boolean {
  return reason === 'error_finish';
}

/**
 * The error in such a choice. It is a whole event as text, with the status in a comment, or JSON, or a sentence
 * (NousResearch/hermes-agent#58017).
 */
export function parseErrorFinish({ delta, message }: JsonObject): GatewayError {
  const text = asText((asObject(delta) ?? asObject(message))?.['content']) ?? '';
  const value = tryParseBounded(/^data:(.*)/m.exec(text)?.[1] ?? text, MAX_ERROR_TOKENS);
  const status = /^:HTTP_STATUS\/(\d{3})/m.exec(text)?.[1];
  if (isObject(value)) return parseErrorObject({ ...(status && { status_code: Number(status) }), ...value });
  return parseErrorObject({ message: text, ...(text.startsWith('Throttling') && { code: 'Throttling' }) });
}

/**
 * Whether a body without choices is an error: `{error}`, Mistral's `{object: "error"}`, FastAPI's `{detail}`,
 * Cloudflare's `{errors}`, MiniMax's `{base_resp}`, the `{code, msg}` of services that always answer with status 200, and
 * `{error_type, error_message}` in a stream of DeepInfra's or Venice's (NousResearch/hermes-agent#65631, #68451).
 */
export function isErrorBody(body: JsonObject): boolean {
  if (body['error'] !== undefined && body['error'] !== null && body['error'] !== false) return true;
  if (body['object'] === 'error' || body['type'] === 'error') return true;
  if (isList(body['choices'])) return false;
  const { detail, errors, error_message: message, success, code, msg } = body;
  const minimaxStatus = asNumber(asObject(body['base_resp'])?.['status_code']) ?? 0;
  const hasCodeAndMessage = code !== undefined && typeof msg === 'string' && msg !== '';
  return (
    detail !== undefined ||
    Boolean(message) ||
    asList(errors).length > 0 ||
    success === false ||
    minimaxStatus !== 0 ||
    hasCodeAndMessage
  );
}

/**
 * OpenAI serves some models by its responses API alone, and lets a thinking model call functions only there ("This model
 * is only supported in v1/responses", "To use function tools, use /v1/responses").
 */
const DEMANDS_RESPONSES = /\bv1\/responses\b/;

/** OpenRouter, Moonshot and Volcengine: thinking cannot be switched off. */
const ALWAYS_THINKS =
  /reasoning is mandatory|invalid thinking: only type=enabled is allowed|does not support disabling thinking/i;

/** Ollama, Groq and xAI: the model takes no setting for thinking. */
const NO_SETTING =
  /does not support (thinking$|parameter reasoning)|(reasoning_?effort\W*|^think value "\w+") is not supported|reasoning_effort\W+must be one of/i;

/** @see Outbound.recognizeRefusal */
export function recognizeRefusal(refusal: GatewayError): RecognizedRefusal | undefined {
  if (refusesStreams(refusal)) return { kind: 'whole' };
  if (DEMANDS_RESPONSES.test(refusal.message)) return { kind: 'format', format: 'responses' };
  const field = fieldElsewhere(refusal);
  if (field !== undefined) return { kind: 'format', format: field.format, field: field.name };
  if (ALWAYS_THINKS.test(refusal.message)) return { kind: 'avoid', avoidance: 'thinking-off' };
  if (NO_SETTING.test(refusal.message)) return { kind: 'avoid', avoidance: 'thinking-setting' };
  return undefined;
}
