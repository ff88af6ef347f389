/** A prompt in the words of a vendor. What that has no way to take is refused in the words of the caller. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ModelTraits, Outbound, Report } from '../formats/format.ts';
import { amended, GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

/**
 * @param from the format of `body`, which the prompt was read from.
 * @throws GatewayError `invalid-request`, with the field of `body` as its param
 */
export function renderPrompt(
  outbound: Outbound,
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
  from: FormatName,
  body: JsonObject,
): JsonObject {
  try {
    return outbound.renderRequest(prompt, target, report);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    throw amended(error, { param: fieldPathForCaller(error.param, from, body) });
  }
}
