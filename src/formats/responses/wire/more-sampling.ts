/**
 * Settings of sampling that OpenAI's responses do not have, but other services with this format do: the penalties are in
 * Open Responses, and `top_k` is in OpenRouter's reference. A caller of this format who sends one to such a service gets
 * the service's own judgement of it.
 */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { type Report, reportDropped } from '../../format.ts';
import { numberAt } from '../../openai/fields.ts';

type MoreSampling = Pick<Prompt, 'frequencyPenalty' | 'presencePenalty' | 'topK'>;

/**
 * Parses the settings of a body.
 * @throws GatewayError `invalid-request` for a value that is no number.
 */
export function parseMoreSampling(body: JsonObject): MoreSampling {
  return compact({
    frequencyPenalty: numberAt(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: numberAt(body['presence_penalty'], 'presence_penalty'),
    topK: numberAt(body['top_k'], 'top_k'),
  });
}

/** The settings as this format writes them, by which its renderer knows that the caller speaks it. */
export function keepMoreSampling({ frequencyPenalty, presencePenalty, topK }: MoreSampling): JsonObject {
  return compact({ frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty, top_k: topK });
}

/** Renders the settings of a caller of this format. Those of any other are reported as dropped. */
export function renderMoreSampling(prompt: Prompt, report: Report): JsonObject {
  const kept = findRoundTrip(prompt.formatSpecific, 'responses');
  const fields = keepMoreSampling(prompt);
  if (Object.keys(fields).some((field) => kept[field] !== undefined)) return fields;
  reportDropped(
    prompt,
    ['topK', 'frequencyPenalty', 'presencePenalty'],
    'has no counterpart in responses',
    report,
  );
  return {};
}
