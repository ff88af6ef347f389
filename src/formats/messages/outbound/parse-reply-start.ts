/** The beginning of an answer: the fields of a message besides its content, its end and its usage. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyStart } from '../../../conversation/reply.ts';
import { asText, type JsonObject, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { READ_FIELDS, START_FIELDS } from '../wire/message-fields.ts';
import { parseUsedTier } from '../wire/service-tier.ts';

/**
 * Parses the beginning of an answer.
 * @param message all fields of the message.
 * @param usage its usage, which holds the service tier.
 */
export function parseReplyStart(message: JsonObject, usage: JsonObject | undefined): ReplyStart {
  const { id, model } = message;
  const others = withoutNulls(otherFields(message, READ_FIELDS));
  const [formatFields, unknownFields] = splitFields(others, START_FIELDS);
  const tier = asText(usage?.['service_tier']);
  return {
    type: 'reply-start',
    id: asText(id) ?? '',
    model: asText(model) ?? '',
    ...(tier !== undefined && { serviceTier: parseUsedTier(tier) }),
    ...withFormatSpecific('messages', formatFields),
    ...withUnknownFields(unknownFields),
  };
}
