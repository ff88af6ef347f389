/** How much to think: the several fields that services have for it. */

import type { Effort, Prompt, Thinking } from '../../../conversation/prompt.ts';
import { askedEffort, budgetFor, effortFor, isThinkingOff } from '../../../conversation/rules/effort.ts';
import { asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import type { Dialect } from '../dialect.ts';
import type { RenderContext } from './render-context.ts';

/**
 * The dialect's fields for what is asked.
 * @param own the parts of those fields that only their service understands, of a caller who speaks this format.
 */
export function renderThinking(
  thinking: Thinking | undefined,
  own: JsonObject | undefined,
  context: RenderContext,
): JsonObject {
  const { dialect, target, report } = context;
  if (dialect.lossless && own !== undefined) return asAsked(thinking ?? {}, own);
  if (thinking === undefined) return {};
  if (target.thinking === undefined && dialect.reasoningModelsKnown) {
    if (!isThinkingOff(thinking)) report('thinking', 'dropped', 'this model does not think');
    return {};
  }
  const effort = effortWord(thinking, context);
  const field = dialect.thinkingField;
  if (field === 'reasoning') {
    return { reasoning: { ...asObject(own?.['reasoning']), ...routed(thinking, effort, target) } };
  }
  const off = isThinkingOffFor(thinking, target);
  // Where only a visibility was asked for, there is nothing to switch: these services show their thoughts anyway.
  if (field === 'reasoning_effort' || !(off || asksForThoughts(thinking))) {
    return effortField(thinking, effort, report);
  }
  return field === 'thinking'
    ? switchField(thinking, off, effort, asObject(own?.['thinking']), context)
    : enableFields(thinking, off, effort, context);
}

/** `thinking: {type}`, and the word beside it where the service takes both, or instead of it. */
function switchField(
  thinking: Thinking,
  off: boolean,
  effort: Effort | undefined,
  own: JsonObject | undefined,
  { dialect, target, report }: RenderContext,
): JsonObject {
  if (off) return { thinking: { ...own, type: 'disabled' } };
  const takesWords = (target.thinking?.efforts.length ?? 0) > 0;
  if (!takesWords && !thinking.adaptive)
    report('thinking', 'approximated', 'thinking can only be on or off here');
  const word = takesWords && effort !== undefined && effortField(thinking, effort, report);
  if (word && !dialect.effortWithThinking) return word;
  return { thinking: { ...own, type: dialect.thinkingOnValue }, ...word };
}

/**
 * `enable_thinking`, and the budget where one was asked for or can be told from a word; or the word alone, where the model
 * knows any: Alibaba refuses a budget beside it.
 */
function enableFields(
  thinking: Thinking,
  off: boolean,
  effort: Effort | undefined,
  { target: { thinking: traits }, report }: RenderContext,
): JsonObject {
  if (off) return { enable_thinking: false };
  if (effort !== undefined && (traits?.efforts.length ?? 0) > 0) return effortField(thinking, effort, report);
  const budget = (traits && budgetFor(thinking, traits)) ?? thinking.budget;
  return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) };
}

/** Whether the model will not think: it was told not to, and does not think whatever it is told. */
export function isThinkingOffFor(thinking: Thinking | undefined, target: ModelTraits): boolean {
  return thinking !== undefined && isThinkingOff(thinking) && target.thinking?.canDisable !== false;
}

/**
 * The thinking to ask for: none where a tool must be called and the service takes that of no model that thinks. What
 * must be done comes before how.
 */
export function thinkingBesideForced(
  { thinking, toolChoice }: Prompt,
  target: ModelTraits,
  { thinkingBlocksForcedTools }: Dialect,
  report: Report,
): Thinking | undefined {
  if (toolChoice?.mode !== 'required' || !thinkingBlocksForcedTools || isThinkingOffFor(thinking, target))
    return thinking;
  if (target.thinking?.canDisable === false) return thinking;
  report('thinking', 'dropped', 'no tool call can be forced here while the model thinks');
  return { effort: 'none' };
}

/** As a caller of this format asks: a word in OpenAI's field, a budget in Anthropic's, which LiteLLM takes as well. */
function asAsked(thinking: Thinking, own: JsonObject): JsonObject {
  const { effort, budget, adaptive, visible } = thinking;
  const thought = {
    ...asObject(own['thinking']),
    ...(adaptive && { type: 'adaptive' }),
    ...(budget !== undefined && { type: 'enabled', budget_tokens: budget }),
  };
  const reasoning = { ...asObject(own['reasoning']), ...(visible !== undefined && { exclude: !visible }) };
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(!isEmpty(thought) && { thinking: thought }),
    ...(!isEmpty(reasoning) && { reasoning }),
  };
}

/** Whether it was asked to think, not only whether to show it. */
function asksForThoughts({ effort, budget, adaptive }: Thinking): boolean {
  return effort !== undefined || budget !== undefined || adaptive === true;
}

function effortField(thinking: Thinking, effort: Effort | undefined, report: Report): JsonObject {
  if (thinking.visible !== undefined) {
    report('thinking', 'approximated', 'the service decides whether to show thinking');
  }
  if (effort === undefined) {
    if (asksForThoughts(thinking) && !thinking.adaptive) {
      report('thinking', 'dropped', 'the service has no such level');
    }
    return {};
  }
  if (thinking.effort !== effort) report('thinking', 'approximated', `reasoning_effort ${effort}`);
  return { reasoning_effort: effort };
}

/** OpenRouter's `reasoning`: a budget as it is, or a word, or just on. */
function routed(thinking: Thinking, effort: Effort | undefined, target: ModelTraits): JsonObject {
  const { budget = 0, visible } = thinking;
  const takesBudgets = target.thinking === undefined || target.thinking.kinds.includes('budget');
  const isExact = thinking.effort === undefined && budget > 0 && takesBudgets;
  const word = effort === undefined ? { enabled: true } : { effort };
  return {
    ...(isExact ? { max_tokens: budget } : word),
    ...(visible !== undefined && { exclude: !visible }),
  };
}

/** The word to say: of the model's own where they are known, else one that every service with words knows. */
function effortWord(thinking: Thinking, { dialect, target }: RenderContext): Effort | undefined {
  const asked = askedEffort(thinking);
  const traits = target.thinking;
  if (traits !== undefined && traits.efforts.length > 0) return effortFor(thinking, traits);
  if (asked === 'none' && traits?.canDisable === false) return undefined;
  if (asked === undefined || dialect.allEfforts) return asked;
  if (asked === 'none') return dialect.effortNone ? asked : undefined;
  if (asked === 'minimal') return 'low';
  return asked === 'xhigh' || asked === 'max' ? 'high' : asked;
}
