/**
 * Errors of this format: OpenAI's one shape before an answer, and three inside one (an `error` event, nested or flat,
 * and a failed response).
 */

import { type GatewayError, LONGEST_WAIT } from '../../../lib/errors.ts';
import { asObject, isObject, type JsonObject } from '../../../lib/json.ts';
import { tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { ThinkingObserved } from '../../format.ts';
import { parseErrorObject, renderError as renderUsual } from '../../openai/errors.ts';

export { parseError, parseErrorObject } from '../../openai/errors.ts';

/**
 * An error as the body of an error response. Codex sleeps for as long as any 429 says, and tells nobody (0.169), except
 * for what OpenAI says of a limit that lasts: there it stops, and says when to try again (openai/codex,
 * codex-rs/codex-api/src/api_bridge.rs).
 */
export function renderError(error: GatewayError): JsonObject {
  const body = renderUsual(error);
  const { fault, retryAfter = 0 } = error;
  if (fault !== 'rate-limited' || retryAfter <= LONGEST_WAIT) return body;
  const resets_at = Math.ceil(Date.now() / 1000 + retryAfter);
  return { error: { ...asObject(body['error']), type: 'usage_limit_reached', resets_at } };
}

/** An error as the fields of an `error` event. */
export function errorFields(error: GatewayError): JsonObject {
  const body = asObject(renderError(error)['error']) ?? {};
  const { code, message, param } = body;
  // On the wire OpenAI nests the error; its SDKs' types have it flat. Clients are written after either.
  return { error: body, code: code ?? null, message, param: param ?? null };
}

/** @see Outbound.parseFailure */
export function parseFailure({ data }: Sse): GatewayError | undefined {
  const event = tryParseBounded(data);
  if (!isObject(event)) return undefined;
  return event['type'] === 'error' || event['type'] === 'response.failed'
    ? parseErrorObject(event)
    : undefined;
}

/**
 * What a vendor has encrypted it reads again alone, and OpenAI for the organization alone that it was made for (at
 * Azure, the resource). The key of another one, as one of several upstreams may have, is told "The encrypted content …
 * could not be verified"; so is a dialogue that was another vendor's, by services in words of their own.
 */
const UNREAD = new RegExp(
  [
    'encrypted content .*could not be verified',
    // Azure, of thoughts of several resources in one dialogue.
    'conflicting authenticated continuation identities',
    // xAI, of a thought, and of one that it takes for a dialogue in short.
    'could not decrypt the provided encrypted_content',
    'could not decode the compaction blob',
    // Meta.
    'encrypted_content\\W+was not issued to this caller',
    // OpenAI, of any, where the model does not think (openai/openai-agents-python#569).
    'reasoning input items can only be provided to a reasoning',
  ].join('|'),
  'i',
);

/** @see Outbound.refusesThoughts */
export function refusesThoughts({ code, message }: GatewayError): boolean {
  return code === 'invalid_encrypted_content' || UNREAD.test(message);
}

/**
 * OpenAI shows thoughts to verified organizations alone, and refuses a request of all others that asks for them ("Your
 * organization must be verified to generate reasoning summaries"); some models have none to show.
 * @see Outbound.thinkingTold
 */
export function thinkingTold({ fault, param }: GatewayError): ThinkingObserved | undefined {
  return fault === 'invalid-request' && param === 'reasoning.summary' ? 'hidden' : undefined;
}

/** @see Inbound.renderLateError */
export function renderLateError(error: GatewayError, said: string): Sse {
  const last = [...said.matchAll(/"sequence_number": ?(\d{1,9})/g)].at(-1);
  const sequence_number = last === undefined ? 0 : Number(last[1]) + 1;
  return { event: 'error', data: JSON.stringify({ type: 'error', sequence_number, ...errorFields(error) }) };
}
