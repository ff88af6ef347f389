/**
 * Fields about caching in a native request, for a service that does not know them. Callers of OpenRouter, Vercel and
 * LiteLLM write Anthropic's `cache_control` in OpenAI's formats, too. OpenAI's own breakpoints are refused by its earlier
 * models, and its key by Groq, Cerebras, NVIDIA and Azure's models of other vendors (zed-industries/zed#36215, #52000,
 * anomalyco/opencode#45113). Such services cache by themselves or not at all, and the answer is the same without the fields.
 * From GPT-5.6 on, a part that had Anthropic's field gets a breakpoint of OpenAI's instead, and so does the last part of a
 * message that had it.
 */

import {
  asText,
  isList,
  isObject,
  type JsonObject,
  withEach,
  withObjects,
  withoutFields,
} from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';
import type { OptionalFields } from '../outbound.ts';
import { BREAKPOINT, takesBreakpoints } from './cache-breakpoints.ts';

const FIELDS = ['cache_control', 'prompt_cache_breakpoint', 'prompt_cache_key'];

/** A field as the last step of a path. A service that names something inside the field ("cache_control.ttl") knows the field. */
const NAMED = /\b(?:cache_control|prompt_cache_(?:breakpoint|key))\b(?!\.\w)/g;

/**
 * OpenAI: "Unknown parameter: 'messages[0].content[0].cache_control'."; Azure: "Unrecognized request argument supplied";
 * Groq: "property 'cache_control' is unsupported"; Mistral: "cache_control: Extra inputs are not permitted". Anthropic,
 * which takes breakpoints: "A maximum of 4 blocks with cache_control may be provided".
 */
const IS_UNKNOWN = /unknown|unrecognized|unexpected|unsupported|not supported|not permitted/i;

/** The parts that can have no breakpoint of OpenAI's. */
const UNMARKED = wordSet('refusal output_text');

export const cachingFields: OptionalFields = {
  names: [],
  refusedIn: ({ message, param = '' }) =>
    IS_UNKNOWN.test(message) ? [...new Set(`${param} ${message}`.match(NAMED))] : [],
  without(request, names) {
    const refused = FIELDS.filter((name) => names.has(name));
    return refused.length === 0 ? request : withoutFieldsIn(request, refused);
  },
};

/** A request without these fields in the places for them. The names may be anything elsewhere, as in a schema. */
function withoutFieldsIn(request: JsonObject, refused: readonly string[]): JsonObject {
  const plain = (holder: JsonObject): JsonObject => withoutFields(holder, refused);
  const takesOwn =
    takesBreakpoints(asText(request['model']) ?? '') && !refused.includes('prompt_cache_breakpoint');
  const plainPart = (part: JsonObject): JsonObject =>
    takesOwn && isObject(part['cache_control']) && canBeMarked(part)
      ? { ...plain(part), ...BREAKPOINT }
      : plain(part);
  const plainTurn = (turn: JsonObject, textType: TextType): JsonObject => {
    const left = CONTENTS.reduce(
      (changed, field) => withEach(changed, field, plainPart),
      withEach(plain(turn), 'tool_calls', plain),
    );
    return takesOwn && isObject(turn['cache_control']) ? withBreakpoint(left, textType) : left;
  };
  const plainTool = (tool: JsonObject): JsonObject => withObjects(plain(tool), ['function'], plain);
  const chat = withEach(request, 'messages', (turn) => plainTurn(turn, 'text'));
  const turns = withEach(chat, 'input', (turn) => plainTurn(turn, 'input_text'));
  return withEach(plain(turns), 'tools', plainTool);
}

/** Where a message, and the output of a call, hold their parts. */
const CONTENTS = ['content', 'output'] as const;

/** The type of a part with text, in the messages of chat-completions and in the items of responses. */
type TextType = 'text' | 'input_text';

/**
 * A message with a breakpoint on its last part that can have one. A message that ends with calls gets none, and neither
 * does, in responses, one that the model wrote.
 */
function withBreakpoint(turn: JsonObject, textType: TextType): JsonObject {
  const { role, tool_calls: calls } = turn;
  if ((isList(calls) && calls.length > 0) || (role === 'assistant' && textType === 'input_text')) return turn;
  const field = CONTENTS.find((name) => turn[name] !== undefined);
  if (field === undefined) return turn;
  const content = turn[field];
  if (typeof content === 'string' && content !== '')
    return { ...turn, [field]: [{ type: textType, text: content, ...BREAKPOINT }] };
  if (!isList(content)) return turn;
  const at = content.findLastIndex((part) => isObject(part) && canBeMarked(part));
  const part = content[at];
  return isObject(part) ? { ...turn, [field]: content.with(at, { ...part, ...BREAKPOINT }) } : turn;
}

function canBeMarked(part: JsonObject): boolean {
  return !UNMARKED.has(asText(part['type']) ?? '');
}
