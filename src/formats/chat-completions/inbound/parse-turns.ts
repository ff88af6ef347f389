/** Messages as turns. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import {
  isEmpty,
  isObject,
  type JsonObject,
  otherFields,
  withoutFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { applyMessageBreakpoint } from '../../openai/cache-breakpoints.ts';
import { missing, wrongValue } from '../../openai/fields.ts';
import { parseAssistant } from './parse-assistant.ts';
import { parseContent } from './parse-parts.ts';
import { parseFunctionMessage, parseToolMessage } from './parse-results.ts';
import { pendingCalls } from './pending-calls.ts';

const ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/**
 * The turns of a conversation. Consecutive tool messages form one turn.
 * @param messages the list at `messages`.
 * @throws GatewayError `invalid-request`, in OpenAI's words, for an invalid message.
 */
export function parseTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  const pending = pendingCalls();
  let results: ToolResultPart[] | undefined;
  for (let at = 0; at < messages.length; at++) {
    const given = messages[at];
    if (given === undefined) continue;
    const param = itemPlace('messages', at);
    const message = withoutFields(given, COPILOT_FIELDS);
    const { role } = message;
    if (role === 'tool' || role === 'function') {
      const part =
        role === 'tool'
          ? parseToolMessage(message, pending, param)
          : parseFunctionMessage(message, pending, param, at);
      if (results === undefined) {
        results = [part];
        turns.push({ role: 'user', parts: results });
      } else results.push(part);
      continue;
    }
    results = undefined;
    turns.push(
      role === 'assistant' ? parseAssistant(message, pending, param, at) : parsePlain(message, param),
    );
  }
  return turns;
}

/**
 * GitHub Copilot CLI's own fields on messages. It sends them when it continues a session (1.0.102, `--continue`), and
 * Anthropic and Google refuse unknown fields.
 */
const COPILOT_FIELDS: readonly string[] = ['__copilotMessageSource', '__copilotUserShellOutput'];

const PLAIN_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'name', 'cache_control']);

function parsePlain(message: JsonObject, param: Place): Turn {
  const { role, content, name, cache_control: control } = message;
  if (role === undefined || role === null) throw missing(fieldPlace(param, 'role'));
  if (role !== 'user' && role !== 'system' && role !== 'developer') {
    throw wrongValue(fieldPlace(param, 'role'), role, ROLES);
  }
  if (content === undefined) throw missing(fieldPlace(param, 'content'));
  if (content === null) {
    throw invalid("Invalid value for 'content': expected a string, got null.", `${param}.content`);
  }
  const parts = applyMessageBreakpoint(parseContent(content, fieldPlace(param, 'content')), control);
  const unknownFields = withoutNulls(otherFields(message, PLAIN_FIELDS));
  if (role === 'user' && name === undefined && control === undefined && isEmpty(unknownFields)) {
    return { role, parts };
  }
  return {
    role: role === 'user' ? 'user' : 'system',
    parts,
    ...(role === 'developer' && { developer: true }),
    ...(typeof name === 'string' && { name }),
    ...withUnknownFields(unknownFields),
    ...(isObject(control) && withFormatSpecific('chat-completions', {}, { cache_control: control })),
  };
}
