/** Fields of a response beyond the answer itself. */

import type { ChoiceEnd, Finish } from '../../conversation/reply.ts';
import type { Json, JsonObject } from '../../json.ts';
import { isEmpty } from '../openai-fields.ts';
import { pick } from './fields.ts';

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
  const others = Object.fromEntries(
    Object.entries(response).filter(
      (entry): entry is [string, Json] => entry[1] !== null && !READ.has(entry[0]),
    ),
  );
  const { incomplete_details } = response;
  const own: JsonObject = {
    ...pick(others, OWN, true),
    ...(finish === 'other' && { incomplete_details }),
  };
  const extra = pick(others, OWN, false);
  return {
    ...(!isEmpty(own) && { own: { format: 'responses', fields: own } }),
    ...(!isEmpty(extra) && { extra }),
  };
}
