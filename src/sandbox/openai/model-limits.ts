/** What OpenAI's models reject, in its words (recorded from o1-mini, o3 and gpt-5 models). */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { badRequest, listed, unsupported } from './words.ts';

/** The default of each parameter, which models without sampling accept all the same. */
const DEFAULTS: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/**
 * @param effort the effort of the request; undefined if it sets none
 * @returns whether an answer comes without reasoning. Models with the effort `none` have it by default, and then accept
 *   what all others accept (OpenAI, "Using GPT-5.2").
 */
export function answersAtOnce(model: Model, effort: string | undefined): boolean {
  if (model.thinking === undefined) return true;
  return model.thinking.efforts.includes('none') && (effort === undefined || effort === 'none');
}

/**
 * @param fields the sampling parameters to check
 * @throws Refused with OpenAI's own error if a model that reasons receives a sampling parameter
 */
export function checkSampling(
  body: JsonObject,
  model: Model,
  effort: string | undefined,
  fields: readonly string[],
): void {
  if ((model.sampling ?? true) || answersAtOnce(model, effort)) return;
  for (const field of fields) {
    const value = body[field];
    if (value == null || value === DEFAULTS[field]) continue;
    throw badRequest({
      message:
        `Unsupported value: '${field}' does not support ${JSON.stringify(value)} with this model. ` +
        `Only the default (${DEFAULTS[field]}) value is supported.`,
      param: field,
      subject: { thing: 'setting', path: [field] },
      code: 'unsupported_value',
    });
  }
}

/**
 * @param param the path of the effort in the request, for the error
 * @throws Refused with OpenAI's own error if the model does not have this effort, or none at all
 */
export function checkEffort(effort: string | undefined, param: string, model: Model): void {
  if (effort === undefined) return;
  if (model.thinking === undefined) throw unsupported(param);
  if (model.thinking.efforts.some((known) => known === effort)) return;
  throw badRequest({
    message:
      `Unsupported value: '${effort}' is not supported with the '${model.id.replace(/^.*\//, '')}' model. ` +
      `Supported values are: ${listed(model.thinking.efforts)}.`,
    param,
    code: 'unsupported_value',
    subject: { thing: 'setting', path: param.split('.') },
  });
}
