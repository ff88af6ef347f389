/** Messages to turns. */

import { extraOf, ownOf } from '../../conversation/own.ts';
import type { ToolResultPart, Turn } from '../../conversation/prompt.ts';
import { GatewayError } from '../../errors.ts';
import { asText, isObject, type JsonObject, withoutNulls } from '../../json.ts';
import { missing } from '../openai-fields.ts';
import { markLast } from './marks.ts';
import { parseAssistant } from './parse-assistant.ts';
import { parseContent } from './parse-content.ts';
import { parseOldResult, parseResult } from './parse-results.ts';
import { type Waiting, waitingCalls } from './waiting.ts';

/**
 * The turns of a list of messages. Tool messages that follow one another are one turn.
 * @throws GatewayError in OpenAI's words where a message is none.
 */
export function parseTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  const waiting = waitingCalls();
  let results: ToolResultPart[] | undefined;
  for (const [at, message] of messages.entries()) {
    const param = `messages[${at}]`;
    const { role } = message;
    if (role === 'tool' || role === 'function') {
      const part =
        role === 'tool' ? parseResult(message, waiting, param) : parseOldResult(message, waiting, param);
      if (results === undefined) {
        results = [];
        turns.push({ role: 'user', parts: results });
      }
      results.push(part);
      continue;
    }
    results = undefined;
    turns.push(parseTurn(message, waiting, at));
  }
  return turns;
}

function parseTurn(message: JsonObject, waiting: Waiting, at: number): Turn {
  const param = `messages[${at}]`;
  switch (message['role']) {
    case 'system':
    case 'developer':
    case 'user':
      return parseSpoken(message, param);
    case 'assistant':
      return parseAssistant(message, waiting, at);
    case undefined:
    case null:
      throw missing(`${param}.role`);
    default: {
      const known = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
      const shown = asText(message['role'])?.slice(0, 40) ?? 'object';
      const text = `Invalid value: '${shown}'. Supported values are: ${known}.`;
      throw new GatewayError('invalid-request', text, { param: `${param}.role`, code: 'invalid_value' });
    }
  }
}

/** A message of role system, developer or user. */
function parseSpoken(message: JsonObject, param: string): Turn {
  const { role, content, name, cache_control: control, ...rest } = message;
  if (content === undefined || content === null) throw noContent(param, content);
  const parts = parseContent(content, `${param}.content`);
  return {
    role: role === 'user' ? 'user' : 'system',
    parts: markLast(parts, control),
    ...(role === 'developer' && { developer: true }),
    ...(typeof name === 'string' && { name }),
    ...extraOf(withoutNulls(rest)),
    ...(isObject(control) && ownOf('chat-completions', { cache_control: control })),
  };
}

function noContent(param: string, content: null | undefined): GatewayError {
  if (content === undefined) return missing(`${param}.content`);
  const message = `Invalid value for 'content': expected a string, got null.`;
  return new GatewayError('invalid-request', message, { param: `${param}.content` });
}
