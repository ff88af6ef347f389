/** The beginning of an answer: the fields of a message besides its content, its end and its usage. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyStart } from '../../../conversation/reply.ts';
import { asText, type JsonObject, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import { END_FIELDS } from '../wire/finish-reasons.ts';
import { parseUsedTier } from '../wire/service-tier.ts';

/** Fields of a message's beginning that only Anthropic has. */
const START_FIELDS: ReadonlySet<string> = new Set(['diagnostics']);

/** Fields of a message that are read here, or elsewhere. */
const READ_FIELDS: ReadonlySet<string> = new Set([
  ...wordList('type role id model content usage'),
  ...END_FIELDS,
]);

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
