/** Sampling, limits, the user and the service tier of a request. Each function returns fields to be spread. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { reportDropped } from '../../format.ts';
import type { RenderContext } from './render-context.ts';

/** OpenAI takes no smaller `max_output_tokens`, and no longer `user`. */
const MIN_TOKENS = 16;
const MAX_USER = 64;

/** What OpenAI's reasoning models refuse. */
const SAMPLING = ['temperature', 'topP', 'logprobs', 'topLogprobs'] as const;

/** Renders `temperature`, `top_p` and `top_logprobs`, if the model takes them. */
export function renderSampling(prompt: Prompt, { takesSampling, report }: RenderContext): JsonObject {
  const { temperature, topP, topLogprobs } = prompt;
  if (!takesSampling) {
    reportDropped(prompt, SAMPLING, 'this model does not accept it', report);
    return {};
  }
  return compact({ temperature, top_p: topP, top_logprobs: topLogprobs });
}

/** Renders `max_output_tokens`, within what the model and OpenAI take. A limit of no tokens is for OpenAI to refuse. */
export function renderMaxTokens({ maxTokens }: Prompt, context: RenderContext): JsonObject {
  if (maxTokens === undefined) return {};
  if (context.keepsAll) return { max_output_tokens: maxTokens };
  const { maxOutputTokens } = context.target;
  const [limit, detail] =
    maxTokens > maxOutputTokens
      ? [maxOutputTokens, `${maxOutputTokens}, the maximum of this model`]
      : [maxTokens < 1 ? maxTokens : Math.max(maxTokens, MIN_TOKENS), `${MIN_TOKENS}, the minimum at OpenAI`];
  if (limit !== maxTokens) context.report('maxTokens', 'approximated', detail);
  return { max_output_tokens: limit };
}

/** Renders `user`, cut to OpenAI's maximum. A caller who sent only `safety_identifier` named the user by it. */
export function renderUser(
  { user, formatSpecific }: Prompt,
  { keepsAll, report }: RenderContext,
): JsonObject {
  if (user === undefined || formatSpecific?.fields['safety_identifier'] === user) return {};
  if (keepsAll || user.length <= MAX_USER) return { user };
  report('user', 'approximated', `its first ${MAX_USER} characters`);
  return { user: user.slice(0, MAX_USER) };
}

/**
 * Renders the number of searches that a caller of another format allows. Here it limits all calls of OpenAI's own tools;
 * such a caller cannot have asked for others.
 */
export function renderMaxSearches(
  { maxSearches, tools, formatSpecific }: Prompt,
  { dialect, report }: RenderContext,
): JsonObject {
  const isNative = formatSpecific?.format === 'responses';
  if (maxSearches === undefined || isNative || !tools?.some(isSearch)) return {};
  if (dialect.maxToolCalls) return { max_tool_calls: maxSearches };
  report('maxSearches', 'dropped', 'the service has no such limit');
  return {};
}

/** Renders `service_tier`. Anthropic's and Google's words for the usual tier become `default`. */
export function renderTier({ serviceTier }: Prompt, { dialect, report }: RenderContext): JsonObject {
  if (serviceTier === undefined) return {};
  if (!dialect.serviceTier) {
    report('serviceTier', 'dropped', 'the service has no tiers');
    return {};
  }
  const isUsual = serviceTier === 'standard_only' || serviceTier === 'standard';
  return { service_tier: isUsual ? 'default' : serviceTier };
}
