/** Errors of vendors in this format, and what their refusals say about the request. */

import type { GatewayError } from '../../../lib/errors.ts';
import { isObject } from '../../../lib/json.ts';
import { tryParseBounded } from '../../../lib/json-bounds.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { RecognizedRefusal } from '../../format.ts';
import { parseErrorObject, refusesStreams } from '../../openai/errors.ts';

export { parseError } from '../../openai/errors.ts';

/** @see Outbound.parseFailure */
export function parseFailure({ data }: Sse): GatewayError | undefined {
  const event = tryParseBounded(data);
  if (!isObject(event)) return undefined;
  const { type, error } = event;
  // An error that stands outside of any event has no type.
  const isFailure = type === 'error' || type === 'response.failed' || (type === undefined && isObject(error));
  return isFailure ? parseErrorObject(event) : undefined;
}

/**
 * Only the vendor that encrypted a thought can read it again. OpenAI reads it only for the organization that it was made
 * for, and Azure only for the same resource. With the key of another one (one of several upstreams may have it) the
 * answer is "The encrypted content … could not be verified". Other services refuse a conversation that comes from another
 * vendor in words of their own.
 */
const UNREADABLE = new RegExp(
  [
    'encrypted content .*could not be verified',
    // Azure, for thoughts of several resources in one conversation.
    'conflicting authenticated continuation identities',
    // xAI, for a thought, and for one that it takes for a compacted conversation.
    'could not decrypt the provided encrypted_content',
    'could not decode the compaction blob',
    // Meta.
    'encrypted_content\\W+was not issued to this caller',
    // OpenAI, for any thought, if the model does not reason (openai/openai-agents-python#569).
    'reasoning input items can only be provided to a reasoning',
  ].join('|'),
  'i',
);

/** Whether a refusal is about the encrypted thoughts of earlier turns. */
export function refusesThoughts({ code, message }: GatewayError): boolean {
  return code === 'invalid_encrypted_content' || UNREADABLE.test(message);
}

/**
 * OpenAI shows thoughts to verified organizations only, and refuses a request for them from any other ("Your organization
 * must be verified to generate reasoning summaries"). Some models have no thoughts to show.
 */
function hidesThoughts({ fault, param }: GatewayError): boolean {
  return fault === 'invalid-request' && param === 'reasoning.summary';
}

/**
 * OpenAI looks up a thought of which a dialogue has only the id, and answers 404 if it has not stored it ("Item with id
 * 'rs_…' not found. Items are not persisted when `store` is set to false", vercel/ai#7543).
 */
const UNKNOWN_THOUGHT = /item with id '?rs_\w+'? not found/i;

/** @see Outbound.recognizeRefusal */
export function recognizeRefusal(refusal: GatewayError): RecognizedRefusal | undefined {
  if (refusesStreams(refusal)) return { kind: 'whole' };
  if (refusesThoughts(refusal) || UNKNOWN_THOUGHT.test(refusal.message))
    return { kind: 'avoid', avoidance: 'thoughts' };
  return hidesThoughts(refusal) ? { kind: 'avoid', avoidance: 'shown-thoughts' } : undefined;
}
