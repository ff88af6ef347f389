/**
 * OpenAI's models that think only if a request asks for it: GPT-5.1, 5.2 and 5.4 have the effort `none` by default, GPT-5.5
 * and 5.6 have `medium` (recorded from what their responses echo).
 */

import type { Effort, Thinking } from '../../conversation/prompt.ts';
import { effortFor } from '../../conversation/rules/effort.ts';
import type { ModelTraits, ThinkingTraits } from '../model-traits.ts';

/** The effort that OpenAI's newest models decide on by themselves. */
const USUAL: Effort = 'medium';

/**
 * The effort for a caller who lets the model decide how much to think.
 * @returns undefined if nothing has to be said, because the model thinks by default
 */
export function undecidedEffort(thinking: Thinking, traits: ThinkingTraits | undefined): Effort | undefined {
  return thinking.adaptive && traits?.offByDefault ? USUAL : undefined;
}

/**
 * The effort for what a caller asks, as a word that the model takes.
 * @returns undefined if nothing has to be said
 */
export function statedEffort(thinking: Thinking, traits: ThinkingTraits): Effort | undefined {
  return effortFor(thinking, traits) ?? undecidedEffort(thinking, traits);
}

/**
 * Whether a request may have temperature, top_p and log probabilities. The models from GPT-5.1 on take them while they do
 * not think (OpenAI, "Using GPT-5.2": "only supported [...] with reasoning effort set to none").
 */
export function takesSampling(target: ModelTraits, thinking: Thinking = {}): boolean {
  const traits = target.thinking;
  if (target.sampling || !traits?.samplingWhenOff) return target.sampling;
  const effort = statedEffort(thinking, traits);
  return effort === undefined ? traits.offByDefault === true : effort === 'none';
}
