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
import { isCount, isName, show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { choiceChecker } from './choices.ts';
import { excused, type Rule } from './rules.ts';
import { checkUsage } from './usage.ts';

/** A validator of one chat-completions stream. */
export function chatCompletionsValidator(options: ValidateOptions = {}): Validator {
  const log = violationLog(excused, options);
  let index = -1;
  let head: JsonObject | undefined;
  let done = false;
  let failed = false;
  let usageSeen = false;
  let usageClosed = false;

  const report = (rule: Rule, detail: string): void => log.report(rule, index, detail);
  const choices = choiceChecker(report);

  function sameHead(chunk: JsonObject): void {
    if (chunk['object'] !== 'chat.completion.chunk') report('chunk-object', show(chunk['object']));
    const { id, model, created } = chunk;
    head ??= chunk;
    if (!isName(id) || id !== head['id']) report('chunk-id', show(id));
    if (!isName(model) || model !== head['model']) report('chunk-model', show(model));
    if (!isCount(created) || created !== head['created']) report('chunk-created', show(created));
  }

  function addUsage(usage: JsonObject, isAlone: boolean): void {
    if (usageSeen) report('usage-once', 'a second time');
    if (!isAlone) report('usage-place', 'beside choices');
    if (options.usageAsked === false) report('usage-unasked', 'nobody asked');
    usageSeen = true;
    usageClosed = isAlone;
    checkUsage(usage, report);
  }

  function addError(error: Json): void {
    failed = true;
    if (!isObject(error) || typeof error['message'] !== 'string') report('error-shape', show(error));
  }

  function addChunk(chunk: JsonObject): void {
    const { choices: list, error } = chunk;
    if (failed) report('after-error', show(chunk));
    if (error !== undefined && error !== null) {
      addError(error);
      return;
    }
    const isBare = asList(list).length === 0;
    // Azure's first chunk tells only how the prompt was filtered. Its id and model are empty.
    if (isBare && chunk['prompt_filter_results'] !== undefined) return;
    sameHead(chunk);
    if (!isBare || !isObject(chunk['moderation'])) addContents(chunk, isBare);
  }

  function addContents(chunk: JsonObject, isBare: boolean): void {
    const { choices: list, usage } = chunk;
    if (usageClosed) report('after-usage', show(chunk));
    if (!isList(list)) {
      report('choices-list', show(list));
      return;
    }
    if (isObject(usage)) addUsage(usage, isBare);
    else if (isBare) report('chunk-empty', show(chunk));
    for (const choice of list) choices.add(choice, index);
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (event !== undefined && event !== 'error') report('event-name', event);
      if (done) {
        report('after-done', show(data));
        return;
      }
      if (data === '[DONE]') {
        done = true;
        return;
      }
      const chunk = asObject(tryParseJson(data));
      if (chunk) addChunk(chunk);
      else report('json', show(data));
    },
    end() {
      index += 1;
      choices.end(done && !failed, options.callForced === true, log.report);
      if (failed) return log.all;
      if (choices.count() === 0) report('choice-missing', 'the stream has none');
      if (options.usageAsked === true && !usageSeen) report('usage-missing', 'it was asked for');
      if (done) return log.all;
      report(choices.hasOpen() ? 'cut-off' : 'done-missing', 'the stream ended without it');
      return log.all;
    },
  };
}
