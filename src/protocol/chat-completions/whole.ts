/** A whole chat.completion (OpenAI API reference, "The chat completion object"). */

import { asList, asObject, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { misfit, show } from '../shape.ts';
import type { ValidateOptions } from '../validator.ts';
import { checkCallHead, checkChoiceEnd, getCallBody, TEXTS } from './choice.ts';
import type { Report } from './rules.ts';
import { checkUsage } from './usage.ts';

const BODY = {
  id: 'a non-empty string',
  created: 'a count',
  model: 'a non-empty string',
} as const;

/** Reports what is wrong with a whole answer. @returns whether it is an error body, which has rules of its own. */
export function checkWhole(
  body: JsonObject,
  report: Report,
  { callForced = false }: ValidateOptions = {},
): boolean {
  const { choices, usage, object } = body;
  const error = findError(body);
  if (error !== undefined && error !== null) {
    if (!isObject(error) || typeof error['message'] !== 'string') report('error-shape', show(error));
    return true;
  }
  const wrong = misfit(body, BODY);
  if (wrong !== undefined) report('body-fields', wrong);
  if (object !== 'chat.completion') report('body-fields', `\`object\` is ${show(object)}`);
  if (!isList(choices)) report('choices-list', show(choices));
  else if (choices.length === 0) report('choice-missing', 'the answer has none');
  const callIds = new Set<string>();
  asList(choices).forEach((choice, at) => {
    if (isObject(choice)) checkChoice(choice, at, callIds, callForced, report);
    else report('choices-list', show(choice));
  });
  if (isObject(usage)) checkUsage(usage, report);
  else report('usage-missing', show(usage));
  return false;
}

/** The error in an error body; undefined if there is none. Mistral's has another form. */
function findError({ error, choices, detail }: JsonObject): Json | undefined {
  return error ?? (choices === undefined ? detail : undefined);
}

function checkChoice(
  choice: JsonObject,
  at: number,
  callIds: Set<string>,
  forced: boolean,
  report: Report,
): void {
  const { index, finish_reason: finish, message } = choice;
  if (index !== at) report('choice-index', `${show(index)} where ${at} is due`);
  if (!isObject(message)) {
    report('message-fields', show(message));
    return;
  }
  const { role, content, tool_calls: calls, function_call: legacy } = message;
  const wrong = misfit(message, TEXTS);
  if (role !== 'assistant') report('message-fields', `\`role\` is ${show(role)}`);
  if (wrong !== undefined) report('message-fields', wrong);
  if (content === undefined) report('message-fields', 'no `content`');
  if (calls !== undefined && !isList(calls)) report('call-list', show(calls));
  const texts = asList(calls).flatMap((call) => checkCall(call, callIds, report));
  const older = asObject(legacy)?.['arguments'];
  if (typeof older === 'string') texts.push(older);
  if (typeof finish !== 'string') {
    report('finish-missing', `choice ${at}`);
    return;
  }
  checkChoiceEnd(
    { finish, calls: texts, callCount: asList(calls).length, legacy: isObject(legacy), forced },
    report,
  );
}

/** The arguments of a function call, which are checked with the choice's end; empty if there are none. */
function checkCall(call: Json, ids: Set<string>, report: Report): string[] {
  if (!isObject(call)) {
    report('call-list', show(call));
    return [];
  }
  const body = getCallBody(call);
  checkCallHead(call, body, ids, report);
  const isCustom = call['type'] === 'custom';
  const text = isCustom ? body['input'] : body['arguments'];
  if (typeof text === 'string') return isCustom ? [] : [text];
  report('call-piece', show(text));
  return [];
}
