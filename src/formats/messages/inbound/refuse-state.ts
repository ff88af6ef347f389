/** Refuses what only Anthropic can answer: the gateway keeps nothing between requests. */

import { GatewayError, invalid } from '../../../lib/errors.ts';
import { type JsonObject, presentFields, withoutFields } from '../../../lib/json.ts';

/** @throws GatewayError `invalid-request` for a thread or a compaction */
export function refuseState({ thread, compaction }: JsonObject): void {
  if ((thread ?? null) !== null)
    throw new GatewayError(
      'invalid-request',
      'thread: Threads are not supported for this model; send the full conversation without `thread`',
      // On this code, the SDK sends the whole conversation.
      { param: 'thread', code: 'thread_unsupported_request' },
    );
  // With `compaction`, the answer is a `compaction` block and nothing else. No other vendor's model can write one.
  if ((compaction ?? null) !== null)
    throw invalid(
      "compaction: Only Anthropic's own models can compact a conversation. Ask this one for a summary as an ordinary message instead",
      'compaction',
    );
}

/** @see Inbound.withoutState */
export function withoutState(body: JsonObject): JsonObject {
  return withoutFields(body, Object.keys(presentFields(body, ['thread', 'compaction'])));
}
