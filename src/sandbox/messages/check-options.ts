/** What messages demands of a request's options beyond their schema, and which of them each model accepts. */

import { modelName } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { newestSchema } from '../../conversation/rules/function-schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import { badRequest } from '../anthropic/words.ts';
import { nestedSchemas } from '../nested-schemas.ts';
import { about } from '../refusal-subject.ts';

/** The most characters of `user_id`, and what it must not contain. */
const MAX_USER_ID_LENGTH = 256;
const ADDRESS = /\S@\S+\.\S/;

/**
 * Checks the rules that hold for every model.
 * @throws Refused with Anthropic's own error
 */
export function checkOptions(body: JsonObject): void {
  const names = asObjects(body['tools']).flatMap(({ name }) => asText(name) ?? []);
  if (new Set(names).size < names.length) {
    throw badRequest('tools: Tool names must be unique.', about('tool names', 'tools'));
  }
  const choice = asObject(body['tool_choice']);
  if (choice !== undefined && choice['type'] !== 'none' && asList(body['tools']).length === 0) {
    throw badRequest('tool_choice may only be specified while providing tools.');
  }
  const chosen = asText(choice?.['name']);
  if (chosen !== undefined && !names.includes(chosen)) {
    throw badRequest(`Tool '${chosen}' not found in provided tools`);
  }
  if (asList(body['stop_sequences']).some((stop) => String(stop).trim() === '')) {
    throw badRequest('stop_sequences: each stop sequence must contain non-whitespace');
  }
  const user = asText(asObject(body['metadata'])?.['user_id']) ?? '';
  if (ADDRESS.test(user.slice(0, MAX_USER_ID_LENGTH))) {
    throw badRequest(
      'metadata.user_id: user_id appears to contain an email address. Please send a uuid or hash value instead.',
    );
  }
  checkTools(body);
  checkFormat(body);
}

function checkTools(body: JsonObject): void {
  const tools = asObjects(body['tools']);
  const keys = tools.map((tool) =>
    Object.keys(asObject(asObject(tool['input_schema'])?.['properties']) ?? {}),
  );
  const wrong = keys.findIndex((list) => list.some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)));
  if (wrong >= 0) {
    throw badRequest(
      `tools.${wrong}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
    );
  }
  const outdated = tools.findIndex((tool) => {
    const schema = asObject(tool['input_schema']) ?? {};
    return newestSchema(schema) !== schema;
  });
  if (outdated >= 0) {
    throw badRequest(
      `tools.${outdated}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 ` +
        '(https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.',
    );
  }
  const union = tools.findIndex((tool) =>
    ['oneOf', 'allOf', 'anyOf'].some((key) => asObject(tool['input_schema'])?.[key] !== undefined),
  );
  if (union >= 0) {
    throw badRequest(
      `tools.${union}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    );
  }
  const strict = tools.filter((tool) => tool['strict'] === true).length;
  if (strict > 20) {
    throw badRequest(`Too many strict tools (${strict}). The maximum number of strict tools is 20.`);
  }
}

/** Every object of an enforced schema must be closed. */
function checkFormat(body: JsonObject): void {
  const format = asObject(asObject(body['output_config'])?.['format']) ?? asObject(body['output_format']);
  const schema = asObject(format?.['schema']);
  if (schema === undefined) return;
  for (const { at } of nestedSchemas(schema, ['anyOf', 'allOf'])) {
    if (at['type'] === 'object' && at['additionalProperties'] !== false) {
      throw badRequest(
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
      );
    }
  }
}

/**
 * Checks the rules that hold for this model.
 * @throws Refused with Anthropic's own error
 */
