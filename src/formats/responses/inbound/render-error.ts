/**
 * Errors as callers of this format receive them: OpenAI's one error body before an answer, and an `error` event or a
 * failed response within one.
 */

import { type GatewayError, MAX_RETRY_WAIT } from '../../../lib/errors.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import { renderError as renderOpenAIError } from '../../openai/errors.ts';

/**
 * Renders an error as the body of an error response. Codex (0.171) sleeps for as long as any 429 says, without telling
 * its user. The exception is the error with which OpenAI reports a lasting limit: there it stops, and says when to try
 * again (openai/codex, codex-rs/codex-api/src/api_bridge.rs). Waits beyond MAX_RETRY_WAIT seconds therefore use it.
 */
export function renderError(error: GatewayError): JsonObject {
  const body = renderOpenAIError(error);
  const { fault, retryAfter = 0 } = error;
  if (fault !== 'rate-limited' || retryAfter <= MAX_RETRY_WAIT) return body;
  const resets_at = Math.ceil(Date.now() / 1000 + retryAfter);
  return { error: { ...asObject(body['error']), type: 'usage_limit_reached', resets_at } };
}

/**
 * The fields of an `error` event for an error. On the wire OpenAI nests the error; the types of its SDKs have it flat.
 * Clients are written after either, so the event has both.
 */
export function renderErrorFields(error: GatewayError): JsonObject {
  const body = asObject(renderError(error)['error']) ?? {};
  const { code, message, param } = body;
  return { error: body, code: code ?? null, message, param: param ?? null };
}

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError, said: string): Sse {
  const last = [...said.matchAll(/"sequence_number": ?(\d{1,9})/g)].at(-1);
  const sequence_number = last === undefined ? 0 : Number(last[1]) + 1;
  return {
    event: 'error',
    data: JSON.stringify({ type: 'error', sequence_number, ...renderErrorFields(error) }),
  };
}
