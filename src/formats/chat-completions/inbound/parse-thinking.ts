/** How much to think: the several fields that callers say it in. */

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

/** What is asked, and what of the fields nobody but their service understands. */
interface AskedThinking {
  readonly thinking?: Thinking;
  readonly cachedContent?: string;
  readonly own: JsonObject;
  readonly extra: JsonObject;
}

/** Values of `thinking.type` that ask for thoughts. */
const SWITCHED_ON: readonly (Json | undefined)[] = ['enabled', 'adaptive', 'auto'];

/** @param body of which the fields that ask for thinking are read. */
export function parseThinking(body: JsonObject): AskedThinking {
  const { reasoning, thinking, enable_thinking } = body;
  const { effort: word, max_tokens, exclude, enabled, ...reasoningRest } = asObject(reasoning) ?? {};
  const { type, budget_tokens, ...thinkingRest } = asObject(thinking) ?? {};
  const { config, cachedContent, left } = ofGoogle(body['extra_body']);
  const given =
    textAt(body['reasoning_effort'], 'reasoning_effort') ?? asText(word) ?? asText(config['thinking_level']);
  const off = type === 'disabled' || enabled === false || enable_thinking === false;
  const unsaid = off ? 'none' : undefined;
  const effort = given === undefined ? unsaid : asEffort(given);
  const tokens = asNumber(config['thinking_budget']);
  const isDynamic = tokens === -1;
  const budget =
    asNumber(budget_tokens) ??
    asNumber(max_tokens) ??
    asNumber(body['thinking_budget']) ??
    (isDynamic ? undefined : tokens);
  const on = SWITCHED_ON.includes(type) || isDynamic || enabled === true || enable_thinking === true;
  const adaptive = on && effort === undefined && budget === undefined;
  const hidden = asFlag(exclude);
  const visible = hidden === undefined ? asFlag(config['include_thoughts']) : !hidden;
  const asked: Thinking = {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budget }),
    ...(adaptive && { adaptive }),
    ...(visible !== undefined && { visible }),
  };
  const ownReasoning = withoutNulls(reasoningRest);
  const ownThinking = withoutNulls(thinkingRest);
  return {
    ...(!isEmpty(asked) && { thinking: asked }),
    ...(cachedContent !== undefined && { cachedContent }),
    own: {
      ...(given !== undefined && effort === undefined && { reasoning_effort: given }),
      ...(!isEmpty(ownReasoning) && { reasoning: ownReasoning }),
      ...(!isEmpty(ownThinking) && { thinking: ownThinking }),
    },
    extra: withoutNulls({
      ...(!isObject(reasoning) && { reasoning }),
      ...(!isObject(thinking) && { thinking }),
      extra_body: left,
    }),
  };
}

/**
 * What Google's own OpenAI-compatible endpoint is asked in `extra_body`: thinking, and the cached content that the dialogue
 * begins with; and what else stands there.
 * https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function ofGoogle(extraBody: Json | undefined): {
  config: JsonObject;
  cachedContent?: string;
  left: Json | undefined;
} {
  const { google, ...others } = asObject(extraBody) ?? {};
  const { thinking_config, cached_content, ...rest } = asObject(google) ?? {};
  const config = asObject(thinking_config);
  const cachedContent = asText(cached_content);
  if (config === undefined && cachedContent === undefined) return { config: {}, left: extraBody };
  const { thinking_level: _, thinking_budget: _b, include_thoughts: _i, ...unknown } = config ?? {};
  const googles = {
    ...rest,
    ...(!isEmpty(unknown) && { thinking_config: unknown }),
    ...(cachedContent === undefined && cached_content !== undefined && { cached_content }),
  };
  const left = { ...others, ...(!isEmpty(googles) && { google: googles }) };
  return {
    config: config ?? {},
    ...(cachedContent !== undefined && { cachedContent }),
    left: isEmpty(left) ? undefined : left,
  };
}
