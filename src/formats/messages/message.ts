/** What a message says beside its content. */

import { prefixedId } from '../../conversation/ids.ts';
import type { Reply } from '../../conversation/reply.ts';
import { asText, type Json, type JsonObject } from '../../json.ts';
import type { Asked } from '../format.ts';

/**
 * A message as far as `fields` tell it. What the vendor's answer has beyond Anthropic's fields stands before them,
 * under its own names.
 * @param additional fields beyond Anthropic's that came with the end of the answer.
 */
export function renderMessage(
  start: Reply['start'],
  asked: Asked,
  content: readonly Json[],
  fields: JsonObject,
  additional: JsonObject = {},
): JsonObject {
  return {
    ...start.extra,
    ...start.own?.fields,
    ...additional,
    id: prefixedId('msg_', start.id || asked.id),
    type: 'message',
    role: 'assistant',
    // As the caller calls it: Claude Code sends the signed thoughts of no other model than it has asked for back.
    model: asText(asked.body['model']) || start.model || asked.prompt.model,
    content,
    ...fields,
  };
}
