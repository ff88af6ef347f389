/**
 * `thinkingConfig`: a level (from Gemini 3 on) or a budget (Gemini 2.5), never both, which the vendor refuses.
 * https://ai.google.dev/gemini-api/docs/thinking
 */

import type { Thinking } from '../../../conversation/prompt.ts';
import { budgetFor, effortFor, isThinkingOff, nearestEffort } from '../../../conversation/rules/effort.ts';
import { compact, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report, ThinkingTraits } from '../../format.ts';

/** The `thinkingConfig` for what was asked; undefined if nothing was, or if the model does not think. */
export function renderThinking(
  thinking: Thinking | undefined,
  target: ModelTraits,
  report: Report,
): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const traits = target.thinking;
  if (traits === undefined) {
    if (!isThinkingOff(thinking)) {
      report('thinking', 'dropped', 'this model is not known to support thinking');
    }
    return undefined;
  }
  const amount = renderAmount(thinking, traits, report);
  const visible = thinking.visible ?? !isThinkingOff(thinking);
  const config = { ...amount, ...(visible && { includeThoughts: true }) };
  return isEmpty(config) ? undefined : config;
}

function renderAmount(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  if (isThinkingOff(thinking)) return renderOff(thinking, traits, report);
  const takesBudgets = traits.kinds.includes('budget');
  // What was given in the model's own terms comes first, and a level before a budget if both were given.
  const isLevel = traits.kinds.includes('effort') && (thinking.effort !== undefined || !takesBudgets);
  if (isLevel) return renderLevel(thinking, traits, report);
  return takesBudgets ? renderBudget(thinking, traits, report) : {};
}

function renderLevel(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  const effort = effortFor(thinking, traits);
  const level = effort === 'none' ? findLowest(traits) : effort;
  if (level !== undefined && level !== thinking.effort) {
    const from = thinking.effort ?? `a budget of ${thinking.budget} tokens`;
    report('thinking', 'approximated', `${from} as level ${level}`);
  }
  return renderWord(level);
}

function renderBudget(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  const budget = budgetFor(thinking, traits);
  // -1 means that the model decides.
  if (budget === undefined) return thinking.adaptive ? { thinkingBudget: -1 } : {};
  if (budget !== thinking.budget) {
    const from = thinking.effort ?? `${thinking.budget} tokens`;
    report('thinking', 'approximated', `${from} as a budget of ${budget} tokens`);
  }
  return { thinkingBudget: budget };
}

function renderOff(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  if (traits.canDisable && traits.kinds.includes('budget')) return { thinkingBudget: 0 };
  report('thinking', 'approximated', 'thinking cannot be switched off: reduced as far as possible');
  if (traits.kinds.includes('effort')) return renderWord(findLowest(traits));
  return compact({ thinkingBudget: budgetFor(thinking, { ...traits, canDisable: false }) });
}

function findLowest(traits: ThinkingTraits): Thinking['effort'] {
  return nearestEffort(
    'none',
    traits.efforts.filter((effort) => effort !== 'none'),
  );
}

function renderWord(effort: Thinking['effort']): JsonObject {
  return effort === undefined ? {} : { thinkingLevel: effort.toUpperCase() };
}
