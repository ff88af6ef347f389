/**
 * Guardrails of Amazon Bedrock. An answer that one has replaced or cut off says so in a field of its own beside an ordinary
 * end (`InvokeModel` in Amazon's API reference; maximhq/bifrost#7339). In a stream it is beside any of the events.
 */

import type { JsonObject } from '../lib/json.ts';

export const GUARDRAIL_ACTION = 'amazon-bedrock-guardrailAction';

/** The value of that field if a guardrail has changed the answer; otherwise it is `NONE`. */
export const INTERVENED = 'INTERVENED';

/** The word for it where Bedrock has one (`Converse`, `stopReason`). */
export const INTERVENED_FINISH = 'guardrail_intervened';

/** Whether an answer, or an event of one, says that a guardrail has changed it. */
export function hasIntervened(fields: JsonObject): boolean {
  return fields[GUARDRAIL_ACTION] === INTERVENED;
}
