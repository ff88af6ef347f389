/** Tool messages, and the older function messages, as results. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ToolResultPart } from '../../../conversation/prompt.ts';
import {
  asText,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { wordSet } from '../../../lib/words.ts';
import { parseCacheControl } from '../../openai/cache-breakpoints.ts';
import { missing, requiredText } from '../../openai/fields.ts';
import { parseContent } from './parse-parts.ts';
import type { PendingCalls } from './pending-calls.ts';

const RESULT_FIELDS = wordSet('role tool_call_id content name cache_control');

/**
 * A message of the role `tool`.
 * @param param the path of the message, for errors.
 * @throws GatewayError `invalid-request` without `tool_call_id`.
 */
export function parseToolMessage(message: JsonObject, pending: PendingCalls, param: Place): ToolResultPart {
  const { tool_call_id: id, content, name, cache_control: control } = message;
  const given = requiredText(id, fieldPlace(param, 'tool_call_id'));
  const givenName = asText(name);
  // Google's compatible endpoint gives calls the id ''. Such a result answers the oldest pending call.
  const call =
    given !== ''
      ? pending.byId(given)
      : ((givenName === undefined ? undefined : pending.byName(givenName)) ?? pending.oldest());
  const toolName = call?.name ?? givenName;
  const unknownFields = withoutNulls(otherFields(message, RESULT_FIELDS));
  if (call !== undefined && !call.custom && !isObject(control) && isEmpty(unknownFields)) {
    const parts = resultContent(content, fieldPlace(param, 'content'));
    return { kind: 'tool-result', id: given || call.id, name: call.name, content: parts };
  }
  return {
    kind: 'tool-result',
    id: given || (call?.id ?? ''),
    ...(toolName !== undefined && { name: toolName }),
    content: resultContent(content, fieldPlace(param, 'content')),
    ...(call?.custom && { custom: true }),
    ...(isObject(control) && {
      cacheBreakpoint: parseCacheControl(control),
      ...withFormatSpecific('chat-completions', {}, { cache_control: control }),
    }),
    ...withUnknownFields(unknownFields),
  };
}

/**
 * A message of the role `function`.
 * @param param the path of the message, for errors.
 * @param at the index of the message, from which the result gets an id if no pending call has its name.
 * @throws GatewayError `invalid-request` without `name`.
 */
export function parseFunctionMessage(
  message: JsonObject,
  pending: PendingCalls,
  param: Place,
  at: number,
): ToolResultPart {
  const { role: _, name: given, content, ...rest } = message;
  const name = asText(given);
  if (name === undefined) throw missing(fieldPlace(param, 'name'));
  return {
    kind: 'tool-result',
    id: pending.byName(name)?.id ?? `call_${at}_0`,
    name,
    content: resultContent(content, fieldPlace(param, 'content')),
    ...withUnknownFields(withoutNulls(rest)),
  };
}

function resultContent(content: Json | undefined, param: Place): ToolResultPart['content'] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return parseContent(content, param).flatMap((part): ToolResultPart['content'] => {
    if (part.kind === 'text' || part.kind === 'media' || part.kind === 'opaque') return [part];
    return part.kind === 'refusal' ? [{ ...part, kind: 'text' }] : [];
  });
}
