/** A prompt as the body of `POST /v1/responses` (API reference, Create a model response). */

import { formatFields, roundTripOf } from '../../../conversation/format-specific.ts';
import type { Prompt, TextPart, Tool, Turn } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asList, asText, compact, type JsonObject, splitFields, withoutNulls } from '../../../lib/json.ts';
import { refuseCachedContent } from '../../foreign-file.ts';
import { CUT_HERE, type ModelTraits, type Report, reportDropped } from '../../format.ts';
import { cacheKeyOf } from '../../openai/cache-key.ts';
import { SHARED_FIELDS } from '../../openai/fields.ts';
import { reportForeign } from '../../own-fields.ts';
import { asMetaTakes, META } from './meta-tools.ts';
import { type Scope, scopeOf } from './render-context.ts';
import { renderItems } from './render-items.ts';
import { planOutput, renderReasoning } from './render-settings.ts';
import { renderTools } from './render-tools.ts';

/** Own fields that are part of something else in the body. */
const PLACED: ReadonlySet<string> = new Set(['include', 'reasoning', 'text', 'tool_choice']);

/** OpenAI takes no smaller `max_output_tokens`, and no longer `user`. */
const LEAST_TOKENS = 16;
const LONGEST_USER = 64;

/**
 * Nothing is ever stored: reasoning goes to the caller and comes back sealed instead. What OpenAI has no way to say is
 * left out and reported; what a caller of this format wrote comes out as it was.
 * @throws GatewayError `invalid-request` for several choices, and for media that cannot be sent.
 */
export function renderRequest(given: Prompt, target: ModelTraits, report: Report): JsonObject {
  const prompt = target.dialect === META ? asMetaTakes(given, report) : given;
  if (prompt.choices !== undefined && prompt.choices > 1) {
    throw invalid('This model gives one answer at a time: no more can be asked for.', 'choices');
  }
  refuseCachedContent(prompt);
  const scope = scopeOf(target, report);
  const { fields, verbosity } = openAIs(prompt, report);
  const { instructions, turns } = hoist(prompt.turns, scope);
  const output = planOutput({ ...prompt, turns }, verbosity, scope);
  const told = output.instruction && { type: 'message', role: 'developer', content: output.instruction };
  const include = includes(prompt, scope);
  reportLost(prompt, report);
  return {
    ...prompt.unknownFields,
    ...fields,
    model: target.model,
    ...(instructions !== undefined && { instructions }),
    input: [...(told ? [told] : []), ...renderItems(turns, scope)],
    ...renderTools(prompt, scope),
    ...output.fields,
    ...renderReasoning(prompt, scope),
    ...(prompt.maxTokens !== undefined && { max_output_tokens: withinLimits(prompt.maxTokens, scope) }),
    ...sampling(prompt, scope),
    ...(prompt.metadata && { metadata: prompt.metadata }),
    ...userOf(prompt, scope),
    ...searchesOf(prompt, scope),
    ...(scope.cachesMessages && cacheKeyOf(prompt)),
    ...tierOf(prompt, scope),
    ...(include.length > 0 && { include }),
    store: false,
    ...(prompt.stream && { stream: true }),
  };
}

/** Own fields of this format, and those of chat-completions that mean the same here. */
function openAIs(
  prompt: Prompt,
  report: Report,
): { readonly fields: JsonObject; readonly verbosity?: string } {
  const { formatSpecific: own } = prompt;
  if (own?.format !== 'chat-completions') {
    reportForeign(own, 'responses', 'own', report);
    const [, fields] = splitFields(formatFields(own, 'responses'), PLACED);
    return { fields };
  }
  const { verbosity, ...rest } = own.fields;
  const word = asText(verbosity);
  const [shared, others] = splitFields(rest, SHARED_FIELDS);
  reportForeign({ ...own, fields: others }, 'responses', 'own', report);
  return { fields: withoutNulls(shared), ...(word !== undefined && { verbosity: word }) };
}

/**
 * What the system says before anybody else, where it is text alone, is the instructions, or the developer's messages
 * where those are cached; a caller of this format says which they are. With nobody else saying anything there has to be
 * an input.
 */
function hoist(
  turns: readonly Turn[],
  { cachesMessages }: Scope,
): { readonly instructions?: string; readonly turns: readonly Turn[] } {
  const [first] = turns;
  if (first && roundTripOf(first.formatSpecific, 'responses')['instructions'] === true) {
    return { instructions: textOf([first]), turns: turns.slice(1) };
  }
  const rest = turns.findIndex((turn) => !isInstruction(turn));
  if (rest <= 0) return { turns };
  if (cachesMessages) {
    return { turns: turns.map((turn, at) => (at < rest ? { ...turn, developer: true } : turn)) };
  }
  return { instructions: textOf(turns.slice(0, rest)), turns: turns.slice(rest) };
}

