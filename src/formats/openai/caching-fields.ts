/**
 * Fields about caching in a native request, for a service that does not know them. Callers of OpenRouter, Vercel and
 * LiteLLM write Anthropic's `cache_control` in OpenAI's formats, too. OpenAI's own breakpoints are refused by its earlier
 * models, and its key by Groq, Cerebras, NVIDIA and Azure's models of other vendors (zed-industries/zed#36215, #52000,
 * anomalyco/opencode#45113). Such services cache by themselves or not at all, and the answer is the same without the fields.
 * From GPT-5.6 on, a part that had Anthropic's field gets a breakpoint of OpenAI's instead.
 */

import { asText, isObject, type JsonObject, withEach, withObjects, withoutFields } from '../../lib/json.ts';
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

/** These, as optional fields. */
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
    takesOwn && isObject(part['cache_control']) && !UNMARKED.has(asText(part['type']) ?? '')
      ? { ...plain(part), ...BREAKPOINT }
      : plain(part);
  const plainTurn = (turn: JsonObject): JsonObject =>
    ['content', 'output'].reduce(
      (left, field) => withEach(left, field, plainPart),
      withEach(plain(turn), 'tool_calls', plain),
    );
  const plainTool = (tool: JsonObject): JsonObject => withObjects(plain(tool), ['function'], plain);
  const turns = ['messages', 'input'].reduce((left, field) => withEach(left, field, plainTurn), request);
  return withEach(plain(turns), 'tools', plainTool);
}
