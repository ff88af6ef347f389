/** `temperature`, `top_p` and `top_k`: which models take which, and when. */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { compact } from '../../../lib/json.ts';
import { asksFor, type ModelTraits, type Report } from '../../format.ts';
import { keepsAll } from '../wire/wire.ts';

/** A model that thinks takes a temperature of 1 and a top_p from here on, nothing else (extended thinking guide). */
const MIN_TOP_P = 0.95;

/** The fields to send: to be spread. */
export function renderSampling(
  prompt: Prompt,
  target: ModelTraits,
  thinks: boolean,
  report: Report,
): JsonObject {
  const { temperature, topP } = prompt;
  const topK = asksFor(prompt, 'topK') ? prompt.topK : undefined;
  const taken = (
    field: keyof Prompt,
    value: number | undefined,
    isTaken: (value: number) => boolean,
  ): number | undefined => {
    if (value === undefined || (target.sampling && (!thinks || isTaken(value)))) return value;
    report(
      field,
      'dropped',
      target.sampling ? 'not accepted while the model thinks' : 'this model does not accept it',
    );
    return undefined;
  };
  const warmth = taken('temperature', temperature, (value) => value >= 1);
  const share = taken('topP', topP, (value) => value >= MIN_TOP_P);
  const count = taken('topK', topK, () => false);
  // Models from Claude 4.5 on refuse the two together.
  const isBoth = warmth !== undefined && share !== undefined && !keepsAll(prompt, target);
  if (isBoth) report('topP', 'dropped', 'not accepted together with temperature');
  if (warmth !== undefined && warmth > 1) report('temperature', 'approximated', 'lowered to 1, the maximum');
  return compact({
    temperature: warmth === undefined ? undefined : Math.min(warmth, 1),
    top_p: isBoth ? undefined : share,
    top_k: count,
  });
}
