/** Settings of sampling, as far as the dialect and the model take them. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { compact, type Json, type JsonObject } from '../../../lib/json.ts';
import { asksFor, CUT_HERE, limitStops } from '../../format.ts';
import type { RenderContext } from './render-context.ts';

const FIELDS = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['topK', 'top_k'],
  ['logprobs', 'logprobs'],
  ['topLogprobs', 'top_logprobs'],
] as const;

/** The fields of sampling. A setting that the service or the model refuses is dropped and reported. */
export function renderSampling(prompt: Prompt, context: RenderContext): JsonObject {
  const fields: Record<string, Json> = {};
  for (const [setting, field] of FIELDS) {
    const value = prompt[setting];
    if (value === undefined) continue;
    const reason = whyRefused(setting, context);
    if (reason === undefined) fields[field] = value;
    else if (asksFor(prompt, setting)) context.report(setting, 'dropped', reason);
  }
  return { ...fields, ...renderStop(prompt.stop, context) };
}

/** Why a setting is refused; undefined if it is taken. */
function whyRefused(
  setting: (typeof FIELDS)[number][0],
  { dialect, target, takesSampling }: RenderContext,
): string | undefined {
  if (setting === 'topK' && !dialect.topK) return 'has no counterpart in this format';
  if ((setting === 'logprobs' || setting === 'topLogprobs') && !dialect.logprobs)
    return 'the service reports none';
  const isPenalty = setting === 'frequencyPenalty' || setting === 'presencePenalty';
  const isTaken = isPenalty ? target.sampling : takesSampling;
  return isTaken ? undefined : 'the model does not accept it';
}

function renderStop(stop: Prompt['stop'], { dialect, target, report }: RenderContext): JsonObject {
  if (stop === undefined || stop.length === 0) return {};
  const { stopRefusedBy } = dialect;
  const isTaken = stopRefusedBy === 'sampling' ? target.sampling : target.thinking === undefined;
  if (stopRefusedBy === 'never' || isTaken)
    return compact({ stop: limitStops(stop, dialect.maxStops, report) });
  report('stop', 'approximated', CUT_HERE);
  return {};
}
