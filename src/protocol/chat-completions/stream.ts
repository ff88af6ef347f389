/** The chunks of a chat-completions stream (OpenAI API reference, "The chat completion chunk object"). */

import {
  asList,
  asObject,
  isList,
  isObject,
  type Json,
  type JsonObject,
  tryParseJson,
} from '../../lib/json.ts';
import { isCount, isName, misfit, show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { checkChoiceEnd, TEXTS } from './choice.ts';
import { excused, type Rule } from './rules.ts';
import { checkUsage } from './usage.ts';

interface Call {
  readonly custom: boolean;
  text: string;
}

interface Choice {
  readonly calls: Map<number, Call>;
  legacy: boolean;
  legacyText: string;
  finish: string | undefined;
  finishedAt: number;
}

/** A validator of one stream. */
export function chatCompletionsValidator(options: ValidateOptions = {}): Validator {
  const log = violationLog<Rule>(excused, options);
  const choices = new Map<number, Choice>();
  const callIds = new Set<string>();
  let index = -1;
  let head: JsonObject | undefined;
  let done = false;
  let failed = false;
  let usageSeen = false;
  let usageClosed = false;

  const say = (rule: Rule, detail: string): void => log.say(rule, index, detail);

  function sameHead(chunk: JsonObject): void {
    if (chunk['object'] !== 'chat.completion.chunk') say('chunk-object', show(chunk['object']));
    const { id, model, created } = chunk;
    head ??= chunk;
    if (!isName(id) || id !== head['id']) say('chunk-id', show(id));
    if (!isName(model) || model !== head['model']) say('chunk-model', show(model));
    if (!isCount(created) || created !== head['created']) say('chunk-created', show(created));
  }

  function addUsage(usage: JsonObject, apart: boolean): void {
    if (usageSeen) say('usage-once', 'a second time');
    if (!apart) say('usage-place', 'beside choices');
    if (options.usageAsked === false) say('usage-unasked', 'nobody asked');
    usageSeen = true;
    usageClosed = apart;
    checkUsage(usage, say);
  }

  function openCall(choice: Choice, at: number, piece: JsonObject, body: JsonObject): Call {
    const { id, type } = piece;
    if (at !== choice.calls.size) say('call-index', `${at} where ${choice.calls.size} is next`);
    if (!isName(id) || (type !== 'function' && type !== 'custom') || !isName(body['name'])) {
      say('call-head', show(piece));
    }
    if (isName(id)) {
      if (callIds.has(id)) say('call-id', `\`${id}\` a second time`);
      callIds.add(id);
    }
    const call = { custom: type === 'custom', text: '' };
    choice.calls.set(at, call);
    return call;
  }

  function addCallPiece(choice: Choice, piece: JsonObject): void {
    const { id } = piece;
    const body = asObject(piece['function']) ?? asObject(piece['custom']) ?? {};
    let at = piece['index'];
    if (!isCount(at)) {
      say('call-index', `${show(at)} is none`);
      at = isName(id) && !callIds.has(id) ? choice.calls.size : Math.max(0, choice.calls.size - 1);
    }
    const known = choice.calls.get(at);
    const call = known ?? openCall(choice, at, piece, body);
    if (known && (id !== undefined || piece['type'] !== undefined || body['name'] !== undefined)) {
      say('call-head-repeated', show(piece));
    }
    const text = call.custom ? body['input'] : body['arguments'];
    if (typeof text === 'string') call.text += text;
    else say('call-piece', show(text));
  }

  function addDelta(choice: Choice, delta: JsonObject, first: boolean): void {
    const { role, tool_calls: calls, function_call: legacy } = delta;
    if (first && role !== 'assistant') say('role-first', show(role));
    if (!first && role !== undefined) say('role-repeated', show(role));
    const wrong = misfit(delta, TEXTS);
    if (wrong !== undefined) say('delta-text', wrong);
    if (calls !== undefined && !isList(calls)) say('call-list', show(calls));
    for (const piece of asList(calls)) {
      if (isObject(piece)) addCallPiece(choice, piece);
      else say('call-list', show(piece));
    }
    if (isObject(legacy)) {
      choice.legacy = true;
      const text = legacy['arguments'];
      if (typeof text === 'string') choice.legacyText += text;
    }
  }

  function addChoice(value: Json): void {
    if (!isObject(value)) {
      say('choices-list', show(value));
      return;
    }
    const { index: at, delta, finish_reason: finish } = value;
    if (!isCount(at)) {
      say('choice-index', show(at));
      return;
    }
    const known = choices.get(at);
    const choice = known ?? newChoice();
    if (!known) choices.set(at, choice);
    if (choice.finish !== undefined) say('after-finish', show(value));
    if (isObject(delta)) addDelta(choice, delta, known === undefined);
    else say('delta-object', show(delta));
    if (typeof finish === 'string') {
      choice.finish = finish;
      choice.finishedAt = index;
    } else if (finish !== null) say('finish-field', show(finish));
  }

  function addError(error: Json): void {
    failed = true;
    if (!isObject(error) || typeof error['message'] !== 'string') say('error-shape', show(error));
  }

  function addChunk(chunk: JsonObject): void {
    const { choices: list, usage, error } = chunk;
    if (failed) say('after-error', show(chunk));
    if (error !== undefined && error !== null) {
      addError(error);
      return;
    }
    const bare = asList(list).length === 0;
    // Azure's first chunk tells only how the prompt was filtered; its id and model are empty.
    if (bare && chunk['prompt_filter_results'] !== undefined) return;
    sameHead(chunk);
    if (bare && isObject(chunk['moderation'])) return;
    if (usageClosed) say('after-usage', show(chunk));
    if (!isList(list)) {
      say('choices-list', show(list));
      return;
    }
    if (isObject(usage)) addUsage(usage, bare);
    else if (bare) say('chunk-empty', show(chunk));
    for (const choice of list) addChoice(choice);
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (event !== undefined && event !== 'error') say('event-name', event);
      if (done) {
        say('after-done', show(data));
        return;
      }
      if (data === '[DONE]') {
        done = true;
        return;
      }
      const chunk = asObject(tryParseJson(data));
      if (chunk) addChunk(chunk);
      else say('json', show(data));
    },
    end() {
      index += 1;
      for (const [at, choice] of choices) {
        if (at >= choices.size) say('choice-index', `${at} of ${choices.size} choices`);
        if (choice.finish !== undefined) {
          const { finish, finishedAt, legacy, legacyText } = choice;
          const calls = [...choice.calls.values()].filter((call) => !call.custom).map((call) => call.text);
          if (legacy) calls.push(legacyText);
          const forced = options.callForced === true;
          const end = { finish, calls, callCount: choice.calls.size, legacy, forced };
          checkChoiceEnd(end, (rule, detail) => log.say(rule, finishedAt, detail));
        } else if (done && !failed) say('finish-missing', `choice ${at}`);
      }
      if (failed) return log.all;
      if (choices.size === 0) say('choice-missing', 'the stream has none');
      if (options.usageAsked === true && !usageSeen) say('usage-missing', 'it was asked for');
      if (done) return log.all;
      const open = [...choices.values()].some(({ finish }) => finish === undefined);
      say(open ? 'cut-off' : 'done-missing', 'the stream ended without it');
      return log.all;
    },
  };
}

function newChoice(): Choice {
  return { calls: new Map(), legacy: false, legacyText: '', finish: undefined, finishedAt: -1 };
}
