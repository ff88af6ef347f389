/**
 * `thinking` and `output_config.effort`. Models that take a budget want it between 1,024 and max_tokens (extended
 * thinking guide); those that take effort words decide by themselves how much to think (adaptive thinking).
 */

import { budgetFor, effortFor, isThinkingOff, nearestEffort } from '../../conversation/effort.ts';
import type { Effort, Prompt, Thinking, Turn } from '../../conversation/prompt.ts';
import type { JsonObject } from '../../json.ts';
import type { Report, Target, ThinkingTraits } from '../format.ts';
import { FORMAT } from './wire.ts';

/** The least that a model takes. */
const MIN_BUDGET = 1024;

export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  /** Whether the model will think: it then refuses most sampling parameters, and forced tools. */
  readonly thinks: boolean;
}

const NOTHING: ThinkingPlan = { thinks: false };

/** @param turns the turns as they will be sent. */
export function planThinking(
  prompt: Prompt,
  turns: readonly Turn[],
  maxTokens: number,
  target: Target,
  report: Report,
): ThinkingPlan {
  const asked = prompt.thinking;
  if (asked === undefined) return NOTHING;
  const traits = target.thinking;
  if (traits === undefined) {
    if (!isThinkingOff(asked)) drop(report, 'this model is not known to think');
    return NOTHING;
  }
  if (isThinkingOff(asked)) return thinkingOff(traits, report);
  // A caller of this format who asks for effort alone means just that; any other caller means thinking by it.
  const isNative = prompt.own?.format === FORMAT;
  if (isNative && asked.adaptive !== true && asked.budget === undefined) {
    return { ...effortOf(asked, traits, report), thinks: false };
  }
  if (!isNative && prompt.toolChoice?.mode === 'required') {
    return drop(report, 'a model that thinks cannot be made to call a tool');
  }
  if (!isNative && lacksThinking(turns)) {
    return drop(report, 'the last calls came without the thinking that led to them');
  }
  return isBudgeted(asked, traits)
    ? budgeted(asked, traits, maxTokens, report)
    : adaptive(asked, traits, report);
}

function drop(report: Report, detail: string): ThinkingPlan {
  report({ field: 'thinking', outcome: 'dropped', detail });
  return NOTHING;
}

function thinkingOff(traits: ThinkingTraits, report: Report): ThinkingPlan {
  if (traits.canDisable) return { thinking: { type: 'disabled' }, thinks: false };
  const effort = nearestEffort('none', traits.efforts);
  report({ field: 'thinking', outcome: 'approximated', detail: 'cannot be switched off: as little as possible' });
  return { ...(effort !== undefined && { effort }), thinks: true };
}

/** A model that takes both is told in the caller's own terms. */
function isBudgeted(asked: Thinking, traits: ThinkingTraits): boolean {
  if (!traits.kinds.includes('effort')) return true;
  return traits.kinds.includes('budget') && asked.budget !== undefined && asked.adaptive !== true;
}

function adaptive(asked: Thinking, traits: ThinkingTraits, report: Report): ThinkingPlan {
  return { thinking: { type: 'adaptive', ...display(asked) }, ...effortOf(asked, traits, report), thinks: true };
}

function effortOf(asked: Thinking, traits: ThinkingTraits, report: Report): { effort?: Effort } {
  const effort = effortFor(asked, traits);
  if (effort === undefined || effort === 'none') return {};
  if (asked.effort !== effort) {
    report({ field: 'thinking', outcome: 'approximated', detail: `effort ${effort}` });
  }
  return { effort };
}

function budgeted(asked: Thinking, traits: ThinkingTraits, maxTokens: number, report: Report): ThinkingPlan {
  const wish = asked.budget ?? budgetFor(asked.effort === undefined ? { effort: 'high' } : asked, traits);
  if (maxTokens <= MIN_BUDGET || wish === undefined) {
    return drop(report, `max_tokens leaves no room for the ${MIN_BUDGET} tokens that thinking takes at least`);
  }
  // A budget is the caller's own word; a level that became one shall leave room for the answer itself.
  const room = asked.budget === undefined ? Math.floor(maxTokens * 0.75) : maxTokens - 1;
  const budget = Math.max(MIN_BUDGET, Math.min(budgetFor({ budget: wish }, traits) ?? wish, room));
  if (asked.budget !== budget) {
    report({ field: 'thinking', outcome: 'approximated', detail: `budget of ${budget} tokens` });
  }
  return {
    thinking: { type: 'enabled', budget_tokens: budget, ...display(asked) },
    // Some models that think by budget take an effort for the whole answer beside it.
    ...(asked.budget !== undefined && asked.effort !== undefined && effortOf({ effort: asked.effort }, traits, report)),
    thinks: true,
  };
}

function display({ visible }: Thinking): JsonObject {
  return visible === undefined ? {} : { display: visible ? 'summarized' : 'omitted' };
}

/** Whether the last assistant turn calls tools without any of the thinking that Anthropic wants back with the calls. */
function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant');
  if (last === undefined || !last.parts.some((part) => part.kind === 'tool-call')) return false;
  return !last.parts.some(isOwnThinking);
}

/** Whether a part is thinking that Anthropic's models can read: theirs, and signed. */
export function isOwnThinking(part: Turn['parts'][number]): boolean {
  if (part.kind !== 'thinking') return false;
  return (part.redacted ?? part.signature)?.origin === 'anthropic';
}
