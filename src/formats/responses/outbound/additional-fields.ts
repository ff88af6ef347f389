/** Fields of a response beyond the answer itself. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { ChoiceEnd, Finish } from '../../../conversation/reply.ts';
import { type JsonObject, splitFields, withoutNulls } from '../../../lib/json.ts';
import { echo } from '../wire/response-fields.ts';

/** Read elsewhere, or the request once more: the caller knows that one, and it may be another than the vendor's. */
const READ: ReadonlySet<string> = new Set([
  ...Object.keys(echo({})),
  'created_at',
  'error',
  'id',
  'include',
  'incomplete_details',
  'input',
  'model',
  'object',
  'output',
  'output_text',
  'prompt',
  'prompt_cache_options',
  'service_tier',
  'status',
  'usage',
]);

/** Known to OpenAI's clients, on the wire or in its types. */
const OWN: ReadonlySet<string> = new Set([
  'billing',
  'completed_at',
  'content_filters',
  'conversation',
  'moderation',
  'tool_usage',
]);

/** @param finish what the end was understood as: a reason that nobody here knows is kept as OpenAI told it. */
export function additionalFields(
  response: JsonObject,
  finish: Finish,
): Pick<ChoiceEnd, 'formatSpecific' | 'unknownFields'> {
  const [, others] = splitFields(withoutNulls(response), READ);
  const [own, extra] = splitFields(others, OWN);
  const { incomplete_details } = response;
  return {
    ...formatSpecificOf('responses', { ...own, ...(finish === 'other' && { incomplete_details }) }),
    ...unknownFieldsOf(extra),
  };
}
