/** `temperature`, `top_p` and `top_k`: which models accept them, and when. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { asksFor, type ModelTraits, type Report } from '../../format.ts';
import { keepsAll } from './native-caller.ts';

/** A model that thinks accepts a temperature of 1, a `top_p` of at least this, and nothing else (extended thinking guide). */
const MIN_TOP_P = 0.95;

/**
 * Renders the sampling parameters that the model accepts, to be spread.
 * @param thinks whether the model will think.
 */
export function renderSampling(
  prompt: Prompt,
  target: ModelTraits,
  thinks: boolean,
  report: Report,
): JsonObject {
  const requestedTopK = asksFor(prompt, 'topK') ? prompt.topK : undefined;
  const accept = (
    field: keyof Prompt,
    value: number | undefined,
    isAccepted: (value: number) => boolean,
  ): number | undefined => {
    if (value === undefined || (target.sampling && (!thinks || isAccepted(value)))) return value;
    report(
      field,
      'dropped',
      target.sampling ? 'not accepted while the model thinks' : 'this model does not accept it',
    );
    return undefined;
  };
  const temperature = accept('temperature', prompt.temperature, (value) => value >= 1);
  const topP = accept('topP', prompt.topP, (value) => value >= MIN_TOP_P);
  const topK = accept('topK', requestedTopK, () => false);
  // Models from Claude 4.5 on refuse the two together.
  const isBoth = temperature !== undefined && topP !== undefined && !keepsAll(prompt, target);
  if (isBoth) report('topP', 'dropped', 'not accepted together with temperature');
  if (temperature !== undefined && temperature > 1) {
    report('temperature', 'approximated', 'lowered to 1, the maximum');
  }
  return compact({
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: isBoth ? undefined : topP,
    top_k: topK,
  });
}
