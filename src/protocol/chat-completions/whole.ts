/** A whole chat.completion (OpenAI API reference, "The chat completion object"). */

import { asList, asObject, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isName, misfit, show } from '../shape.ts';
import type { ValidateOptions } from '../validator.ts';
import { checkChoiceEnd, TEXTS } from './choice.ts';
import type { Rule } from './rules.ts';
import { checkUsage } from './usage.ts';

const BODY = {
  id: 'a non-empty string',
  created: 'a count',
  model: 'a non-empty string',
} as const;

/** Reports what is wrong with a whole answer. @returns whether it is an error body, which has rules of its own. */
export function checkWhole(
  body: JsonObject,
  say: (rule: Rule, detail: string) => void,
  { callForced = false }: ValidateOptions = {},
): boolean {
  const { choices, usage, object } = body;
  const error = findError(body);
  if (error !== undefined && error !== null) {
    if (!isObject(error) || typeof error['message'] !== 'string') say('error-shape', show(error));
    return true;
  }
  const wrong = misfit(body, BODY);
  if (wrong !== undefined) say('body-fields', wrong);
  if (object !== 'chat.completion') say('body-fields', `\`object\` is ${show(object)}`);
  if (!isList(choices)) say('choices-list', show(choices));
  else if (choices.length === 0) say('choice-missing', 'the answer has none');
  const callIds = new Set<string>();
  asList(choices).forEach((choice, at) => {
    if (isObject(choice)) checkChoice(choice, at, callIds, callForced, say);
    else say('choices-list', show(choice));
  });
  if (isObject(usage)) checkUsage(usage, say);
  else say('usage-missing', show(usage));
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
  say: (rule: Rule, detail: string) => void,
): void {
  const { index, finish_reason: finish, message } = choice;
  if (index !== at) say('choice-index', `${show(index)} where ${at} is due`);
  if (!isObject(message)) {
    say('message-fields', show(message));
    return;
  }
  const { role, content, tool_calls: calls, function_call: legacy } = message;
  const wrong = misfit(message, TEXTS);
  if (role !== 'assistant') say('message-fields', `\`role\` is ${show(role)}`);
  if (wrong !== undefined) say('message-fields', wrong);
  if (content === undefined) say('message-fields', 'no `content`');
  if (calls !== undefined && !isList(calls)) say('call-list', show(calls));
  const texts = asList(calls).flatMap((call) => checkCall(call, callIds, say));
  const older = asObject(legacy)?.['arguments'];
  if (typeof older === 'string') texts.push(older);
  if (typeof finish !== 'string') {
    say('finish-missing', `choice ${at}`);
    return;
  }
  checkChoiceEnd(
    { finish, calls: texts, callCount: asList(calls).length, legacy: isObject(legacy), forced },
    say,
  );
}

/** The arguments of a function call, which are checked with the choice's end; empty if there are none. */
function checkCall(call: Json, ids: Set<string>, say: (rule: Rule, detail: string) => void): string[] {
  if (!isObject(call)) {
    say('call-list', show(call));
    return [];
  }
  const { id, type } = call;
  const body = asObject(call['function']) ?? asObject(call['custom']) ?? {};
  if (!isName(id) || (type !== 'function' && type !== 'custom') || !isName(body['name']))
    say('call-head', show(call));
  if (isName(id) && ids.has(id)) say('call-id', `\`${id}\` a second time`);
  if (isName(id)) ids.add(id);
  const text = type === 'custom' ? body['input'] : body['arguments'];
  if (typeof text === 'string') return type === 'custom' ? [] : [text];
  say('call-piece', show(text));
  return [];
}
