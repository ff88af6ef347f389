/** Messages to turns. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { isObject, type JsonObject, withoutFields, withoutNulls } from '../../../lib/json.ts';
import { missing, wrongValue } from '../../openai/fields.ts';
import { parseAssistant } from './parse-assistant.ts';
import { applyMessageBreakpoint } from './parse-cache-breakpoints.ts';
import { parseContent } from './parse-content.ts';
import { parseFunctionMessage, parseToolMessage } from './parse-results.ts';
import { pendingCalls } from './pending-calls.ts';

const ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/**
 * The turns of a list of messages, each with its path. Tool messages that follow one another are one turn.
 * @throws GatewayError in OpenAI's words where a message is none.
 */
export function parseTurns(messages: readonly (readonly [JsonObject, string])[]): Turn[] {
  const turns: Turn[] = [];
  const waiting = pendingCalls();
  let results: ToolResultPart[] | undefined;
  for (const [at, [given, param]] of messages.entries()) {
    const message = withoutFields(given, NOTES);
    const { role } = message;
    if (role === 'tool' || role === 'function') {
      const part =
        role === 'tool'
          ? parseToolMessage(message, waiting, param)
          : parseFunctionMessage(message, waiting, param, at);
      if (results === undefined) {
        results = [];
        turns.push({ role: 'user', parts: results });
      }
      results.push(part);
      continue;
    }
    results = undefined;
    turns.push(
      role === 'assistant' ? parseAssistant(message, waiting, param, at) : parseSpoken(message, param),
    );
  }
  return turns;
}

/**
 * Notes that GitHub Copilot CLI makes on messages for itself, and that come along once it goes on with a session (1.0.102,
 * `--continue`): Anthropic and Google refuse what they do not know.
 */
const NOTES: readonly string[] = ['__copilotMessageSource', '__copilotUserShellOutput'];

/** A message of role system, developer or user. */
function parseSpoken(message: JsonObject, param: string): Turn {
  const { role, content, name, cache_control: control, ...rest } = message;
  if (role === undefined || role === null) throw missing(`${param}.role`);
  if (role !== 'user' && role !== 'system' && role !== 'developer') {
    throw wrongValue(`${param}.role`, role, ROLES);
  }
  if (content === undefined) throw missing(`${param}.content`);
  if (content === null) {
    throw invalid("Invalid value for 'content': expected a string, got null.", `${param}.content`);
  }
  const parts = parseContent(content, `${param}.content`);
  return {
    role: role === 'user' ? 'user' : 'system',
    parts: applyMessageBreakpoint(parts, control),
    ...(role === 'developer' && { developer: true }),
    ...(typeof name === 'string' && { name }),
    ...unknownFieldsOf(withoutNulls(rest)),
    ...(isObject(control) && formatSpecificOf('chat-completions', { cache_control: control })),
  };
}
