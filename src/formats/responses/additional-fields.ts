/** Fields of a response beyond the answer itself. */

import { extraOf, ownOf } from '../../conversation/own.ts';
import type { ChoiceEnd, Finish } from '../../conversation/reply.ts';
import { type JsonObject, splitFields, withoutNulls } from '../../json.ts';

/** Read elsewhere, or the request once more: the caller knows that one, and it may be another than the vendor's. */
const READ: ReadonlySet<string> = new Set([
  'background',
  'created_at',
  'error',
  'frequency_penalty',
  'id',
  'include',
  'incomplete_details',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'object',
  'output',
  'output_text',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'status',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'usage',
  'user',
]);

/** Known to OpenAI's clients, on the wire or in its types. */
const OWN: ReadonlySet<string> = new Set([
  'billing',
  'completed_at',
  'content_filters',
  'conversation',
  'moderation',
  'service_tier',
  'tool_usage',
]);

/** @param finish what the end was understood as: a reason that nobody here knows is kept as OpenAI told it. */
export function additionalFields(response: JsonObject, finish: Finish): Pick<ChoiceEnd, 'own' | 'extra'> {
  const [, others] = splitFields(withoutNulls(response), READ);
  const [own, extra] = splitFields(others, OWN);
  const { incomplete_details } = response;
  return {
    ...ownOf('responses', { ...own, ...(finish === 'other' && { incomplete_details }) }),
    ...extraOf(extra),
  };
}
