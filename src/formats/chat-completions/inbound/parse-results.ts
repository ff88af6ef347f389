/** Tool messages, and the older function messages, to results. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { ToolResultPart } from '../../../conversation/prompt.ts';
import { asText, isObject, type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { missing, requiredText } from '../../openai/fields.ts';
import { parseCacheControl } from './parse-cache-breakpoints.ts';
import { parseContent } from './parse-content.ts';
import type { PendingCalls } from './pending-calls.ts';

/** @throws GatewayError without `tool_call_id`. */
export function parseToolMessage(message: JsonObject, waiting: PendingCalls, param: string): ToolResultPart {
  const { role: _, tool_call_id: id, content, name, cache_control: control, ...rest } = message;
  const given = requiredText(id, `${param}.tool_call_id`);
  const asked = asText(name);
  // Google's compatible endpoint gives calls the id '': such a result is of the oldest call that waits for one.
  const call =
    given !== ''
      ? waiting.byId(given)
      : ((asked === undefined ? undefined : waiting.byName(asked)) ?? waiting.oldest());
  const known = call?.name ?? asked;
  return {
    kind: 'tool-result',
    id: given || (call?.id ?? ''),
    ...(known !== undefined && { name: known }),
    content: resultContent(content, `${param}.content`),
    ...(call?.custom && { custom: true }),
    ...(isObject(control) && {
      cacheBreakpoint: parseCacheControl(control),
      ...formatSpecificOf('chat-completions', { cache_control: control }),
    }),
    ...unknownFieldsOf(withoutNulls(rest)),
  };
}

/**
 * @param at the message's place: an id is made of it where no call has one.
 * @throws GatewayError without `name`.
 */
export function parseFunctionMessage(
  message: JsonObject,
  waiting: PendingCalls,
  param: string,
  at: number,
): ToolResultPart {
  const { role: _, name: given, content, ...rest } = message;
  const name = asText(given);
  if (name === undefined) throw missing(`${param}.name`);
  return {
    kind: 'tool-result',
    id: waiting.byName(name)?.id ?? `call_${at}_0`,
    name,
    content: resultContent(content, `${param}.content`),
    ...unknownFieldsOf(withoutNulls(rest)),
  };
}

function resultContent(content: Json | undefined, param: string): ToolResultPart['content'] {
  if (content === undefined || content === null) return [];
  return parseContent(content, param).flatMap((part): ToolResultPart['content'] => {
    if (part.kind === 'text' || part.kind === 'media' || part.kind === 'opaque') return [part];
    return part.kind === 'refusal' ? [{ ...part, kind: 'text' }] : [];
  });
}
