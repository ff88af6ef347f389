/** A prompt in the vendor's format. What the vendor cannot take is rejected with the caller's names of the fields. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ModelTraits, Outbound, Report } from '../formats/format.ts';
import { amended, GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

/**
 * Renders a prompt as the body of a request to a vendor.
 * @param from the format of `body`, which the prompt was parsed from.
 * @throws GatewayError `invalid-request`, with the field of `body` as its param.
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
