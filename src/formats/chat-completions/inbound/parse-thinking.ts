/** How much the model is to think: the fields in which callers of different services say it. */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asText,
  compact,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
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

const FIELDS = wordList('reasoning_effort reasoning thinking enable_thinking thinking_budget extra_body');

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
  const { reasoning, thinking } = body;
  const { effort: word, max_tokens, exclude, enabled, ...otherReasoning } = asObject(reasoning) ?? {};
  const { type, budget_tokens, ...otherThinking } = asObject(thinking) ?? {};
  const { config, cachedContent, safetySettings, remaining } = parseGoogle(body['extra_body']);
  const given =
    textAt(body['reasoning_effort'], 'reasoning_effort') ?? asText(word) ?? asText(config['thinking_level']);
  const switches = [enabled, body['enable_thinking']];
  const isOff = type === 'disabled' || switches.includes(false);
  const effort = given === undefined ? (isOff ? 'none' : undefined) : asEffort(given);
  // Gemini's budget of -1 lets the model decide.
  const isDynamic = config['thinking_budget'] === -1;
  const budget =
    asNumber(budget_tokens) ??
    asNumber(max_tokens) ??
    asNumber(body['thinking_budget']) ??
    (isDynamic ? undefined : asNumber(config['thinking_budget']));
  const isOn = SWITCHED_ON.includes(type) || isDynamic || switches.includes(true);
  const parsed: Thinking = compact({
    effort,
    budget,
    adaptive: (isOn && effort === undefined && budget === undefined) || undefined,
    visible: parseVisible(exclude, config['include_thoughts']),
  });
  return compact({
    thinking: isEmpty(parsed) ? undefined : parsed,
    cachedContent,
    formatSpecific: compact({
      reasoning_effort: effort === undefined ? given : undefined,
      reasoning: findOthers(otherReasoning),
      thinking: findOthers(otherThinking),
    }),
    unknownFields: withoutNulls({
      reasoning: withoutObject(reasoning),
      thinking: withoutObject(thinking),
      extra_body: remaining,
      safety_settings: safetySettings,
    }),
  });
}

/** Whether thoughts are shown. OpenRouter's callers say whether they are not. */
function parseVisible(exclude: Json | undefined, include: Json | undefined): boolean | undefined {
  const isHidden = asFlag(exclude);
  return isHidden === undefined ? asFlag(include) : !isHidden;
}

function withoutObject(value: Json | undefined): Json | undefined {
  return isObject(value) ? undefined : value;
}

/** The fields that are not null; undefined if there are none. */
function findOthers(fields: JsonObject): JsonObject | undefined {
  const others = withoutNulls(fields);
  return isEmpty(others) ? undefined : others;
}

/**
 * `extra_body.google` of Google's OpenAI-compatible endpoints: the configuration of thinking, the cached content and,
 * at Vertex AI, the safety settings, and what remains of `extra_body` without them.
 * https://ai.google.dev/gemini-api/docs/openai#extra-body
 * https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview#gemini-specific
 */
function parseGoogle(extraBody: Json | undefined): {
  config: JsonObject;
  cachedContent?: string;
  safetySettings?: Json;
  remaining: Json | undefined;
} {
  const { google, ...others } = asObject(extraBody) ?? {};
  const { thinking_config, cached_content, safety_settings, ...rest } = asObject(google) ?? {};
  const config = asObject(thinking_config);
  const cachedContent = asText(cached_content);
  if (config === undefined && cachedContent === undefined && safety_settings === undefined)
    return { config: {}, remaining: extraBody };
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
    ...(safety_settings !== undefined && { safetySettings: safety_settings }),
    remaining: isEmpty(remaining) ? undefined : remaining,
  };
}
