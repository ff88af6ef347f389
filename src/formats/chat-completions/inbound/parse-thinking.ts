/** How much the model is to think: the fields in which callers of different services say it. */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asText,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import { textAt } from '../../openai/fields.ts';

interface ParsedThinking {
  readonly thinking?: Thinking;
  /** Google's `cached_content`: a stored beginning of the dialogue. */
  readonly cachedContent?: string;
  /** The parts of the fields that only their own service understands. */
  readonly formatSpecific: JsonObject;
  /** Fields of a type that the gateway does not know. */
  readonly unknownFields: JsonObject;
}

/** The fields in which a caller may say it. */
const FIELDS = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'extra_body',
] as const;

/** What is parsed of most requests. */
const SAYS_NOTHING: ParsedThinking = { formatSpecific: {}, unknownFields: {} };

/** Values of `thinking.type` that switch thinking on. */
const SWITCHED_ON: readonly (Json | undefined)[] = ['enabled', 'adaptive', 'auto'];

/**
 * Reads `reasoning_effort` (OpenAI), `reasoning` (OpenRouter), `thinking` (Anthropic, DeepSeek, Z.ai, Moonshot),
 * `enable_thinking` and `thinking_budget` (Alibaba) and `extra_body.google` (Google).
 * @throws GatewayError `invalid-request` for a `reasoning_effort` that is no string.
 */
export function parseThinking(body: JsonObject): ParsedThinking {
  if (FIELDS.every((name) => (body[name] ?? null) === null)) return SAYS_NOTHING;
  const { reasoning, thinking, enable_thinking } = body;
  const { effort: word, max_tokens, exclude, enabled, ...otherReasoning } = asObject(reasoning) ?? {};
  const { type, budget_tokens, ...otherThinking } = asObject(thinking) ?? {};
  const { config, cachedContent, remaining } = parseGoogle(body['extra_body']);
  const given =
    textAt(body['reasoning_effort'], 'reasoning_effort') ?? asText(word) ?? asText(config['thinking_level']);
  const isOff = type === 'disabled' || enabled === false || enable_thinking === false;
  const effort = given === undefined ? (isOff ? 'none' : undefined) : asEffort(given);
  const tokens = asNumber(config['thinking_budget']);
  // Gemini's budget of -1 lets the model decide.
  const isDynamic = tokens === -1;
  const budget =
    asNumber(budget_tokens) ??
    asNumber(max_tokens) ??
    asNumber(body['thinking_budget']) ??
    (isDynamic ? undefined : tokens);
  const isOn = SWITCHED_ON.includes(type) || isDynamic || enabled === true || enable_thinking === true;
  const adaptive = isOn && effort === undefined && budget === undefined;
  const hidden = asFlag(exclude);
  const visible = hidden === undefined ? asFlag(config['include_thoughts']) : !hidden;
  const parsed: Thinking = {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budget }),
    ...(adaptive && { adaptive }),
    ...(visible !== undefined && { visible }),
  };
  const reasoningFields = withoutNulls(otherReasoning);
  const thinkingFields = withoutNulls(otherThinking);
  return {
    ...(!isEmpty(parsed) && { thinking: parsed }),
    ...(cachedContent !== undefined && { cachedContent }),
    formatSpecific: {
      ...(given !== undefined && effort === undefined && { reasoning_effort: given }),
      ...(!isEmpty(reasoningFields) && { reasoning: reasoningFields }),
      ...(!isEmpty(thinkingFields) && { thinking: thinkingFields }),
    },
    unknownFields: withoutNulls({
      ...(!isObject(reasoning) && { reasoning }),
      ...(!isObject(thinking) && { thinking }),
      extra_body: remaining,
    }),
  };
}

/**
 * `extra_body.google` of Google's OpenAI-compatible endpoint: the configuration of thinking and the cached content, and
 * what remains of `extra_body` without them.
 * https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function parseGoogle(extraBody: Json | undefined): {
  config: JsonObject;
  cachedContent?: string;
  remaining: Json | undefined;
} {
  const { google, ...others } = asObject(extraBody) ?? {};
  const { thinking_config, cached_content, ...rest } = asObject(google) ?? {};
  const config = asObject(thinking_config);
  const cachedContent = asText(cached_content);
  if (config === undefined && cachedContent === undefined) return { config: {}, remaining: extraBody };
  const { thinking_level: _, thinking_budget: _b, include_thoughts: _i, ...unknown } = config ?? {};
  const googleFields = {
    ...rest,
    ...(!isEmpty(unknown) && { thinking_config: unknown }),
    ...(cachedContent === undefined && cached_content !== undefined && { cached_content }),
  };
  const remaining = { ...others, ...(!isEmpty(googleFields) && { google: googleFields }) };
  return {
    config: config ?? {},
    ...(cachedContent !== undefined && { cachedContent }),
    remaining: isEmpty(remaining) ? undefined : remaining,
  };
}
