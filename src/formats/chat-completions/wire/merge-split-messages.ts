/**
 * Clients that keep an answer in pieces write some of it elsewhere when they send it back. OpenAI's Agents SDK for
 * JavaScript puts all that stood beside the content on the part it makes of the content, and what stood beside the name
 * of a call on the message too (`openaiChatCompletionsConverter`, `providerData`). LangChain leaves in the content what
 * it has in fields of its own as well, and all that another vendor's answer had there (langchainjs#11175, #11177).
 */

import {
  asObject,
  asObjects,
  hasSameItems,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import { OF_CLIENTS } from '../../of-clients.ts';

/** Fields that answers have beside OpenAI's own. */
export const ADDITIONAL_FIELDS: readonly string[] = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'provider_specific_fields',
  // OpenRouter's: what the model has drawn.
  'images',
];

/** Fields of a message that tell something of its answer. */
const TELLING = ['refusal', 'annotations', ...ADDITIONAL_FIELDS];

/** What the message has anyway, or what has a place of its own in the client's history. */
const REPEATED = ['role', 'content', 'audio', 'function_call', 'tool_calls', 'parsed'];

/** What LangChain leaves on a part of a text: what it writes there for itself, and Anthropic's sources. */
const LEFT = [...OF_CLIENTS, 'citations'];

/**
 * Parts that are no content: calls, which stand in `tool_calls` too, pieces of them, calls that a vendor has answered
 * itself, and thoughts of other vendors' models.
 */
const NO_CONTENT: ReadonlySet<Json | undefined> = new Set([
  'tool_call',
  'function_call',
  'functionCall',
  'input_json_delta',
  'server_tool_use',
  'server_tool_call',
  'server_tool_call_result',
  'web_search_tool_result',
  'reasoning',
  'reasoning_content',
]);

/** A message of the assistant with each field where an answer has it; itself where none had to be moved. */
export function mergeSplitMessage(message: JsonObject): JsonObject {
  const own = withoutCallsOwn(message);
  const { content } = own;
  if (!isList(content)) return own;
  const found: Record<string, Json> = {};
  const parts = content
    .filter((part) => !(isObject(part) && NO_CONTENT.has(part['type'])))
    .map((part) => (isObject(part) ? withoutBeside(part, found) : part));
  return hasSameItems(parts, content) ? own : { ...found, ...own, content: parts };
}

/** A part of a text alone; what else is of the message goes to `found`. */
function withoutBeside(part: JsonObject, found: Record<string, Json>): JsonObject {
  const type = part['type'] === 'output_text' ? 'text' : part['type'];
  if (type !== 'text' && type !== 'refusal') return part;
  const fields = Object.entries(part);
  const isBeside = (name: string): boolean =>
    name !== type && (TELLING.includes(name) || REPEATED.includes(name) || LEFT.includes(name));
  const own = fields.filter(([name]) => !isBeside(name));
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
