/**
 * Some clients store an answer in pieces, and misplace some of its fields when they send it back. OpenAI's Agents SDK for
 * JavaScript puts the fields beside the content on the part that it makes of the content, and the fields beside a call's
 * name on the message too (`openaiChatCompletionsConverter`, `providerData`). LangChain leaves in the content what it
 * also has in separate fields, and everything that another vendor's answer had there (langchainjs#11175, #11177).
 */

import { asObjects, hasSameItems, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordList, wordSet } from '../../../lib/words.ts';
import { OF_CLIENTS } from '../../client-fields.ts';

/** Fields of answers that OpenAI itself does not have. `images` is OpenRouter's, for those that the model drew. */
export const ADDITIONAL_FIELDS = wordList(`
  reasoning_content reasoning_signature reasoning reasoning_details thinking_blocks extra_content
  provider_specific_fields images
`);

/** Fields of a message that belong to the answer. They move from the part back to the message. */
const ANSWER_FIELDS = ['refusal', 'annotations', ...ADDITIONAL_FIELDS];

/** Fields that the message has anyway, or that the client stores separately. They are removed from the part. */
const REPEATED_FIELDS = ['role', 'content', 'audio', 'function_call', 'tool_calls', 'parsed'];

/** Those of both kinds, and the fields that LangChain leaves on a text part: its own, and Anthropic's citations. */
const MISPLACED_FIELDS = new Set([...ANSWER_FIELDS, ...REPEATED_FIELDS, ...OF_CLIENTS, 'citations']);

/**
 * Types of parts that are not content: calls, which also stand in `tool_calls`, their pieces, calls that the vendor ran
 * itself, and thoughts of other vendors' models.
 */
const NOT_CONTENT: ReadonlySet<Json | undefined> = wordSet(`
  tool_call function_call functionCall input_json_delta server_tool_use server_tool_call
  server_tool_call_result web_search_tool_result reasoning reasoning_content
`);

/** A message of the assistant with each field in the place where an answer has it; the same object if nothing moves. */
export function mergeSplitMessage(message: JsonObject): JsonObject {
  const own = withoutSignatureOfCall(message);
  const { content } = own;
  if (!isList(content)) return own;
  const found: Record<string, Json> = {};
  const parts = content
    .filter((part) => !(isObject(part) && NOT_CONTENT.has(part['type'])))
    .map((part) => (isObject(part) ? withoutMessageFields(part, found) : part));
  return hasSameItems(parts, content) ? own : { ...found, ...own, content: parts };
}

/** A text or refusal part without the fields of the message. Those of the answer are added to `found`. */
function withoutMessageFields(part: JsonObject, found: Record<string, Json>): JsonObject {
  const type = part['type'] === 'output_text' ? 'text' : part['type'];
  if (type !== 'text' && type !== 'refusal') return part;
  const fields = Object.entries(part);
  const own = fields.filter(([name]) => name === type || !MISPLACED_FIELDS.has(name));
  if (own.length === fields.length) return part;
  for (const [name, value] of fields) {
    if (name !== type && ANSWER_FIELDS.includes(name) && value !== undefined) found[name] = value;
  }
  return Object.fromEntries(own);
}

/** A message without `extra_content`, if the same signature stands on one of its calls: then it is not the text's. */
function withoutSignatureOfCall(message: JsonObject): JsonObject {
  // To take an object apart is a copy, and nearly no message needs one.
  if (!isObject(message['extra_content'])) return message;
  const { extra_content: signed, ...rest } = message;
  const text = JSON.stringify(signed);
  const isCalls = asObjects(message['tool_calls']).some(
    (call) => JSON.stringify(call['extra_content']) === text,
  );
  return isCalls ? rest : message;
}