function isInstruction({ role, formatSpecific: own, parts, unknownFields: extra }: Turn): boolean {
  return role === 'system' && own?.format !== 'responses' && !extra && parts.every(isText);
}

function isText(part: Turn['parts'][number]): part is TextPart {
  return part.kind === 'text' && part.formatSpecific?.format !== 'responses';
}

function textOf(turns: readonly Turn[]): string {
  return turns
    .flatMap((turn) => turn.parts.map((part) => (part.kind === 'text' ? part.text : '')))
    .join('\n\n');
}

/** Refused for a model of OpenAI's that does not think: "Encrypted content is not supported with this model." */
const ENCRYPTED = 'reasoning.encrypted_content';

function includes(
  { formatSpecific: own, logprobs }: Prompt,
  { target, takesSampling, takesThoughts }: Scope,
): readonly string[] {
  const asked = asList(formatFields(own, 'responses')['include']).filter((word) => typeof word === 'string');
  const wanted = [
    ...asked.filter((word) => word !== ENCRYPTED || takesThoughts),
    ...(target.thinking ? [ENCRYPTED] : []),
    ...(logprobs && takesSampling ? ['message.output_text.logprobs'] : []),
  ];
  return [...new Set(wanted)];
}

/** What OpenAI's reasoning models refuse. */
const SAMPLING = ['temperature', 'topP', 'logprobs', 'topLogprobs'] as const;

function sampling(prompt: Prompt, scope: Scope): JsonObject {
  const { temperature, topP, topLogprobs } = prompt;
  if (!scope.takesSampling) {
    reportDropped(prompt, SAMPLING, 'this model does not accept it', scope.report);
    return {};
  }
  return compact({ temperature, top_p: topP, top_logprobs: topLogprobs });
}

function withinLimits(maxTokens: number, { keepsAll, target, report }: Scope): number {
  if (keepsAll) return maxTokens;
  const { maxOutputTokens } = target;
  const [limit, detail] =
    maxTokens > maxOutputTokens
      ? [maxOutputTokens, `the model's most: ${maxOutputTokens}`]
      : [Math.max(maxTokens, LEAST_TOKENS), `${LEAST_TOKENS}, the least OpenAI takes`];
  if (limit !== maxTokens) report('maxTokens', 'approximated', detail);
  return limit;
}

/** A caller who gave `safety_identifier` alone named the user by it. */
function userOf(prompt: Prompt, scope: Scope): JsonObject {
  const { user, formatSpecific: own } = prompt;
  if (user === undefined || own?.fields['safety_identifier'] === user) return {};
  if (scope.keepsAll || user.length <= LONGEST_USER) return { user };
  scope.report('user', 'approximated', `its first ${LONGEST_USER} characters`);
  return { user: user.slice(0, LONGEST_USER) };
}

/** The searches that a caller of another format allows: all calls of OpenAI's own tools, of which it has asked for no other. */
function searchesOf(
  { maxSearches, tools, formatSpecific: own }: Prompt,
  { isXai, target, report }: Scope,
): JsonObject {
  if (maxSearches === undefined || own?.format === 'responses' || !tools?.some(isSearch)) return {};
  if (!isXai && target.dialect !== META) return { max_tool_calls: maxSearches };
  report('maxSearches', 'dropped', 'the service has no such limit');
  return {};
}

function isSearch(tool: Tool): boolean {
  return tool.kind === 'hosted' && tool.webSearch === true;
}

/** How it is to be served: `default` for Anthropic's and Google's words for the usual way. */
function tierOf({ serviceTier }: Prompt, { isXai, report }: Scope): JsonObject {
  if (serviceTier === undefined) return {};
  if (isXai) {
    report('serviceTier', 'dropped', 'the service has no such tiers');
    return {};
  }
  const isUsual = serviceTier === 'standard_only' || serviceTier === 'standard';
  return { service_tier: isUsual ? 'default' : serviceTier };
}

/** Wishes that this format has no field for. */
const LOST = ['topK', 'seed', 'frequencyPenalty', 'presencePenalty', 'cacheBreakpoint'] as const;

function reportLost(prompt: Prompt, report: Report): void {
  reportDropped(prompt, LOST, 'has no counterpart in responses', report);
  if (prompt.stop?.some((sequence) => sequence !== '')) report('stop', 'approximated', CUT_HERE);
  if (prompt.turns.some((turn) => turn.parts.some(isForeignMark)) || prompt.tools?.some(isForeignMark)) {
    report('turns[].mark', 'dropped', 'OpenAI caches by itself');
  }
}

/** OpenAI's own marks are kept with the fields of their part. */
function isForeignMark(marked: Turn['parts'][number] | Tool): boolean {
  if (marked.kind === 'hosted' || marked.kind === 'custom' || marked.cacheBreakpoint === undefined)
    return false;
  return (
    marked.formatSpecific?.format !== 'responses' && marked.formatSpecific?.format !== 'chat-completions'
  );
}
