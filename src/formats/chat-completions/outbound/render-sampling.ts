/** How the answer is drawn: temperature and its like, as the dialect and the model take them. */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asksFor, CUT_HERE } from '../../format.ts';
import type { RenderContext } from './render-context.ts';

/** What may be wished for, and its field. */
const FIELDS = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['topK', 'top_k'],
  ['logprobs', 'logprobs'],
  ['topLogprobs', 'top_logprobs'],
] as const;

export function renderSampling(prompt: Prompt, context: RenderContext): JsonObject {
  const fields: Record<string, Json> = {};
  for (const [wish, field] of FIELDS) {
    const value = prompt[wish];
    if (value === undefined) continue;
    const reason = whyRefused(wish, context);
    if (reason === undefined) fields[field] = value;
    else if (asksFor(prompt, wish)) context.report(wish, 'dropped', reason);
  }
  return { ...fields, ...renderStop(prompt.stop, context) };
}

/** undefined where the field is taken. */
function whyRefused(
  wish: (typeof FIELDS)[number][0],
  { dialect, target }: RenderContext,
): string | undefined {
  if (wish === 'topK' && !dialect.topK) return 'has no counterpart in this format';
  if ((wish === 'logprobs' || wish === 'topLogprobs') && !dialect.logprobs) return 'the service reports none';
  return target.sampling ? undefined : 'the model does not accept it';
}

function renderStop(stop: Prompt['stop'], { dialect, target, report }: RenderContext): JsonObject {
  if (stop === undefined || stop.length === 0) return {};
  const { stopRefusedBy } = dialect;
  const isTaken = stopRefusedBy === 'sampling' ? target.sampling : target.thinking === undefined;
  if (stopRefusedBy === 'never' || isTaken) return { stop };
  report('stop', 'approximated', CUT_HERE);
  return {};
}
