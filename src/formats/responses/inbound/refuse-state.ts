/** Refuses what needs state: translated requests have no store of responses, conversations or prompts. */

import { GatewayError } from '../../../lib/errors.ts';
import { asObject, isList, isObject, type Json, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { flagAt, unsupported } from '../../openai/fields.ts';
import { findItemType } from './parse-items.ts';

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
  if (isWarming(body['prompt_cache_options']))
    throw unsupported(
      'prompt_cache_options.prewarm',
      "Only OpenAI's own models can prepare a prompt cache without answering.",
    );
}

/**
 * The same body without what `refuseState` and the parser of items refuse: what can be read of a request that OpenAI
 * itself answers. If nothing else is left of its input, that is empty.
 * @see Inbound.withoutState
 */
export function withoutState(body: JsonObject): JsonObject {
  const { input, prompt_cache_options: options } = body;
  const fields = STORED.filter((field) => body[field] !== undefined && body[field] !== null);
  if (body['background'] === true) fields.push('background');
  if (isWarming(options)) fields.push('prompt_cache_options');
  const left = isList(input) ? input.filter((item) => !isStateful(item)) : input;
  const isWhole = fields.length === 0 && (!isList(input) || !isList(left) || left.length === input.length);
  if (isWhole) return body;
  const isEmpty = left === undefined || left === null || (isList(left) && left.length === 0);
  return { ...withoutFields(body, fields), input: isEmpty ? '' : left };
}

/** Whether an item is a reference to a stored one, or has OpenAI compact what is before it. */
function isStateful(item: Json): boolean {
  const type = isObject(item) ? findItemType(item) : undefined;
  return type === 'item_reference' || type === 'compaction_trigger';
}

/** `prewarm` asks for no answer. Another vendor would write one, and charge for it. */
function isWarming(options: Json | undefined): boolean {
  return asObject(options)?.['prewarm'] === true;
}
