/** The fields of a response that are no part of the answer itself. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ChoiceEnd, Finish } from '../../../conversation/reply.ts';
import {
  asNumber,
  compact,
  type JsonObject,
  otherFields,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import { ECHOED_SETTINGS } from '../wire/echoed-settings.ts';

/**
 * Fields that are read elsewhere, repeat the request, or say nothing in another format: who pays OpenAI for the response,
 * and the conversation at OpenAI that it belongs to. The caller knows the request already, and it may differ from the one
 * that the vendor got.
 */
const HANDLED: ReadonlySet<string> = new Set([
  ...ECHOED_SETTINGS,
  ...wordList(`
    billing completed_at conversation created_at error id include incomplete_details input model object output
    output_text prompt prompt_cache_options service_tier status usage
  `),
]);

/** Fields that OpenAI's clients know, on the wire or in the types of the SDK. */
const OPENAI_FIELDS: ReadonlySet<string> = new Set(['content_filters', 'moderation', 'tool_usage']);

/**
 * Parses the additional fields of a response.
 * @param finish the parsed finish: a reason that the gateway does not know is kept as OpenAI wrote it.
 */
export function parseAdditionalFields(
  response: JsonObject,
  finish: Finish,
): Pick<ChoiceEnd, 'formatSpecific' | 'unknownFields'> {
  const others = withoutNulls(otherFields(response, HANDLED));
  const [own, unknown] = splitFields(others, OPENAI_FIELDS);
  const { incomplete_details } = response;
  const fields = { ...own, ...(finish === 'other' && { incomplete_details }) };
  // Another format has no place for it; a response that is rendered again keeps it.
  const roundTrip = compact({ completed_at: asNumber(response['completed_at']) });
  return {
    ...withFormatSpecific('responses', fields, roundTrip),
    ...withUnknownFields(unknown),
  };
}
