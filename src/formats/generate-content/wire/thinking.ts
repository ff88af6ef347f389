/**
 * `thinkingConfig`: a level (from Gemini 3 on) or a budget (Gemini 2.5), never both: the vendor refuses that.
 * https://ai.google.dev/gemini-api/docs/thinking
 */

import type { Thinking } from '../../../conversation/prompt.ts';
import {
  asEffort,
  budgetFor,
  effortFor,
  isThinkingOff,
  nearestEffort,
} from '../../../conversation/rules/effort.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asNumber, asText, compact, isEmpty, isObject } from '../../../lib/json.ts';
import type { ModelTraits, Report, ThinkingTraits } from '../../format.ts';
import { sortFields } from './wire.ts';

const PARAM = 'generationConfig.thinkingConfig';

/**
 * What a caller asked of thinking. Thoughts not asked for are not shown: Google's default, and so said.
 * @throws GatewayError `invalid-request` for a level nobody knows.
 */
export function parseThinking(value: Json | undefined): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const { known } = sortFields(value, ['includeThoughts', 'thinkingBudget', 'thinkingLevel']);
  const budget = asNumber(known['thinkingBudget']);
  const effort = parseLevel(asText(known['thinkingLevel']));
  const visible = asFlag(known['includeThoughts']) ?? false;
  if (budget === undefined && effort === undefined && !visible) return undefined;
  return {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && (budget < 0 ? { adaptive: true } : { budget })),
    visible,
  };
}

function parseLevel(level: string | undefined): Thinking['effort'] {
  if (level === undefined || level.toUpperCase() === 'THINKING_LEVEL_UNSPECIFIED') return undefined;
  const effort = asEffort(level);
  if (effort === undefined) {
    throw invalid(
      `Invalid value at 'generation_config.thinking_config.thinking_level': "${level.slice(0, 40)}"`,
      `${PARAM}.thinkingLevel`,
    );
  }
  return effort;
}

/** The `thinkingConfig` for what was asked; undefined where nothing was, or where the model knows no thinking. */
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
  // What was given in the model's own terms goes first; a level before a budget where both were given.
  const isLevel = traits.kinds.includes('effort') && (thinking.effort !== undefined || !takesBudgets);
  if (isLevel) return renderLevel(thinking, traits, report);
  return takesBudgets ? renderBudget(thinking, traits, report) : {};
}

function renderLevel(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  const effort = effortFor(thinking, traits);
  const level = effort === 'none' ? lowest(traits) : effort;
  if (level !== undefined && level !== thinking.effort) {
    const from = thinking.effort ?? `a budget of ${thinking.budget} tokens`;
    report('thinking', 'approximated', `${from} as level ${level}`);
  }
  return levelOf(level);
}

function renderBudget(thinking: Thinking, traits: ThinkingTraits, report: Report): JsonObject {
  const budget = budgetFor(thinking, traits);
  // -1 is 'the model decides'.
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
  if (traits.kinds.includes('effort')) return levelOf(lowest(traits));
  return compact({ thinkingBudget: budgetFor(thinking, { ...traits, canDisable: false }) });
}

function lowest(traits: ThinkingTraits): Thinking['effort'] {
  return nearestEffort(
    'none',
    traits.efforts.filter((effort) => effort !== 'none'),
  );
}

function levelOf(effort: Thinking['effort']): JsonObject {
  return effort === undefined ? {} : { thinkingLevel: effort.toUpperCase() };
}
