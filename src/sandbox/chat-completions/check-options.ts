/** What OpenAI demands of a request's options beyond their schema, and which of them each model accepts. */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import { checkFunction } from '../openai/function-schema.ts';
import { answersAtOnce, checkEffort, checkSampling } from '../openai/model-limits.ts';
import { checkStrictSchema } from '../openai/strict-schema.ts';
import { badField, badRequest, unsupported } from '../openai/words.ts';

/**
 * Checks the rules that hold for every model.
 * @throws Refused with OpenAI's own error
 */
export function checkOptions(body: JsonObject): void {
  for (const field of ['tool_choice', 'parallel_tool_calls']) {
    if (body[field] !== undefined && body['tools'] === undefined) {
      throw badField(
        `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`,
        field,
      );
    }
  }
  if (asObject(body['stream_options']) !== undefined && body['stream'] !== true) {
    throw badField(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  if (body['max_tokens'] != null && body['max_completion_tokens'] != null) {
    throw badField(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
      'invalid_parameter_combination',
    );
  }
  if (body['top_logprobs'] != null && body['logprobs'] !== true) {
    throw badField("Invalid value for 'top_logprobs': 'logprobs' must be true.", 'top_logprobs');
  }
  checkTools(body);
  checkFormat(body);
}

function checkTools(body: JsonObject): void {
  const names = asObjects(body['tools']).map((tool, index) => {
    const kind = tool['type'] === 'custom' ? 'custom' : 'function';
    return checkFunction(asObject(tool[kind]) ?? {}, ['tools', index, kind], { nameLength: 64 });
  });
  const choice = asObject(body['tool_choice']);
  const chosen = asText((asObject(choice?.['function']) ?? asObject(choice?.['custom']))?.['name']);
  if (chosen !== undefined && !names.includes(chosen)) {
    throw badField(
      `Invalid value for 'tool_choice': no tool named '${chosen}' was specified in the 'tools' parameter.`,
      'tool_choice',
    );
  }
}

function checkFormat(body: JsonObject): void {
  const format = asObject(body['response_format']);
  if (format?.['type'] === 'json_object' && !/json/i.test(JSON.stringify(asList(body['messages'])))) {
    throw badField(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    );
  }
  const inner = asObject(format?.['json_schema']);
  if (inner?.['strict'] === true) {
    const name = asText(inner['name']) ?? '';
    checkStrictSchema(asObject(inner['schema']) ?? {}, `response_format '${name}'`, 'response_format');
  }
}

/** Models that reason, but accept stop sequences all the same (recorded from o3-mini). */
const TAKES_STOP = /\/(?:o1|o3-mini)/;

/**
 * Checks the rules that hold for this model.
 * @throws Refused with OpenAI's own error
 */
export function checkModelLimits(body: JsonObject, model: Model): void {
  const effort = asText(body['reasoning_effort']);
  const reasons = !answersAtOnce(model, effort);
  // OpenAI rejects it for every model that can reason. Here the models that answer at once accept it, since most
  // examples contain it.
  if (reasons && body['max_tokens'] != null) {
    throw unsupported(
      'max_tokens',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    );
  }
  const field = body['max_tokens'] != null ? 'max_tokens' : 'max_completion_tokens';
  const limit = asNumber(body[field]) ?? 0;
  if (limit > model.maxOutputTokens) {
    throw badField(
      `${field} is too large: ${limit}. This model supports at most ${model.maxOutputTokens} completion tokens, whereas you provided ${limit}.`,
      field,
      'invalid_value',
    );
  }
  if (reasons && body['stop'] != null && !TAKES_STOP.test(model.id)) {
    throw unsupported('stop');
  }
  if (body['web_search_options'] !== undefined && !/search/.test(model.id)) {
    throw badField('Web search options not supported with this model.', 'web_search_options');
  }
  if (asObject(body['response_format'])?.['type'] === 'json_schema' && model.structuredOutput === false) {
    throw badRequest({
      message:
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about " +
        'supported models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs',
      subject: { thing: 'setting', path: ['response_format', 'type'] },
    });
  }
  checkAudio(body, model);
  checkSampling(body, model, effort, ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']);
  checkEffort(effort, 'reasoning_effort', model);
}

function checkAudio(body: JsonObject, model: Model): void {
  if (model.input === undefined || model.input.includes('audio')) return;
  const index = asObjects(body['messages']).findIndex(({ content }) =>
    asObjects(content).some(({ type }) => type === 'input_audio'),
  );
  if (index < 0) return;
  const param = `messages[${index}]`;
  throw badField(
    `Invalid '${param}'. Content blocks are expected to be either text or image_url type.`,
    param,
    'invalid_value',
  );
}