export function checkModelLimits(body: JsonObject, model: Model): void {
  const name = modelName(model.id);
  const limit = asNumber(body['max_tokens']) ?? 0;
  if (limit > model.maxOutputTokens) {
    throw badRequest(
      `max_tokens: ${limit} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${name}`,
    );
  }
  checkSampling(body, model);
  checkEffort(body, model);
  checkThinkingType(body, model);
  checkForced(body, model);
  checkPrefill(body, model);
  checkStrict(body, model);
  if (asObject(body['output_config'])?.['format'] != null && model.structuredOutput === false) {
    throw badRequest(
      `'${name}' does not support output format.`,
      about('setting', 'output_config', 'format'),
    );
  }
}

/** Models that enforce no schema do not know the field. */
function checkStrict(body: JsonObject, model: Model): void {
  if (model.structuredOutput !== false) return;
  const index = asObjects(body['tools']).findIndex((tool) => tool['strict'] !== undefined);
  if (index < 0) return;
  const path = ['tools', index, 'custom', 'strict'];
  throw badRequest(`${path.join('.')}: Extra inputs are not permitted`, about('unknown field', ...path));
}

function checkSampling(body: JsonObject, model: Model): void {
  if (model.sampling === false) {
    for (const field of ['temperature', 'top_p', 'top_k']) {
      const value = body[field];
      if (value === undefined || (field === 'temperature' && value === 1)) continue;
      throw badRequest(`\`${field}\` is deprecated for this model.`, about('setting', field));
    }
    return;
  }
  if (body['temperature'] !== undefined && body['top_p'] !== undefined && /-4-[5-9]/.test(model.id)) {
    throw badRequest(
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    );
  }
}

function checkEffort(body: JsonObject, model: Model): void {
  const effort = asText(asObject(body['output_config'])?.['effort']);
  if (effort === undefined) return;
  const known = model.thinking?.efforts ?? [];
  if (known.length === 0) {
    throw badRequest(
      'This model does not support the effort parameter.',
      about('setting', 'output_config', 'effort'),
    );
  }
  if (known.some((one) => one === effort)) return;
  throw badRequest(
    `This model does not support effort level '${effort}'. Supported levels: ${[...known].sort().join(', ')}.`,
    about('setting', 'output_config', 'effort'),
  );
}

function checkThinkingType(body: JsonObject, model: Model): void {
  const type = asText(asObject(body['thinking'])?.['type']);
  if (type === undefined) return;
  const { kinds = [], canDisable = true } = model.thinking ?? {};
  if (type === 'disabled') {
    if (canDisable) return;
    throw badRequest(
      '"thinking.type.disabled" is not supported for this model.',
      about('setting', 'thinking', 'type', 'disabled'),
    );
  }
  if (model.thinking === undefined) {
    throw badRequest('This model does not support thinking.', about('setting', 'thinking'));
  }
  if (type === 'enabled' && !kinds.includes('budget')) {
    throw badRequest(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      about('setting', 'thinking', 'type', 'enabled'),
    );
  }
  if (type === 'adaptive' && !kinds.includes('effort')) {
    throw badRequest(
      'adaptive thinking is not supported on this model',
      about('setting', 'thinking', 'type', 'adaptive'),
    );
  }
}

/**
 * Newer models, which always reason, cannot be forced to call a tool. The error is worded as the one for a reasoning
 * budget.
 */
function checkForced(body: JsonObject, model: Model): void {
  const choice = asText(asObject(body['tool_choice'])?.['type']);
  if (model.forcedTools !== false || (choice !== 'any' && choice !== 'tool')) return;
  throw badRequest('Thinking may not be enabled when tool_choice forces tool use.');
}

/** An answer that the caller begins: older models continue it, newer ones reject it. */
function checkPrefill(body: JsonObject, model: Model): void {
  const last = asObjects(body['messages']).at(-1);
  if (last?.['role'] !== 'assistant') return;
  if (model.thinking?.kinds.includes('effort')) {
    throw badRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const { content } = last;
  const text = typeof content === 'string' ? content : asText(asObjects(content).at(-1)?.['text']);
  if (text !== undefined && /\s$/.test(text)) {
    throw badRequest('messages: final assistant content cannot end with trailing whitespace');
  }
}
