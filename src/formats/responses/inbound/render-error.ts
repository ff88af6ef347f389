/**
 * Errors as callers of this format receive them: OpenAI's one error body before an answer, and an `error` event or a
 * failed response within one.
 */

import { type Fault, type GatewayError, MAX_RETRY_WAIT } from '../../../lib/errors.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
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

/** Codes of failed responses (OpenAI SDK, `ResponseError`). */
const DOCUMENTED = wordList(`
  server_error rate_limit_exceeded invalid_prompt data_residency_mismatch bio_policy
  misalignment_policy_violation vector_store_timeout invalid_image invalid_image_format invalid_base64_image
  invalid_image_url image_too_large image_too_small image_parse_error image_content_policy_violation
  invalid_image_mode image_file_too_large unsupported_image_media_type empty_image_file
  failed_to_download_image image_file_not_found
`);

/** What OpenAI sends as well (recorded), and Codex acts on. */
const UNDOCUMENTED = ['context_length_exceeded', 'insufficient_quota'] as const;

const KNOWN: ReadonlySet<string> = new Set([...DOCUMENTED, ...UNDOCUMENTED]);

/** Faults of the request itself, which no retry mends. */
const OF_REQUEST: ReadonlySet<Fault> = new Set<Fault>(['invalid-request', 'unprocessable', 'too-large']);

/**
 * Chooses the code of a failed response. Clients with strict types read no other than OpenAI's own; the `error` event before
 * it has the exact code. Codex and opencode send a request again after any code that they do not know; `invalid_prompt`
 * ends it (openai/codex, codex-rs/codex-api/src/sse/responses.rs; opencode 1.18.33).
 */
export function renderFailureCode(code: string | undefined, fault: Fault): string {
  if (code !== undefined && KNOWN.has(code)) return code;
  return OF_REQUEST.has(fault) ? 'invalid_prompt' : 'server_error';
}
