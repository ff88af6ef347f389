/**
 * Settings of sampling that OpenAI's responses do not have, but other services with this format do: the penalties are in
 * Open Responses, and `top_k` is in OpenRouter's reference. `seed` and `stop` are left from chat-completions by programs
 * that have changed to this format. A caller of this format who sends one to such a service gets the service's own
 * judgement of it.
 */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { CUT_HERE, type Report, reportDropped } from '../../format.ts';
import { numberAt, seedAt, stopsAt } from '../../openai/fields.ts';

type MoreSampling = Pick<Prompt, 'frequencyPenalty' | 'presencePenalty' | 'topK' | 'seed' | 'stop'>;

/**
 * Parses the settings of a body.
 * @throws GatewayError `invalid-request` for a value of another type.
 */
export function parseMoreSampling(body: JsonObject): MoreSampling {
  return compact({
    frequencyPenalty: numberAt(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: numberAt(body['presence_penalty'], 'presence_penalty'),
    topK: numberAt(body['top_k'], 'top_k'),
    seed: seedAt(body['seed']),
    stop: stopsAt(body['stop']),
  });
}

/** The settings as this format writes them, by which its renderer knows that the caller speaks it. */
export function keepMoreSampling(settings: MoreSampling): JsonObject {
  const { frequencyPenalty, presencePenalty, topK, seed, stop } = settings;
  return compact({
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    top_k: topK,
    seed,
    stop,
  });
}

/** Renders the settings of a caller of this format. Those of any other are reported as dropped. */
export function renderMoreSampling(prompt: Prompt, report: Report): JsonObject {
  const kept = findRoundTrip(prompt.formatSpecific, 'responses');
  const fields = keepMoreSampling(prompt);
  if (Object.keys(fields).some((field) => kept[field] !== undefined)) return fields;
  reportDropped(
    prompt,
    ['topK', 'frequencyPenalty', 'presencePenalty', 'seed'],
    'has no counterpart in responses',
    report,
  );
  if (prompt.stop?.some((sequence) => sequence !== '')) report('stop', 'approximated', CUT_HERE);
  return {};
}
