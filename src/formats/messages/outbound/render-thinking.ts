/**
 * `thinking` and `output_config.effort`. Models that take a budget want it between 1,024 and max_tokens, and neither
 * forced tools nor an answer begun for them (extended thinking guide); those that take effort words decide by
 * themselves how much to think, and take histories without thinking, and most of them forced tools (adaptive thinking
 * guide).
 */

import type { Effort, Prompt, Thinking, Turn } from '../../../conversation/prompt.ts';
import { budgetFor, effortFor, isThinkingOff, nearestEffort } from '../../../conversation/rules/effort.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report, ThinkingTraits } from '../../format.ts';
import { keepsAll, speaksMessages } from '../wire/wire.ts';
import { isOwnThinking } from './filter-sendable.ts';
import { openRound } from './thinking-signatures.ts';

/** The least that a model takes. */
const MIN_BUDGET = 1024;

export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  /** Whether the model will think: it then refuses most sampling parameters. */
  readonly thinks: boolean;
  /** Whether it thinks by a budget: then it cannot be made to call a tool. */
  readonly budgeted?: boolean;
}

const NOTHING: ThinkingPlan = { thinks: false };

/** @param turns the turns as they will be sent. */
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
    return isThinkingOff(asked) ? NOTHING : drop(report, 'this model is not known to support thinking');
  }
  if (isThinkingOff(asked)) return thinkingOff(traits, report);
  // A caller of this format who asks for effort alone means just that; any other caller means thinking by it.
  const isNative = speaksMessages(prompt);
  const isWish = asked.adaptive === true || asked.budget !== undefined;
  if (isNative && !isWish) return { ...effortOf(asked, traits, report), thinks: false };
  if (!isWish && asked.effort === undefined && asked.visible !== true) return NOTHING;
  if (!isBudgeted(asked, traits)) return adaptive(asked, traits, isNative, report);
  const obstacle = keepsAll(prompt, target) ? undefined : obstacleOf(prompt, turns);
  return obstacle === undefined ? budgeted(asked, traits, maxTokens, report) : drop(report, obstacle);
}

function drop(report: Report, detail: string): ThinkingPlan {
  report('thinking', 'dropped', detail);
  return NOTHING;
}

/**
 * Whether a model will not think for sure: it is told not to, or it is one that thinks only when asked, as those are that
 * take a budget. Of newer ones, which may think unasked, nobody is told here.
 */
export function isSilent({ thinking, thinks }: ThinkingPlan, { thinking: traits }: ModelTraits): boolean {
  return !thinks && (thinking !== undefined || !traits || traits.kinds.includes('budget'));
}

function thinkingOff(traits: ThinkingTraits, report: Report): ThinkingPlan {
  if (traits.canDisable) return { thinking: { type: 'disabled' }, thinks: false };
  if (traits.betweenTools) {
    report('thinking', 'approximated', 'cannot be switched off: between calls of tools alone');
    return { thinking: { type: 'between_tools' }, thinks: true };
  }
  const effort = nearestEffort('none', wordsOf(traits));
  report('thinking', 'approximated', 'thinking cannot be switched off: reduced as far as possible');
  return { ...(effort !== undefined && { effort }), thinks: true };
}

/** The effort words of a model, as far as this format has them. */
function wordsOf({ efforts }: ThinkingTraits): readonly Effort[] {
  return efforts.filter((word) => word !== 'none' && word !== 'minimal');
}

/** A model that takes both is told in the caller's own terms. */
function isBudgeted(asked: Thinking, traits: ThinkingTraits): boolean {
  if (!traits.kinds.includes('effort')) return true;
  return traits.kinds.includes('budget') && asked.budget !== undefined && asked.adaptive !== true;
}

function adaptive(asked: Thinking, traits: ThinkingTraits, isNative: boolean, report: Report): ThinkingPlan {
  // The newest models leave out the thoughts unless told; who asks for them in another format expects to see them.
  const shown = isNative || asked.visible !== undefined ? asked : { visible: true };
  return {
    thinking: { type: 'adaptive', ...display(shown) },
    ...effortOf(asked, traits, report),
    thinks: true,
  };
}

function effortOf(asked: Thinking, traits: ThinkingTraits, report: Report): { effort?: Effort } {
  const effort = effortFor(asked, { ...traits, efforts: wordsOf(traits) });
  if (effort === undefined || effort === 'none') return {};
  if (asked.effort !== effort) {
    report('thinking', 'approximated', `effort ${effort}`);
  }
  return { effort };
}

function budgeted(asked: Thinking, traits: ThinkingTraits, maxTokens: number, report: Report): ThinkingPlan {
  const effort = asked.effort ?? 'medium';
  const wish = asked.budget ?? budgetFor({ effort }, traits);
  if (wish === undefined) return drop(report, 'this model does not accept a budget');
  if (maxTokens <= MIN_BUDGET) {
    return drop(report, `max_tokens leaves no room for thinking, which needs at least ${MIN_BUDGET} tokens`);
  }
  // A budget is the caller's own word; a level that became one shall leave room for the answer itself.
  const room = asked.budget === undefined ? Math.floor(maxTokens * 0.75) : maxTokens - 1;
  const fitting = budgetFor({ budget: wish }, traits) ?? wish;
  const budget = Math.max(MIN_BUDGET, Math.min(Math.trunc(fitting), room));
  if (asked.budget !== budget) {
    report('thinking', 'approximated', `budget of ${budget} tokens`);
  }
  // Some models that think by budget take an effort for the whole answer beside it.
  const beside = asked.budget !== undefined && asked.effort !== undefined ? { effort: asked.effort } : {};
  return {
    thinking: { type: 'enabled', budget_tokens: budget, ...display(asked) },
    ...effortOf(beside, traits, report),
    thinks: true,
    budgeted: true,
  };
}

function display({ visible }: Thinking): JsonObject {
  return visible === undefined ? {} : { display: visible ? 'summarized' : 'omitted' };
}

/** Why a model that thinks by a budget would refuse this prompt; undefined where it would not. */
function obstacleOf({ toolChoice }: Prompt, turns: readonly Turn[]): string | undefined {
  // Whoever makes a model call a tool builds on the call; nobody builds on thoughts.
  if (toolChoice?.mode === 'required') return 'a model that must call a tool cannot think with a budget';
  const last = turns.at(-1);
  if (last?.role === 'assistant') return 'the model cannot think in an answer that is already begun';
  return lacksThinking(turns) ? 'the last tool calls came without the thinking that led to them' : undefined;
}

/**
 * Whether a round of calls and results is open that began without thinking: it cannot be begun in the middle of one.
 * Later calls of the same round may come without any of their own.
 */
function lacksThinking(turns: readonly Turn[]): boolean {
  const round = turns.slice(openRound(turns)).filter(({ role }) => role === 'assistant');
  const first = round[0]?.parts ?? [];
  return (
    round.some(({ parts }) => parts.some((part) => part.kind === 'tool-call')) &&
    !first.some((part) => part.kind === 'thinking' && isOwnThinking(part))
  );
}
