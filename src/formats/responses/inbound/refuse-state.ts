/** Refuses what needs state: translated requests have no store of responses, conversations or prompts. */

import { GatewayError } from '../../../lib/errors.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { flagAt } from '../../openai/fields.ts';
import { unsupported } from './field-errors.ts';

/** Fields that point to something stored. */
const STORED = ['previous_response_id', 'conversation', 'prompt'];

/**
 * Refuses fields that need something from an earlier request, or for a later one. Clients that continue a response send
 * the whole conversation when they get OpenAI's code for a response that is gone (API reference, "WebSocket mode":
 * errors).
 * @param body the caller's body.
 * @throws GatewayError `invalid-request` for such a field.
 */
export function refuseState(body: JsonObject): void {
  for (const field of STORED) {
    if (body[field] === undefined || body[field] === null) continue;
    const code = field === 'previous_response_id' ? 'previous_response_not_found' : 'unsupported_parameter';
    const message = `'${field}' points to something stored, and nothing is stored for this model. Send the whole conversation in 'input'.`;
    throw new GatewayError('invalid-request', message, { param: field, code });
  }
  if (flagAt(body['background'], 'background'))
    throw unsupported(
      'background',
      "'background' keeps the answer for later, and nothing is stored for this model. Leave it out, and use 'stream' for long answers.",
    );
  refuseWarming(body['prompt_cache_options']);
}

/** `prewarm` asks for no answer. Another vendor would write one, and charge for it. */
function refuseWarming(options: Json | undefined): void {
  if (asObject(options)?.['prewarm'] !== true) return;
  throw unsupported(
    'prompt_cache_options.prewarm',
    "Only OpenAI's own models can prepare a prompt cache without answering.",
  );
}
