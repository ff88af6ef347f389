/**
 * The stop sequences that cannot be sent to a vendor, so that the gateway looks for them itself
 * (`conversation/stop-at.ts`).
 */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

/**
 * The most stop sequences, since each is searched for in each piece of an answer. Vendors that accept any take four or
 * five.
 */
const MAX_STOPS = 64;

/**
 * The stop sequences of a prompt, none of them empty.
 * @param from the format of `body`.
 * @throws GatewayError `invalid-request` if there are more than MAX_STOPS.
 */
export function findStops({ stop = [] }: Prompt, from: FormatName, body: JsonObject): readonly string[] {
  if (stop.length > MAX_STOPS)
    throw invalid(
      `This model accepts at most ${MAX_STOPS} stop sequences.`,
      fieldPathForCaller('stop', from, body),
    );
  return stop.filter((sequence) => sequence !== '');
}
