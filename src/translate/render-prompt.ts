/** A prompt in the vendor's format. What the vendor cannot take is rejected with the caller's names of the fields. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ModelTraits, Outbound, Report } from '../formats/format.ts';
import { amended, GatewayError, invalid } from '../lib/errors.ts';
import { isList, type JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

/** The fields that hold the dialogue. Each vendor refuses an empty one, in words about a list that the caller never wrote. */
const DIALOGUES = ['messages', 'input', 'contents'];

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
    const request = outbound.renderRequest(prompt, target, report);
    const isEmpty = DIALOGUES.some((name) => isList(request[name]) && request[name].length === 0);
    // An empty list of the caller's own is answered by the vendor. With OpenAI's `prompt` it is valid.
    if (isEmpty && prompt.turns.length > 0) {
      throw invalid(
        'Nothing is left for this model to answer: what was sent is empty, or only another vendor can read it.',
        'turns',
      );
    }
    return request;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    throw amended(error, { param: fieldPathForCaller(error.param, from, body) });
  }
}
