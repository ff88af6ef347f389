/** Parses message items. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ContentPart, Part, Turn } from '../../../conversation/prompt.ts';
import { isEmpty, type JsonObject, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { applyMessageBreakpoint } from '../../openai/cache-breakpoints.ts';
import { missing, wrongValue } from '../../openai/fields.ts';
import { getOrigin, keepOrigin } from '../wire/origin.ts';
import { OPENAI_ITEM_FIELDS } from './item-types.ts';
import { parseContent } from './parse-parts.ts';

/** The fields of a message, with the mark that routers take. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'content', 'cache_control']);

/**
 * Parses a message of the user, the system or the developer.
 * @throws GatewayError `invalid-request` for another role, or content that is missing or wrong.
 */
export function parseMessage(item: JsonObject, role: string, path: Place): Turn {
  if (role !== 'user' && role !== 'system' && role !== 'developer')
    throw wrongValue(fieldPlace(path, 'role'), role, ['assistant', 'system', 'developer', 'user']);
  const { content, cache_control: control } = item;
  if (content === undefined || content === null) throw missing(fieldPlace(path, 'content'));
  const rest = otherFields(item, MESSAGE_FIELDS);
  const [own, unknown] = splitFields(rest, OPENAI_ITEM_FIELDS);
  const kept = withoutNulls(own);
  return {
    role: role === 'user' ? 'user' : 'system',
    ...(role === 'developer' && { developer: true }),
    parts: applyMessageBreakpoint(parseContent(content, fieldPlace(path, 'content')), control),
    // Kept for system text even without a field: it shows this format that the message is not the instructions.
    ...((role !== 'user' || !isEmpty(kept)) && { formatSpecific: keepOrigin({ item: kept }) }),
    ...withUnknownFields(unknown),
  };
}

/**
 * Parses the parts of an assistant's message. A message without parts keeps its place by an empty text.
 * @param at the place of the item. The parts keep it if nothing else shows that the message before has ended.
 * @param previous the last part of the turn so far.
 */
export function parseAssistantMessage(
  item: JsonObject,
  path: Place,
  at: number,
  previous: Part | undefined,
): readonly Part[] {
  const { content, cache_control: control } = item;
  if (content === undefined || content === null) throw missing(fieldPlace(path, 'content'));
  const given = applyMessageBreakpoint(parseContent(content, fieldPlace(path, 'content')), control);
  const parts: readonly ContentPart[] = given.length > 0 ? given : [{ kind: 'text', text: '' }];
  const kept = withoutNulls(otherFields(item, MESSAGE_FIELDS));
  const isPlain = parts.length === 1 && !isBlank(parts[0]) && isEmpty(kept) && !isContent(previous);
  if (isPlain) return parts;
  return parts.map((part) => {
    return { ...part, formatSpecific: keepOrigin({ ...getOrigin(part.formatSpecific), at, item: kept }) };
  });
}

function isBlank(part: Part | undefined): boolean {
  return part?.kind === 'text' && part.text === '';
}

function isContent(part: Part | undefined): boolean {
  return part?.kind === 'text' || part?.kind === 'refusal' || part?.kind === 'media';
}
