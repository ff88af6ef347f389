/** `system` and `messages` as turns. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { Part, Turn } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { isList, isObject, splitFields } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { carryOver } from '../wire/signature-carriers.ts';
import { parseUpload } from '../wire/whole-blocks.ts';
import { FORMAT, renderMark } from '../wire/wire.ts';
import { type Context, parseContent, passedOver } from './parse-blocks.ts';

/** Fields of a system message in the midst of a conversation, beside its content; both are beta. */
const SYSTEM_OWN: ReadonlySet<string> = new Set(['clear_at', 'output_config']);

/** @throws GatewayError `invalid-request` where there are no messages, or one is none. */
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
  messages.forEach((message, index) => {
    turns.push(parseMessage(message, `messages.${index}`, index < lastUser, context));
  });
  return carryOver(turns);
}

/**
 * Claude Code begins its system prompt with a line for Anthropic's accounting. It is another one in each request, and
 * other vendors' caches know a prompt by how it begins: with it they would never find anything.
 */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*(?:\n|$)/;

function withoutBillingLine(parts: readonly Part[], report: ParseReport): readonly Part[] {
  const [first, ...others] = parts;
  if (first?.kind !== 'text' || !BILLING_LINE.test(first.text)) return parts;
  report('system', 'dropped', "a line for Anthropic's accounting");
  const text = first.text.replace(BILLING_LINE, '');
  return text === '' ? others : [{ ...first, text }, ...others];
}

/** @param isPast whether the user speaks again after it. */
function parseMessage(message: Json, at: string, isPast: boolean, context: Context): Turn {
  if (!isObject(message)) throw invalid(`${at}: Input should be an object`, at);
  const { role, content, ...rest } = message;
  if (role === undefined) throw invalid(`${at}.role: Field required`, `${at}.role`);
  if (role === 'system') return parseSystem(message, at, isPast, context);
  if (role !== 'user' && role !== 'assistant') {
    throw invalid(`${at}.role: Input should be 'user', 'assistant' or 'system'`, `${at}.role`);
  }
  const parts = parseContent(content, `${at}.content`, context);
  return {
    role,
    parts: role === 'user' ? parts.map((part) => asGiven(part, `${at}.content`)) : parts,
    ...unknownFieldsOf(rest),
  };
}

/**
 * What a user gives is what is asked: the files too, which are none of it where the assistant has made them. A block that
 * nobody knows is not passed over in silence.
 */
function asGiven(part: Part, at: string): Part {
  if (part.kind !== 'opaque') return part;
  return part.value['type'] === 'container_upload' ? parseUpload(part.value) : passedOver(part, at);
}

/**
 * What the system says in the midst of a conversation: this format alone may have it where it stands, and marks it so.
 * It may change the effort and say nothing, and it may hold until the user speaks again; then nobody else is told.
 */
function parseSystem(message: JsonObject, at: string, isPast: boolean, context: Context): Turn {
  const { role: _, content, ...rest } = message;
  const [own, extra] = splitFields(rest, SYSTEM_OWN);
  const isSilent = content === undefined && isObject(own['output_config']);
  const parts = isSilent ? [] : parseContent(content, `${at}.content`, context);
  const isCleared = own['clear_at'] === 'next_user_message' && isPast;
  return {
    role: 'system',
    parts: isCleared ? parts.flatMap(clearedText) : parts,
    formatSpecific: { format: FORMAT, fields: own },
    ...unknownFieldsOf(extra),
  };
}

/** A text as one that only Anthropic is told. */
function clearedText(part: Part): readonly Part[] {
  return part.kind === 'text'
    ? [
        {
          kind: 'opaque',
          format: FORMAT,
          value: { type: 'text', text: part.text, ...renderMark(part.cacheBreakpoint) },
        },
      ]
    : [part];
}
