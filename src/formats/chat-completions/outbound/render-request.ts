/** A prompt as the body of `POST /v1/chat/completions`, in the dialect of the service that it goes to. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { asObject, isEmpty, type JsonObject, otherFields } from '../../../lib/json.ts';
import { downgradeToolChoice, dropLostChoice } from '../../forced-choice.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { renderCacheKey, withoutRefusedKey } from '../../openai/cache-key.ts';
import { takesSampling } from '../../openai/default-effort.ts';
import { wrapAnswer } from '../../openai/wrap-answer.ts';
import { ownFields, withoutSaid } from '../../own-fields.ts';
import { resolveReferences } from '../../prompt-schemas.ts';
import { refuseUnanswerable } from '../../refuse-unanswerable.ts';
import type { Dialect } from '../dialect.ts';
import { dialectFor } from '../restricted-dialect.ts';
import { arrangeTurns } from './arrange-turns.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { planOutput } from './render-output.ts';
import { renderSampling } from './render-sampling.ts';
import { isThinkingOffFor, renderThinking, thinkingWithForcedTool } from './render-thinking.ts';
import { renderToolFields } from './render-tools.ts';
import { renderTurns } from './render-turns.ts';
import { splitSharedFields } from './shared-fields.ts';
import { toolNameFor } from './tool-names.ts';

/** Format-specific fields that are rendered as part of something else, or not at all. */
const PLACED: ReadonlySet<string> = new Set(['reasoning', 'thinking', 'stream_options']);

/**
 * The body. What the service has no words for is left out and reported; unknown fields pass on, for the service to judge.
 * In the dialect `''`, everything that a caller of this format wrote comes out as it was.
 * @throws GatewayError `invalid-request` for media that the service does not take, and if no tool is allowed.
 */
export function renderRequest(original: Prompt, target: ModelTraits, report: Report): JsonObject {
  const given = withoutRefusedKey(original, target);
  refuseUnanswerable(given, 'chat-completions');
  const dialect = dialectFor(target);
  const exact = given.formatSpecific?.format === 'chat-completions';
  const direct = exact ? given : resolveReferences(given, 'chat-completions', report);
  const resolved = wrapAnswer(direct, target, 'chat-completions', report);
  const choosing = dropLostChoice(resolved, 'chat-completions', dialect.webSearch, report);
  const prompt = dialect.toolChoice
    ? choosing
    : downgradeToolChoice(choosing, (name) => toolNameFor(name, dialect), report);
  const { shared, remaining } = splitSharedFields(prompt.formatSpecific, dialect, target);
  const unsaid = exact ? remaining : withoutSaid(remaining, { safety_identifier: prompt.user });
  const own = ownFields(unsaid, 'chat-completions', 'own', report);
  const { reasoning, thinking, stream_options } = own;
  const formatFields = { ...otherFields(own, PLACED), ...shared };
  const callerFields = exact ? { reasoning, thinking } : undefined;
  const wanted = exact ? prompt.thinking : thinkingWithForcedTool(prompt, target, dialect, report);
  const context: RenderContext = {
    dialect,
    target,
    report,
    exact,
    thinks: !isThinkingOffFor(wanted, target),
    takesSampling: takesSampling(target, wanted),
  };
  const output = planOutput(prompt, context);
  const turns = arrangeTurns(prompt.turns, output.instruction, context);
  const tools = renderToolFields(prompt, context);
  const messages = renderTurns(turns, context);
  return {
    ...(dialect.needsReasoningSplit && { reasoning_split: true }),
    ...prompt.unknownFields,
    ...formatFields,
    model: target.model,
    messages,
    ...tools,
    ...output.fields,
    ...keepReasoning(renderThinking(wanted, callerFields, context), messages, context),
    ...renderMaxTokens(prompt, context),
    ...renderSampling(prompt, context),
    ...(prompt.seed !== undefined && { [dialect.seedField]: prompt.seed }),
    ...(prompt.choices !== undefined && { n: prompt.choices }),
    ...renderUser(prompt, formatFields, context),
    ...(dialect.cacheKey && renderCacheKey(prompt)),
    ...renderAccountFields(prompt, context),
    ...renderBreakpoint(prompt, context, 'cacheBreakpoint'),
    ...(dialect.needsToolStream && prompt.stream && tools['tools'] !== undefined && { tool_stream: true }),
    ...renderStream(prompt, asObject(stream_options), dialect),
  };
}

/** The fields of thinking. If reasoning of earlier turns goes back, they tell the service to read it. */
function keepReasoning(
  fields: JsonObject,
  messages: readonly JsonObject[],
  { dialect, target, thinks }: RenderContext,
): JsonObject {
  if (!dialect.clearsReasoning || !thinks || target.thinking === undefined) return fields;
  if (!messages.some((message) => 'reasoning_content' in message)) return fields;
  return {
    ...fields,
    thinking: { type: 'enabled', clear_thinking: false, ...asObject(fields['thinking']) },
  };
}

/**
 * The limit of tokens, at most the model's own. Some services answer 400 to a higher one; for the others it makes no
 * difference.
 */
function renderMaxTokens(
  { maxTokens: asked }: Prompt,
  { dialect, target, report }: RenderContext,
): JsonObject {
  if (asked === undefined) return {};
  const max = target.maxOutputTokens;
  if (asked > max) report('maxTokens', 'approximated', `the model's maximum: ${max}`);
  return { [dialect.maxTokensField]: Math.min(asked, max) };
}

/** The user, by which vendors detect abuse. It is cut to the length that the service takes. */
function renderUser(
  prompt: Prompt,
  formatFields: JsonObject,
  { dialect, report }: RenderContext,
): JsonObject {
  if (prompt.user === undefined || formatFields['safety_identifier'] === prompt.user) return {};
  if (dialect.maxUserLength === 0) {
    const isKey = dialect.cacheKey && prompt.cacheKey === undefined && !isEmpty(renderCacheKey(prompt));
    if (isKey) report('user', 'approximated', 'only a key of the cache is made of it');
    else report('user', 'dropped', 'the service has no such field');
    return {};
  }
  if (prompt.user.length > dialect.maxUserLength) {
    report('user', 'approximated', `its first ${dialect.maxUserLength} characters`);
  }
  return { user: prompt.user.slice(0, dialect.maxUserLength) };
}

function renderAccountFields(
  { metadata, serviceTier }: Prompt,
  { dialect, report }: RenderContext,
): JsonObject {
  if (metadata !== undefined && !dialect.metadata) report('metadata', 'dropped', 'the service stores none');
  if (serviceTier !== undefined && !dialect.serviceTier) {
    report('serviceTier', 'dropped', 'the service has no such tiers');
  }
  return {
    ...(metadata !== undefined && dialect.metadata && { metadata }),
    ...(serviceTier !== undefined && dialect.serviceTier && { service_tier: serviceTier }),
  };
}

/** The fields of streaming. A stream always asks for usage, because the gateway records it even if the caller did not ask. */
function renderStream(prompt: Prompt, options: JsonObject | undefined, dialect: Dialect): JsonObject {
  if (!prompt.stream) return options ? { stream_options: options } : {};
  if (!dialect.streamOptions) return { stream: true };
  return { stream: true, stream_options: { ...options, include_usage: true } };
}
