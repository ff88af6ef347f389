/** The stop sequences that a vendor cannot be told, so that the gateway has to look for them (`conversation/stop-at.ts`). */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

/** Each is looked for in each piece of an answer. Vendors that can be told any take four or five. */
const MAX_STOPS = 64;

/** The stop sequences that a prompt has, as its caller wrote it in `body`. @throws GatewayError `invalid-request` */
export function stopsOf({ stop = [] }: Prompt, from: FormatName, body: JsonObject): readonly string[] {
  if (stop.length > MAX_STOPS)
    throw invalid(
      `This model accepts at most ${MAX_STOPS} stop sequences.`,
      fieldPathForCaller('stop', from, body),
    );
  return stop.filter((sequence) => sequence !== '');
}
