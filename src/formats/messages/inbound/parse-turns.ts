/** `system` and `messages` as turns. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Part, Turn } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { isEmpty, isList, isObject, otherFields, splitFields } from '../../../lib/json.ts';
import { mapItems } from '../../../lib/lists.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import type { ParseReport } from '../../format.ts';
import { renderCacheControl } from '../wire/cache-control.ts';
import { type Context, parseContent } from './parse-blocks.ts';
import { carryAcrossTurns } from './parse-carriers.ts';
import { parseUpload } from './parse-kept-blocks.ts';
import { checkOpaque } from './parse-opaque.ts';

/** Fields that a system message during a conversation has besides its content. Both are beta. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['clear_at', 'output_config']);

/**
 * Parses `system` and `messages`.
 * @throws GatewayError `invalid-request` if there are no messages, or if one of them is not a message.
 */
export function parseTurns(
  system: Json | undefined,
  messages: Json | undefined,
  report: ParseReport,
): readonly Turn[] {
  if (messages === undefined) throw invalid('messages: Field required', 'messages');
  if (!isList(messages)) throw invalid('messages: Input should be a valid list', 'messages');
  if (messages.length === 0) throw invalid('messages: at least one message is required', 'messages');
  const context: Context = { names: new Map(), report };
  const turns: Turn[] = [];
  if (system !== undefined && system !== null) {
    const parts = withoutBillingLine(parseContent(system, 'system', context), report);
    if (parts.length > 0) turns.push({ role: 'system', parts });
  }
  const lastUser = messages.findLastIndex((message) => isObject(message) && message['role'] === 'user');
  for (let index = 0; index < messages.length; index++) {
    turns.push(
      parseMessage(messages[index] ?? null, fieldPlace('messages', index), index < lastUser, context),
    );
  }
  return carryAcrossTurns(turns);
}

/**
 * Claude Code begins its system prompt with a line for Anthropic's accounting. The line differs in each request. Other
 * vendors' caches compare prompts from the beginning, so with this line they would never find anything.
 */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*(?:\n|$)/;

function withoutBillingLine(parts: readonly Part[], report: ParseReport): readonly Part[] {
  const [first, ...others] = parts;
  if (first?.kind !== 'text' || !BILLING_LINE.test(first.text)) return parts;
  report('system', 'dropped', "a line for Anthropic's accounting");
  const text = flat(first.text.replace(BILLING_LINE, ''));
  return text === '' ? others : [{ ...first, text }, ...others];
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);

/** @param isPast whether a message of the user follows. */
function parseMessage(message: Json, at: Place, isPast: boolean, context: Context): Turn {
  if (!isObject(message)) throw invalid(`${at}: Input should be an object`, String(at));
  const { role, content } = message;
  if (role === undefined) throw invalid(`${at}.role: Field required`, `${at}.role`);
  if (role === 'system') return parseSystem(message, at, isPast, context);
  if (role !== 'user' && role !== 'assistant') {
    throw invalid(`${at}.role: Input should be 'user', 'assistant' or 'system'`, `${at}.role`);
  }
  const here = fieldPlace(at, 'content');
  const given = parseContent(content, here, context);
  const parts =
    role === 'user' && given.some(isOpaque) ? mapItems(given, (part) => parseUserPart(part, here)) : given;
  const unknownFields = otherFields(message, MESSAGE_FIELDS);
  return isEmpty(unknownFields) ? { role, parts } : { role, parts, unknownFields };
}

function isOpaque({ kind }: Part): boolean {
  return kind === 'opaque';
}

/**
 * Parses a part of a user message further. The user's files are part of the question, unlike the assistant's. A block that
 * is not known is refused, because it would be lost in silence.
 */
function parseUserPart(part: Part, at: Place): Part {
  if (part.kind !== 'opaque') return part;
  return part.value['type'] === 'container_upload' ? parseUpload(part.value) : checkOpaque(part, at);
}

/**
 * Parses a system message during a conversation. Its format-specific fields mark that this format may have it where it
 * stands. The message may have no content, if it changes the effort. It may also apply only until the next message of the
 * user. If that has come, only Anthropic receives the content.
 */
function parseSystem(message: JsonObject, at: Place, isPast: boolean, context: Context): Turn {
  const { role: _, content, ...rest } = message;
  const [formatFields, unknownFields] = splitFields(rest, SYSTEM_FIELDS);
  const isSilent = content === undefined && isObject(formatFields['output_config']);
  const parts = isSilent ? [] : parseContent(content, `${at}.content`, context);
  const isCleared = formatFields['clear_at'] === 'next_user_message' && isPast;
  return {
    role: 'system',
    parts: isCleared ? parts.flatMap(clearText) : parts,
    formatSpecific: { format: 'messages', fields: formatFields },
    ...withUnknownFields(unknownFields),
  };
}

/** Turns a text into a block that only Anthropic receives. */
function clearText(part: Part): readonly Part[] {
  return part.kind === 'text'
    ? [
        {
          kind: 'opaque',
          format: 'messages',
          value: { type: 'text', text: part.text, ...renderCacheControl(part.cacheBreakpoint) },
        },
      ]
    : [part];
}
