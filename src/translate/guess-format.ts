/** Guesses the format that a request is written in, from the fields that only one of them has. */

import type { FormatName } from '../conversation/format-name.ts';
import { asObjects, asText, isObject, type Json, type JsonObject } from '../lib/json.ts';
import { wordList, wordSet } from '../lib/words.ts';
import { asBody } from './check-input.ts';

const GOOGLES = wordList('contents generationConfig generation_config');
const RESPONSES = wordList('input instructions max_output_tokens');
const ANTHROPICS = wordList('system stop_sequences output_config');

/** Block types that only `messages` has. */
const ANTHROPIC_BLOCKS = wordSet('tool_use tool_result image document thinking redacted_thinking');

/** Roles that instructions and results have in chat-completions. */
const CHAT_ROLES: ReadonlySet<Json | undefined> = new Set(['system', 'developer', 'tool']);

/**
 * Guesses the format of a request.
 * @param given its body, which may lack fields.
 * @throws GatewayError `invalid-request` if it is no JSON object.
 */
export function guessFormat(given: object): FormatName {
  const body = asBody(given);
  const hasAny = (names: readonly string[]): boolean => names.some((name) => body[name] !== undefined);
  if (hasAny(GOOGLES)) return 'generate-content';
  // Cursor sends `input` to chat-completions, with an empty list of messages beside it.
  if (body['messages'] === undefined && hasAny(RESPONSES)) return 'responses';
  return hasAny(ANTHROPICS) || isAnthropics(body) ? 'messages' : 'chat-completions';
}

function isAnthropics({ messages, tools, thinking, max_tokens, model, stream_options }: JsonObject): boolean {
  const turns = asObjects(messages);
  if (asObjects(tools).some(({ input_schema, type }) => isObject(input_schema) || isDated(type))) return true;
  if (
    turns.some(({ content }) =>
      asObjects(content).some(({ type }) => ANTHROPIC_BLOCKS.has(asText(type) ?? '')),
    )
  )
    return true;
  // DeepSeek and Z.ai have `thinking` in chat-completions too, and short requests of the two formats are alike.
  if (stream_options !== undefined || turns.some(({ role }) => CHAT_ROLES.has(role))) return false;
  return thinking !== undefined || (max_tokens !== undefined && asText(model)?.startsWith('claude') === true);
}

/** The types of Anthropic's own tools end in a date: `bash_20250124`. */
function isDated(type: Json | undefined): boolean {
  return typeof type === 'string' && /_20\d{6}$/.test(type);
}
