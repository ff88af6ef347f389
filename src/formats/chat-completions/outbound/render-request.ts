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
import { type Dialect, dialectOf } from '../dialects.ts';
import { markFields } from '../wire/cache-breakpoints.ts';
import type { Writing } from '../wire/encoded-text.ts';
import { arrangeTurns } from './arrange-turns.ts';
import { isOff, renderThinking, thinkingBesideForced } from './render-thinking.ts';
import { renderToolFields } from './render-tools.ts';
import { renderTurns } from './render-turns.ts';
import { planOutput } from './response-format.ts';
import { renderSampling } from './sampling.ts';
import { nameFor } from './tool-names.ts';

/**
 * What the service has no way to say is left out and reported; fields nobody knows are passed on, for the service to
 * judge. In the dialect `''` whatever a caller of this format wrote comes out as it was.
 *
 * @throws GatewayError `invalid-request` for media the service does not take, and where no tool is allowed.
 */
export function renderRequest(given: Prompt, target: ModelTraits, report: Report): JsonObject {
  refuseCachedContent(given);
  const dialect = dialectOf(target.dialect);
  const prompt = dialect.toolChoices
    ? given
    : downgradeToolChoice(given, (name) => nameFor(name, dialect), report);
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
  const writing: Writing = { dialect, target, report, exact, thinks: !isOff(asked, target) };
  const output = planOutput(prompt, writing);
  const turns = arrangeTurns(prompt.turns, output.instruction, writing);
  const tools = renderToolFields(prompt, writing);
  const messages = renderTurns(turns, writing);
  return {
    ...(dialect.splitsThoughts && { reasoning_split: true }),
    ...prompt.unknownFields,
    ...own,
    model: target.model,
    messages,
    ...tools,
    ...output.fields,
    ...keepingThoughts(renderThinking(asked, thoughts, writing), messages, writing),
    ...maxTokens(prompt, writing),
    ...renderSampling(prompt, writing),
    ...(prompt.seed !== undefined && { [dialect.seed]: prompt.seed }),
    ...(prompt.choices !== undefined && { n: prompt.choices }),
    ...user(prompt, own, writing),
    ...(dialect.cacheKey && cacheKeyOf(prompt)),
    ...account(prompt, writing),
    ...markFields(prompt, writing),
    ...(dialect.asksCallStream && prompt.stream && tools['tools'] !== undefined && { tool_stream: true }),
    ...stream(prompt, asObject(stream_options), dialect),
  };
}

/** Those of OpenAI's other format that a service has which has not its newest. */
const KEY: ReadonlySet<string> = new Set(['prompt_cache_key']);

/** The fields of OpenAI's other format that this one has as well, and what is left of the others. */
function sharedFields(
  own: FormatSpecific | undefined,
  { newFields, cacheKey }: Dialect,
  target: ModelTraits,
): { shared: JsonObject; left?: FormatSpecific } {
  if (own?.format !== 'responses' || !(newFields || cacheKey || sessionHeaderOf(target.dialect)))
    return { shared: {}, ...(own && { left: own }) };
  const [given, left] = splitFields(own.fields, newFields ? SHARED_FIELDS : KEY);
  if (!newFields) return { shared: cacheKey ? given : {}, left: { ...own, fields: left } };
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
  { dialect, target, thinks }: Writing,
): JsonObject {
  if (!dialect.clearsThoughts || !thinks || target.thinking === undefined) return fields;
  if (!messages.some((message) => 'reasoning_content' in message)) return fields;
  return {
    ...fields,
    thinking: { type: 'enabled', clear_thinking: false, ...asObject(fields['thinking']) },
  };
}

/** More than the model can write is a 400 in some places, and no different from its most in all others. */
function maxTokens({ maxTokens: asked }: Prompt, { dialect, target, report }: Writing): JsonObject {
  if (asked === undefined) return {};
  const most = target.maxOutputTokens;
  if (asked > most) report('maxTokens', 'approximated', `the model's most: ${most}`);
  return { [dialect.maxTokens]: Math.min(asked, most) };
}

/** Names of users are for telling abuse apart: a long one is cut where the service refuses it. */
function user(prompt: Prompt, own: JsonObject, { dialect, report }: Writing): JsonObject {
  if (prompt.user === undefined || own['safety_identifier'] === prompt.user) return {};
  if (dialect.user === 0) {
    report('user', 'dropped', 'the service has no such field');
    return {};
  }
  if (prompt.user.length > dialect.user) {
    report('user', 'approximated', `its first ${dialect.user} characters`);
  }
  return { user: prompt.user.slice(0, dialect.user) };
}

function account({ metadata, serviceTier }: Prompt, { dialect, report }: Writing): JsonObject {
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
