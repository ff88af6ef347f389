/** A prompt as the body of `POST /v1/chat/completions`, in the dialect of the service it goes to. */

import type { FormatSpecific, Prompt } from '../../../conversation/prompt.ts';
import { asObject, compact, isEmpty, type JsonObject, splitFields } from '../../../lib/json.ts';
import { downgradeToolChoice } from '../../downgrade-tool-choice.ts';
import { refuseCachedContent } from '../../foreign-file.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { cacheKeyOf } from '../../openai/cache-key.ts';
import { SHARED_FIELDS } from '../../openai/fields.ts';
import { ownFields } from '../../own-fields.ts';
import { sessionHeaderOf } from '../../session-header.ts';
import type { Dialect } from '../dialect.ts';
import { dialectOf } from '../dialects.ts';
import { arrangeTurns } from './arrange-turns.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { planOutput } from './render-output.ts';
import { renderSampling } from './render-sampling.ts';
import { isThinkingOffFor, renderThinking, thinkingBesideForced } from './render-thinking.ts';
import { renderToolFields } from './render-tools.ts';
import { renderTurns } from './render-turns.ts';
import { toolNameFor } from './tool-names.ts';

/**
 * What the service has no way to say is left out and reported; fields nobody knows are passed on, for the service to
 * judge. In the dialect `''` whatever a caller of this format wrote comes out as it was.
 *
 * @throws GatewayError `invalid-request` for media the service does not take, and where no tool is allowed.
 */
export function renderRequest(given: Prompt, target: ModelTraits, report: Report): JsonObject {
  refuseCachedContent(given);
  const dialect = dialectOf(target.dialect);
  const prompt = dialect.toolChoice
    ? given
    : downgradeToolChoice(given, (name) => toolNameFor(name, dialect), report);
  const exact = prompt.formatSpecific?.format === 'chat-completions';
  const { shared, left } = sharedFields(prompt.formatSpecific, dialect, target);
  const {
    reasoning,
    thinking,
    stream_options,
    cache_control: _,
    ...rest
  } = ownFields(left, 'chat-completions', 'own', report);
  const own = { ...rest, ...shared };
  const thoughts = exact ? { reasoning, thinking } : undefined;
  const asked = exact ? prompt.thinking : thinkingBesideForced(prompt, target, dialect, report);
  const context: RenderContext = { dialect, target, report, exact, thinks: !isThinkingOffFor(asked, target) };
  const output = planOutput(prompt, context);
  const turns = arrangeTurns(prompt.turns, output.instruction, context);
  const tools = renderToolFields(prompt, context);
  const messages = renderTurns(turns, context);
  return {
    ...(dialect.needsReasoningSplit && { reasoning_split: true }),
    ...prompt.unknownFields,
    ...own,
    model: target.model,
    messages,
    ...tools,
    ...output.fields,
    ...keepingThoughts(renderThinking(asked, thoughts, context), messages, context),
    ...maxTokens(prompt, context),
    ...renderSampling(prompt, context),
    ...(prompt.seed !== undefined && { [dialect.seedField]: prompt.seed }),
    ...(prompt.choices !== undefined && { n: prompt.choices }),
    ...user(prompt, own, context),
    ...(dialect.cacheKey && cacheKeyOf(prompt)),
    ...account(prompt, context),
    ...renderBreakpoint(prompt, context),
    ...(dialect.needsToolStream && prompt.stream && tools['tools'] !== undefined && { tool_stream: true }),
    ...stream(prompt, asObject(stream_options), dialect),
  };
}

/** Those of OpenAI's other format that a service has which has not its newest. */
const KEY: ReadonlySet<string> = new Set(['prompt_cache_key']);

/** The fields of OpenAI's other format that this one has as well, and what is left of the others. */
function sharedFields(
  own: FormatSpecific | undefined,
  { openaiFields, cacheKey }: Dialect,
  target: ModelTraits,
): { shared: JsonObject; left?: FormatSpecific } {
  if (own?.format !== 'responses' || !(openaiFields || cacheKey || sessionHeaderOf(target.dialect)))
    return { shared: {}, ...(own && { left: own }) };
  const [given, left] = splitFields(own.fields, openaiFields ? SHARED_FIELDS : KEY);
  if (!openaiFields) return { shared: cacheKey ? given : {}, left: { ...own, fields: left } };
  const { prompt_cache_options: caching, ...shared } = given;
  const options = cacheOptions(asObject(caching));
  const { text: settings, ...others } = left;
  const { verbosity, ...text } = asObject(settings) ?? {};
  return {
    shared: {
      ...shared,
      ...(!isEmpty(options) && { prompt_cache_options: options }),
      ...(verbosity !== undefined && { verbosity }),
    },
    left: { format: own.format, fields: { ...others, ...(!isEmpty(text) && { text }) } },
  };
}

/** What this format's type has of them: no longer time than half an hour, no response to be compared with. */
function cacheOptions({ mode, ttl }: JsonObject = {}): JsonObject {
  return compact({ mode, ttl: ttl === '30m' ? ttl : undefined });
}

/** The fields for thinking, with a word that the thoughts of earlier turns are to be read, where some go back. */
function keepingThoughts(
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

/** More than the model can write is a 400 in some places, and no different from its most in all others. */
function maxTokens({ maxTokens: asked }: Prompt, { dialect, target, report }: RenderContext): JsonObject {
  if (asked === undefined) return {};
  const most = target.maxOutputTokens;
  if (asked > most) report('maxTokens', 'approximated', `the model's most: ${most}`);
  return { [dialect.maxTokensField]: Math.min(asked, most) };
}

/** Names of users are for telling abuse apart: a long one is cut where the service refuses it. */
function user(prompt: Prompt, own: JsonObject, { dialect, report }: RenderContext): JsonObject {
  if (prompt.user === undefined || own['safety_identifier'] === prompt.user) return {};
  if (dialect.maxUserLength === 0) {
    report('user', 'dropped', 'the service has no such field');
    return {};
  }
  if (prompt.user.length > dialect.maxUserLength) {
    report('user', 'approximated', `its first ${dialect.maxUserLength} characters`);
  }
  return { user: prompt.user.slice(0, dialect.maxUserLength) };
}

function account({ metadata, serviceTier }: Prompt, { dialect, report }: RenderContext): JsonObject {
  if (metadata !== undefined && !dialect.metadata) report('metadata', 'dropped', 'the service stores none');
  if (serviceTier !== undefined && !dialect.serviceTier) {
    report('serviceTier', 'dropped', 'the service has no such tiers');
  }
  return {
    ...(metadata !== undefined && dialect.metadata && { metadata }),
    ...(serviceTier !== undefined && dialect.serviceTier && { service_tier: serviceTier }),
  };
}

/** Usage is always asked for: the gateway counts it, whether or not the caller wants to see it. */
function stream(prompt: Prompt, options: JsonObject | undefined, dialect: Dialect): JsonObject {
  if (!prompt.stream) return options ? { stream_options: options } : {};
  if (!dialect.streamOptions) return { stream: true };
  return { stream: true, stream_options: { ...options, include_usage: true } };
}
