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
import { wordSet } from '../../../lib/words.ts';

/**
 * Fields that are read elsewhere, repeat the request (`inbound/echo-settings.ts`), or say nothing in another format: who
 * pays OpenAI for the response, and the conversation at OpenAI that it belongs to. The caller knows the request already,
 * and it may differ from the one that the vendor got.
 */
const HANDLED = wordSet(`
  access_programs background billing completed_at conversation created_at error frequency_penalty id include
  incomplete_details input instructions max_output_tokens max_tool_calls metadata model object output output_text
  parallel_tool_calls presence_penalty previous_response_id prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning safety_identifier service_tier status store temperature text tool_choice tools
  top_logprobs top_p truncation usage user
`);

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
