/**
 * Cache breakpoints in a native request to a service that has none. Callers of OpenRouter, Vercel and LiteLLM write
 * Anthropic's `cache_control` in OpenAI's formats, too, and OpenAI's own field is refused by its earlier models and by
 * other services. Such services cache by themselves, and an answer is the same without breakpoints.
 */

import { type JsonObject, withEach, withObjects, withoutFields } from '../../lib/json.ts';
import type { OptionalFields } from '../format.ts';

const BREAKPOINTS = ['cache_control', 'prompt_cache_breakpoint'];

/** A breakpoint as the last step of a path. What stands in one is refused by services that take it ("cache_control.ttl"). */
const NAMED = /\b(?:cache_control|prompt_cache_breakpoint)\b(?!\.\w)/g;

/**
 * OpenAI: "Unknown parameter: 'messages[0].content[0].cache_control'."; Groq: "property 'cache_control' is unsupported";
 * Mistral: "cache_control: Extra inputs are not permitted". Anthropic, which takes them: "A maximum of 4 blocks with
 * cache_control may be provided", "cache_control cannot be set for empty text blocks".
 */
const IS_UNKNOWN = /unknown|unrecognized|unexpected|unsupported|not supported|not permitted/i;

/** The breakpoints, as optional fields. */
export const cacheBreakpoints: OptionalFields = {
  names: [],
  refusedIn: ({ message, param = '' }) =>
    IS_UNKNOWN.test(message) ? [...new Set(`${param} ${message}`.match(NAMED))] : [],
  without(request, names) {
    const refused = BREAKPOINTS.filter((name) => names.has(name));
    return refused.length === 0 ? request : withoutBreakpoints(request, refused);
  },
};

/** A request without these fields in the places for them. The names may be anything elsewhere, as in a schema. */
function withoutBreakpoints(request: JsonObject, refused: readonly string[]): JsonObject {
  const plain = (holder: JsonObject): JsonObject => withoutFields(holder, refused);
  const plainTurn = (turn: JsonObject): JsonObject =>
    ['content', 'tool_calls', 'output'].reduce((left, field) => withEach(left, field, plain), plain(turn));
  const plainTool = (tool: JsonObject): JsonObject => withObjects(plain(tool), ['function'], plain);
  const turns = ['messages', 'input'].reduce((left, field) => withEach(left, field, plainTurn), request);
  return withEach(plain(turns), 'tools', plainTool);
}
