/**
 * `thinking` and `output_config.effort`. Models with a budget require one between 1,024 and `max_tokens`. While they think,
 * they accept neither forced tools nor an answer that the caller began (extended thinking guide). Models with effort words
 * decide themselves how much to think. They accept histories without thinking, and most of them forced tools (adaptive
 * thinking guide).
 */

import type { Effort, Prompt, Thinking, Turn } from '../../../conversation/prompt.ts';
import { budgetFor, effortFor, isThinkingOff, nearestEffort } from '../../../conversation/rules/effort.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report, ThinkingTraits } from '../../format.ts';
import { isOwnThinking } from './filter-sendable.ts';
import { keepsAll, speaksMessages } from './native-caller.ts';
import { findOpenRound } from './refused-thinking.ts';

const MIN_BUDGET = 1024;

/** What a request says about thinking. */
export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  /** Whether the model will think. It then refuses most sampling parameters. */
  readonly thinks: boolean;
  /** Whether it thinks with a budget. It then cannot be made to call a tool. */
  readonly budgeted?: boolean;
}

const NOTHING: ThinkingPlan = { thinks: false };

/**
 * Plans the thinking of a request.
 * @param turns the turns as they will be sent.
 * @param maxTokens the `max_tokens` of the request.
 */
export function planThinking(
  prompt: Prompt,
  turns: readonly Turn[],
  maxTokens: number,
  target: ModelTraits,
  report: Report,
): ThinkingPlan {
  const asked = prompt.thinking;
  if (asked === undefined) return NOTHING;
  const traits = target.thinking;
  if (traits === undefined) {
    return isThinkingOff(asked)
      ? NOTHING
      : dropThinking(report, 'this model is not known to support thinking');
  }
  if (isThinkingOff(asked)) return renderOff(traits, report);
  // A caller of this format that sets only an effort does not ask for thinking. A caller of another format does.
  const isNative = speaksMessages(prompt);
  const asksToThink = asked.adaptive === true || asked.budget !== undefined;
  if (isNative && !asksToThink) return { ...renderEffort(asked, traits, report), thinks: false };
  if (!asksToThink && asked.effort === undefined && asked.visible !== true) return NOTHING;
  if (!isBudgeted(asked, traits)) return renderAdaptive(asked, traits, isNative, report);
  const obstacle = keepsAll(prompt, target) ? undefined : findObstacle(prompt, turns);
  return obstacle === undefined
    ? renderBudget(asked, traits, maxTokens, report)
    : dropThinking(report, obstacle);
}

function dropThinking(report: Report, detail: string): ThinkingPlan {
  report('thinking', 'dropped', detail);
  return NOTHING;
}

/**
 * Whether a model will surely not think: the request says so, or it thinks only when asked, as models with a budget do.
 * Newer models may think without being asked.
 */
export function isSurelyOff({ thinking, thinks }: ThinkingPlan, { thinking: traits }: ModelTraits): boolean {
  return !thinks && (thinking !== undefined || !traits || traits.kinds.includes('budget'));
}

function renderOff(traits: ThinkingTraits, report: Report): ThinkingPlan {
  if (traits.canDisable) return { thinking: { type: 'disabled' }, thinks: false };
  if (traits.betweenTools) {
    report('thinking', 'approximated', 'cannot be switched off: only between calls of tools');
    return { thinking: { type: 'between_tools' }, thinks: true };
  }
  const effort = nearestEffort('none', findEfforts(traits));
  report('thinking', 'approximated', 'thinking cannot be switched off: reduced as far as possible');
  return { ...(effort !== undefined && { effort }), thinks: true };
}

/** Returns the effort words of a model that this format has. */
function findEfforts({ efforts }: ThinkingTraits): readonly Effort[] {
  return efforts.filter((word) => word !== 'none' && word !== 'minimal');
}

/** Tells whether to use a budget. A model that accepts both receives what the caller used. */
function isBudgeted(asked: Thinking, traits: ThinkingTraits): boolean {
  if (!traits.kinds.includes('effort')) return true;
  return traits.kinds.includes('budget') && asked.budget !== undefined && asked.adaptive !== true;
}

function renderAdaptive(
  asked: Thinking,
  traits: ThinkingTraits,
  isNative: boolean,
  report: Report,
): ThinkingPlan {
  // The newest models omit their thinking unless asked for it. Callers of other formats that ask for thinking expect it.
  const shown = isNative || asked.visible !== undefined ? asked : { visible: true };
  return {
    thinking: { type: 'adaptive', ...renderDisplay(shown) },
    ...renderEffort(asked, traits, report),
    thinks: true,
  };
}

function renderEffort(asked: Thinking, traits: ThinkingTraits, report: Report): { effort?: Effort } {
  const effort = effortFor(asked, { ...traits, efforts: findEfforts(traits) });
  if (effort === undefined || effort === 'none') return {};
  if (asked.effort !== effort) {
    report('thinking', 'approximated', `effort ${effort}`);
  }
  return { effort };
}

function renderBudget(
  asked: Thinking,
  traits: ThinkingTraits,
  maxTokens: number,
  report: Report,
): ThinkingPlan {
  const effort = asked.effort ?? 'medium';
  const requested = asked.budget ?? budgetFor({ effort }, traits);
  if (requested === undefined) return dropThinking(report, 'this model does not accept a budget');
  if (maxTokens <= MIN_BUDGET) {
    return dropThinking(
      report,
      `max_tokens leaves no room for thinking, which needs at least ${MIN_BUDGET} tokens`,
    );
  }
  // A budget that the caller chose is used as it is. One that stands for an effort leaves room for the answer.
  const room = asked.budget === undefined ? Math.floor(maxTokens * 0.75) : maxTokens - 1;
  const fitting = budgetFor({ budget: requested }, traits) ?? requested;
  const budget = Math.max(MIN_BUDGET, Math.min(Math.trunc(fitting), room));
  if (asked.budget !== budget) {
    report('thinking', 'approximated', `budget of ${budget} tokens`);
  }
  // Some models with a budget also accept an effort for the whole answer.
  const effortAsked =
    asked.budget !== undefined && asked.effort !== undefined ? { effort: asked.effort } : {};
  return {
    thinking: { type: 'enabled', budget_tokens: budget, ...renderDisplay(asked) },
    ...renderEffort(effortAsked, traits, report),
    thinks: true,
    budgeted: true,
  };
}

function renderDisplay({ visible }: Thinking): JsonObject {
  return visible === undefined ? {} : { display: visible ? 'summarized' : 'omitted' };
}

/** Finds why a model that thinks with a budget would refuse this prompt; undefined if it would not. */
function findObstacle({ toolChoice }: Prompt, turns: readonly Turn[]): string | undefined {
  // A caller that forces a call depends on the call. It does not depend on thinking.
  if (toolChoice?.mode === 'required') return 'a model that must call a tool cannot think with a budget';
  const last = turns.at(-1);
  if (last?.role === 'assistant') return 'the model cannot think in an answer that is already begun';
  return lacksThinking(turns) ? 'the last tool calls came without the thinking that led to them' : undefined;
}

/**
 * Tells whether a round of calls and results is open, and began without thinking. The model cannot begin to think during a
 * round. Later calls of a round that began with thinking need none of their own.
 */
function lacksThinking(turns: readonly Turn[]): boolean {
  const round = turns.slice(findOpenRound(turns)).filter(({ role }) => role === 'assistant');
  const first = round[0]?.parts ?? [];
  return (
    round.some(({ parts }) => parts.some((part) => part.kind === 'tool-call')) &&
    !first.some((part) => part.kind === 'thinking' && isOwnThinking(part))
  );
}
