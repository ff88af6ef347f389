/** How much the model is to think: the fields that services have for it. */

import type { Effort, Prompt, Thinking } from '../../../conversation/prompt.ts';
import { askedEffort, budgetFor, isThinkingOff } from '../../../conversation/rules/effort.ts';
import { asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { statedEffort } from '../../openai/default-effort.ts';
import type { Dialect } from '../dialect.ts';
import type { RenderContext } from './render-context.ts';

/**
 * The dialect's fields for the thinking that was asked for.
 * @param callerFields the parts of `reasoning` and `thinking` that only their own service understands; undefined unless
 *   the caller speaks this format.
 */
export function renderThinking(
  thinking: Thinking | undefined,
  callerFields: JsonObject | undefined,
  context: RenderContext,
): JsonObject {
  const { dialect, target, report } = context;
  if (dialect.lossless && callerFields !== undefined) return asWritten(thinking ?? {}, callerFields);
  if (thinking === undefined) return {};
  if (target.thinking === undefined && dialect.reasoningModelsKnown) {
    if (!isThinkingOff(thinking)) report('thinking', 'dropped', 'this model does not think');
    return {};
  }
  const effort = chooseEffort(thinking, context);
  const field = dialect.thinkingField;
  if (field === 'reasoning') {
    return {
      reasoning: { ...asObject(callerFields?.['reasoning']), ...renderReasoning(thinking, effort, target) },
    };
  }
  const off = isThinkingOffFor(thinking, target);
  // If only visibility was asked for, nothing is switched: these services always show their reasoning.
  if (field === 'reasoning_effort' || !(off || asksForThoughts(thinking))) {
    return renderEffort(thinking, effort, report);
  }
  return field === 'thinking'
    ? renderSwitch(thinking, off, effort, asObject(callerFields?.['thinking']), context)
    : renderEnableThinking(thinking, off, effort, context);
}

/** `thinking: {type}`, with the effort beside it if the service takes both. Otherwise the effort stands alone. */
function renderSwitch(
  thinking: Thinking,
  off: boolean,
  effort: Effort | undefined,
  callerFields: JsonObject | undefined,
  { dialect, target, report }: RenderContext,
): JsonObject {
  if (off) return { thinking: { ...callerFields, type: 'disabled' } };
  const takesWords = (target.thinking?.efforts.length ?? 0) > 0;
  if (!takesWords && !thinking.adaptive)
    report('thinking', 'approximated', 'thinking can only be on or off here');
  const word = takesWords && effort !== undefined && renderEffort(thinking, effort, report);
  if (word && !dialect.effortWithThinking) return word;
  return { thinking: { ...callerFields, type: dialect.thinkingOnValue }, ...word };
}

/**
 * `enable_thinking`, with a budget if one was asked for or follows from the effort. A model that knows words for the effort
 * gets the word alone, because Alibaba refuses a budget beside it.
 */
function renderEnableThinking(
  thinking: Thinking,
  off: boolean,
  effort: Effort | undefined,
  { target: { thinking: traits }, report }: RenderContext,
): JsonObject {
  if (off) return { enable_thinking: false };
  if (effort !== undefined && (traits?.efforts.length ?? 0) > 0)
    return renderEffort(thinking, effort, report);
  const budget = (traits && budgetFor(thinking, traits)) ?? thinking.budget;
  return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) };
}

/** Whether the model will not think: the request turns thinking off, and the model allows that. */
export function isThinkingOffFor(thinking: Thinking | undefined, target: ModelTraits): boolean {
  return thinking !== undefined && isThinkingOff(thinking) && target.thinking?.canDisable !== false;
}

/**
 * The thinking to ask for. If a tool call is forced and a thinking model would refuse that, thinking is switched off: what
 * to do matters more than how.
 */
export function thinkingWithForcedTool(
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

/** As callers of this format write it: an effort in OpenAI's field, a budget in Anthropic's, which LiteLLM also takes. */
function asWritten(thinking: Thinking, callerFields: JsonObject): JsonObject {
  const { effort, budget, adaptive, visible } = thinking;
  const thinkingFields = {
    ...asObject(callerFields['thinking']),
    ...(adaptive && { type: 'adaptive' }),
    ...(budget !== undefined && { type: 'enabled', budget_tokens: budget }),
  };
  const reasoning = {
    ...asObject(callerFields['reasoning']),
    ...(visible !== undefined && { exclude: !visible }),
  };
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(!isEmpty(thinkingFields) && { thinking: thinkingFields }),
    ...(!isEmpty(reasoning) && { reasoning }),
  };
}

/** Whether thinking itself was asked for, and not only whether to show it. */
function asksForThoughts({ effort, budget, adaptive }: Thinking): boolean {
  return effort !== undefined || budget !== undefined || adaptive === true;
}

function renderEffort(thinking: Thinking, effort: Effort | undefined, report: Report): JsonObject {
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

/** OpenRouter's `reasoning`: a budget, an effort, or just switched on. */
function renderReasoning(thinking: Thinking, effort: Effort | undefined, target: ModelTraits): JsonObject {
  const { budget = 0, visible } = thinking;
  const takesBudgets = target.thinking === undefined || target.thinking.kinds.includes('budget');
  const isExact = thinking.effort === undefined && budget > 0 && takesBudgets;
  const word = effort === undefined ? { enabled: true } : { effort };
  return {
    ...(isExact ? { max_tokens: budget } : word),
    ...(visible !== undefined && { exclude: !visible }),
  };
}

/** The effort to send: one of the model's own words if they are known, else a word that every such service knows. */
function chooseEffort(thinking: Thinking, { dialect, target }: RenderContext): Effort | undefined {
  const asked = askedEffort(thinking);
  const traits = target.thinking;
  if (traits !== undefined && traits.efforts.length > 0) return statedEffort(thinking, traits);
  if (asked === 'none' && traits?.canDisable === false) return undefined;
  if (asked === undefined || dialect.allEfforts) return asked;
  if (asked === 'none') return dialect.effortNone ? asked : undefined;
  if (asked === 'minimal') return 'low';
  return asked === 'xhigh' || asked === 'max' ? 'high' : asked;
}
