/**
 * Clients that keep an answer in pieces write some of it elsewhere when they send it back. OpenAI's Agents SDK for
 * JavaScript puts all that stood beside the content on the part it makes of the content, and what stood beside the name
 * of a call on the message too (`openaiChatCompletionsConverter`, `providerData`).
 */

import { asObject, asObjects, isList, isObject, type Json, type JsonObject } from '../../json.ts';

/** Fields that answers have beside OpenAI's own. */
export const ADDITIONAL: readonly string[] = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'provider_specific_fields',
];

/** Fields of a message that tell something of its answer. */
const TELLING = ['refusal', 'annotations', ...ADDITIONAL];

/** What the message has anyway, or what has a place of its own in the client's history. */
const REPEATED = ['role', 'content', 'audio', 'function_call', 'tool_calls', 'parsed'];

/** A message of the assistant with each field where an answer has it; itself where none had to be moved. */
export function gathered(message: JsonObject): JsonObject {
  const own = withoutCallsOwn(message);
  const { content } = own;
  if (!isList(content)) return own;
  const found: Record<string, Json> = {};
  const parts = content.map((part) => (isObject(part) ? withoutBeside(part, found) : part));
  const isMoved = parts.some((part, at) => part !== content[at]);
  return isMoved ? { ...found, ...own, content: parts } : own;
}

/** A part of a text alone; what else is of the message goes to `found`. */
function withoutBeside(part: JsonObject, found: Record<string, Json>): JsonObject {
  const { type } = part;
  if (type !== 'text' && type !== 'refusal') return part;
  const fields = Object.entries(part);
  const own = fields.filter(
    ([name]) => name === type || !(TELLING.includes(name) || REPEATED.includes(name)),
  );
  if (own.length === fields.length) return part;
  for (const [name, value] of fields) {
    if (name !== type && TELLING.includes(name) && value !== undefined) found[name] = value;
  }
  return Object.fromEntries(own);
}

/** A signature that is one of the calls' is not the text's. */
function withoutCallsOwn(message: JsonObject): JsonObject {
  const { extra_content: signed, ...rest } = message;
  if (asObject(signed) === undefined) return message;
  const text = JSON.stringify(signed);
  const isCalls = asObjects(message['tool_calls']).some(
    (call) => JSON.stringify(call['extra_content']) === text,
  );
  return isCalls ? rest : message;
}
