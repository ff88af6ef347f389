/** What Gemini demands of a request's options beyond their schema, and which of them each model accepts. */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import { badRequest } from '../google/words.ts';
import { about } from '../refusal-subject.ts';

/**
 * Checks the rules that hold for every model.
 * @throws Refused with Google's own error
 */
export function checkOptions(body: JsonObject): void {
  const names = asObjects(body['tools']).flatMap((tool) =>
    asObjects(tool['functionDeclarations']).map(({ name }) => asText(name) ?? ''),
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw badRequest(`Duplicate function declaration found: ${twice}`, about('tool names', 'tools'));
  }
  const config = asObject(body['toolConfig']);
  const calling = asObject(config?.['functionCallingConfig']);
  if (calling && names.length === 0 && config?.['includeServerSideToolInvocations'] !== true) {
    throw badRequest('Function calling config is set without function_declarations.');
  }
  const allowed = asList(calling?.['allowedFunctionNames']).map(String);
  const mode = asText(calling?.['mode'])?.toUpperCase();
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw badRequest(
      'Allowed function names can only be set when function calling mode is ANY or VALIDATED.',
    );
  }
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw badRequest(`Allowed function name ${unknown} is not among the function declarations.`);
  }
}

/**
 * Checks the rules that hold for this model.
 * @throws Refused with Google's own error
 */
export function checkModelLimits(body: JsonObject, model: Model): void {
  const config = asObject(body['generationConfig']);
  checkThinking(asObject(config?.['thinkingConfig']), model);
  const declares = asObjects(body['tools']).some((tool) => asList(tool['functionDeclarations']).length > 0);
  if (declares && config?.['responseMimeType'] === 'application/json' && /gemini-[12]\b/.test(model.id)) {
    throw badRequest("Function calling with a response mime type: 'application/json' is unsupported");
  }
  const penalties = [config?.['presencePenalty'], config?.['frequencyPenalty']];
  if (model.thinking !== undefined && penalties.some((penalty) => (asNumber(penalty) ?? 0) !== 0)) {
    throw badRequest('Penalty is not enabled for this model');
  }
  if (declares && asObjects(body['tools']).some((tool) => tool['googleSearch'] !== undefined)) {
    checkSearch(asObject(body['toolConfig']), model);
  }
  if (model.prefill === false && asObjects(body['contents']).at(-1)?.['role'] === 'model') {
    throw badRequest('Requests ending with a model turn are not supported.');
  }
  const limit = asNumber(config?.['maxOutputTokens']) ?? 0;
  if (limit > model.maxOutputTokens) {
    throw badRequest(
      `Unable to submit request because it has a maxOutputTokens value of ${limit} but the supported range is from 1 (inclusive) to ${model.maxOutputTokens + 1} (exclusive). Update the value and try again.`,
    );
  }
}

/** A search is combined with functions. */
function checkSearch(toolConfig: JsonObject | undefined, model: Model): void {
  if (/gemini-[12]\b/.test(model.id)) {
    throw badRequest('Tool use with function calling is unsupported by the model.');
  }
  if (toolConfig?.['includeServerSideToolInvocations'] === true) return;
  throw badRequest(
    'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
  );
}

function checkThinking(thinking: JsonObject | undefined, model: Model): void {
  if (thinking === undefined) return;
  const subject = about('setting', 'generationConfig', 'thinkingConfig');
  const budget = asNumber(thinking['thinkingBudget']);
  const named = asText(thinking['thinkingLevel'])?.toLowerCase();
  // The value 0 of the enum, which says nothing (`content.proto` of Vertex AI).
  const level = named === 'thinking_level_unspecified' ? undefined : named;
  if (budget !== undefined && level !== undefined) {
    throw badRequest('You can only set only one of thinking budget and thinking level.');
  }
  if (model.thinking === undefined) {
    if (budget === undefined && level === undefined) return;
    throw badRequest('Thinking is not enabled for this model.', subject);
  }
  const { efforts } = model.thinking;
  if (level !== undefined && !efforts.some((effort) => effort === level)) {
    throw badRequest(
      efforts.length === 0
        ? 'Thinking level is not supported for this model.'
        : `Thinking level ${level.toUpperCase()} is not supported for this model. Please retry with other thinking level.`,
      subject,
    );
  }
  if (budget !== undefined && budget !== -1) checkBudget(budget, model.thinking);
}

function checkBudget(budget: number, { budget: range, canDisable }: NonNullable<Model['thinking']>): void {
  if (range === undefined) return;
  if (budget === 0) {
    if (canDisable) return;
    throw badRequest('Budget 0 is invalid. This model only works in thinking mode.');
  }
  if (budget < range.min || budget > range.max) {
    throw badRequest(
      `The thinking budget ${budget} is invalid. Please choose a value between ${range.min} and ${range.max}.`,
    );
  }
}
