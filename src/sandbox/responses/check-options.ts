/** What responses demands of a request's options beyond their schema, and which of them each model accepts. */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import { checkFunction } from '../openai/function-schema.ts';
import { checkEffort, checkSampling } from '../openai/model-limits.ts';
import { checkStrictSchema } from '../openai/strict-schema.ts';
import { badField, badRequest, tooGreat, unsupported } from '../openai/words.ts';

const BEFORE_GPT_5 = /(?:^|\/)(?:gpt-[34]|o\d)/i;

/**
 * Checks the rules that hold for every model.
 * @throws Refused with OpenAI's own error
 */
export function checkOptions(body: JsonObject): void {
  if (body['input'] === undefined && body['prompt'] == null && body['previous_response_id'] == null) {
    throw badField("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  }
  if (body['previous_response_id'] != null && body['conversation'] != null) {
    throw badField(
      "Mutually exclusive parameters: 'previous_response_id', 'conversation'. Ensure you are only providing one of them.",
      'previous_response_id',
      'mutually_exclusive_parameters',
    );
  }
  if (body['background'] === true && body['store'] === false)
    throw badField("Background mode requires 'store' to be true.", 'store');
  // Prompts are stored elsewhere.
  if (body['prompt'] != null) {
    throw unsupported('prompt');
  }
  checkTools(body);
  checkFormat(body);
}

function checkTools(body: JsonObject): void {
  const takesUnions = !BEFORE_GPT_5.test(asText(body['model']) ?? '');
  const names = asObjects(body['tools']).flatMap((tool, index) =>
    asText(tool['name']) !== undefined && (tool['type'] === 'function' || tool['type'] === 'custom')
      ? checkFunction(tool, ['tools', index], { takesUnions })
      : [],
  );
  checkChoice(body, names);
}

/** @param names of the tools that can be called */
function checkChoice(body: JsonObject, names: readonly string[]): void {
  const choice = asObject(body['tool_choice']);
  const named =
    choice?.['type'] === 'function' || choice?.['type'] === 'custom' ? asText(choice['name']) : undefined;
  const forced = body['tool_choice'] === 'required' && asList(body['tools']).length === 0;
  if (forced || (named !== undefined && !names.includes(named))) {
    throw badField(`Tool choice '${named ?? 'required'}' not found in 'tools' parameter.`, 'tool_choice');
  }
}

function checkFormat(body: JsonObject): void {
  const format = asObject(asObject(body['text'])?.['format']);
  if (format?.['type'] === 'json_object') {
    const said = JSON.stringify([body['input'], body['instructions']]);
    if (!/json/i.test(said)) {
      throw badField(
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        'input',
      );
    }
  }
  if (format?.['type'] === 'json_schema' && format['strict'] === true) {
    const name = asText(format['name']) ?? '';
    checkStrictSchema(asObject(format['schema']) ?? {}, `response_format '${name}'`, 'text.format.schema');
  }
}

/**
 * Checks the rules that hold for this model.
 * @throws Refused with OpenAI's own error
 */
export function checkLimits(body: JsonObject, model: Model): void {
  const reasoning = asObject(body['reasoning']);
  checkSampling(body, model, asText(reasoning?.['effort']), ['temperature', 'top_p']);
  checkEffort(asText(reasoning?.['effort']), 'reasoning.effort', model);
  if (reasoning?.['summary'] != null && model.thinking === undefined) {
    throw unsupported('reasoning.summary');
  }
  if (asList(body['include']).includes('reasoning.encrypted_content') && model.thinking === undefined) {
    throw unsupported('include', 'Encrypted content is not supported with this model.');
  }
  const format = asObject(asObject(body['text'])?.['format']);
  if (format?.['type'] === 'json_schema' && model.structuredOutput === false) {
    throw badRequest({
      message: "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
      param: 'text.format',
      subject: { thing: 'setting', path: ['text', 'format'] },
    });
  }
  const limit = asNumber(body['max_output_tokens']) ?? 0;
  if (limit > model.maxOutputTokens) throw tooGreat(['max_output_tokens'], limit, model.maxOutputTokens);
}
