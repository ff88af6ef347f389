/** The beginning of an answer: the fields of a message besides its content, its end and its usage. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asText, splitFields, withoutNulls } from '../../../lib/json.ts';
import { FORMAT } from '../wire/format-name.ts';
import { parseUsedTier } from '../wire/service-tier.ts';

/** Fields of a message's beginning that only Anthropic has. */
const START_FIELDS: ReadonlySet<string> = new Set(['diagnostics']);

/**
 * Parses the beginning of an answer.
 * @param head the message's fields without its content, its end and its usage.
 * @param usage its usage, which holds the service tier.
 */
export function parseReplyStart(head: JsonObject, usage: JsonObject | undefined): ReplyStart {
  const { type: _type, role: _role, id, model, ...rest } = head;
  const [formatFields, unknownFields] = splitFields(withoutNulls(rest), START_FIELDS);
  const tier = asText(usage?.['service_tier']);
  return {
    type: 'reply-start',
    id: asText(id) ?? '',
    model: asText(model) ?? '',
    ...(tier !== undefined && { serviceTier: parseUsedTier(tier) }),
    ...withFormatSpecific(FORMAT, formatFields),
    ...withUnknownFields(unknownFields),
  };
}
