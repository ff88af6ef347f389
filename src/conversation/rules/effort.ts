/**
 * How much to think, as words (OpenAI, Gemini 3 and later, Claude 4.6 and later) and as token budgets (Claude 4.5,
 * Gemini 2.5), and each as the other. The budgets for low, medium and high are those of Google's OpenAI-compatible
 * endpoint.
 */

import { EFFORTS, type Effort, type Thinking } from '../prompt.ts';

/** The smallest and largest budget, in tokens. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

/** What a model takes. */
export interface EffortTraits {
  /** The words it takes, from least to most; empty if it takes only budgets. */
  readonly efforts: readonly Effort[];
  /** Absent if it takes only words. */
  readonly budget?: Limits;
  /** Whether thinking can be switched off. */
  readonly canDisable: boolean;
}

const TOKENS = { none: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 32_768 } as const;

/** The effort that a text names, in any case; undefined if it names none. */
export function asEffort(text: string): Effort | undefined {
  const word = text.toLowerCase();
  return EFFORTS.find((effort) => effort === word);
}

/** The word for a budget: 0 is `none`, up to 4,096 `low`, up to 16,384 `medium`, above that `high`. */
export function toEffort(budget: number): Effort {
  if (budget <= 0) return 'none';
  if (budget <= 4096) return 'low';
  return budget <= 16_384 ? 'medium' : 'high';
}

/**
 * The budget for a word, within `limits`. `none` is 0 whatever the limits are; the caller checks whether that is
 * allowed.
 */
export function toBudget(effort: Effort, limits: Limits): number {
  if (effort === 'none') return 0;
  return clamp(effort === 'max' ? limits.max : TOKENS[effort], limits);
}

/**
 * The supported word nearest to `effort`: itself, else the next lower, else the next higher; undefined for an empty
 * list.
 */
export function nearestEffort(effort: Effort, supported: readonly Effort[]): Effort | undefined {
  const at = EFFORTS.indexOf(effort);
  const lower = EFFORTS.slice(0, at + 1).findLast((word) => supported.includes(word));
  return lower ?? EFFORTS.slice(at + 1).find((word) => supported.includes(word));
}

/** What was asked, as a word; undefined if nothing was, or if the model decides. */
export function askedEffort({ effort, budget }: Thinking): Effort | undefined {
  return effort ?? (budget === undefined ? undefined : toEffort(budget));
}

/**
 * What was asked, as a word that the model takes.
 * @returns `none` if thinking is off and the model can switch it off, even if the word is not among its efforts (there
 *   may be another way to say it); undefined if nothing was asked, if the model decides, or if it takes no words.
 */
export function effortFor(thinking: Thinking, traits: EffortTraits): Effort | undefined {
  const asked = askedEffort(thinking);
  if (asked === undefined) return undefined;
  if (asked !== 'none') return nearestEffort(asked, wordsFor(asked, traits.efforts));
  if (traits.canDisable || traits.efforts.includes('none')) return 'none';
  return nearestEffort('none', traits.efforts);
}

/** The words that may stand for `asked`. Only a request for minimal thinking may become one for none. */
function wordsFor(asked: Effort, supported: readonly Effort[]): readonly Effort[] {
  const thinking = supported.filter((effort) => effort !== 'none');
  return asked === 'minimal' || thinking.length === 0 ? supported : thinking;
}

/**
 * What was asked, as a budget in tokens that the model takes.
 * @returns 0 if thinking is off, or the smallest budget if the model cannot switch it off; undefined if nothing was
 *   asked, if the model decides, or if it takes no budgets.
 */
export function budgetFor(thinking: Thinking, traits: EffortTraits): number | undefined {
  const limits = traits.budget;
  if (limits === undefined) return undefined;
  const asked = askedBudget(thinking, limits);
  if (asked === undefined) return undefined;
  if (asked > 0) return clamp(asked, limits);
  return traits.canDisable ? 0 : limits.min;
}

/** Whether the caller switched thinking off. */
export function isThinkingOff(thinking: Thinking): boolean {
  return thinking.effort === 'none' || (thinking.effort === undefined && thinking.budget === 0);
}

function askedBudget(thinking: Thinking, limits: Limits): number | undefined {
  if (thinking.budget !== undefined) return thinking.budget;
  return thinking.effort === undefined ? undefined : toBudget(thinking.effort, limits);
}

function clamp(tokens: number, limits: Limits): number {
  return Math.min(Math.max(tokens, limits.min), limits.max);
}
