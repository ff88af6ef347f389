/**
 * The events of a responses stream (OpenAI API reference, "Streaming events"): the response is created, its items are
 * added and done one after another, and so are the parts and texts in them; the last event carries the whole response.
 */

import { asObject, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { itemChecker } from './items.ts';
import { checkResponse } from './response.ts';
import { excused, type Rule } from './rules.ts';

/** The status of the response in each event that carries it. */
const STATUS: Readonly<Record<string, string>> = {
  'response.created': 'in_progress',
  'response.queued': 'queued',
  'response.in_progress': 'in_progress',
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** A validator of one responses stream. */
export function responsesValidator(options?: ValidateOptions): Validator {
  const log = violationLog<Rule>(excused, options);
  let index = -1;
  let id: string | undefined;
  let created = false;
  let inProgress = false;
  let errored = false;
  let ended = false;
  let failed = false;

  const say = (rule: Rule, detail: string): void => log.say(rule, index, detail);
  const items = itemChecker(() => inProgress, say);

  function addResponse(type: string, response: JsonObject): void {
    checkResponse(response, say);
    const { status } = response;
    // A background response is created queued.
    const queued = type === 'response.created' && status === 'queued';
    if (status !== STATUS[type] && !queued) say('status-event', `${show(status)} in ${type}`);
    id ??= asText(response['id']);
    if (response['id'] !== id) say('response-same', show(response['id']));
    if (type === 'response.created') {
      if (created || index > 0) say('created-first', `it is event ${index}`);
      created = true;
    }
    if (type === 'response.in_progress') inProgress = true;
    if (!TERMINAL.has(type)) return;
    ended = true;
    failed = failed || type === 'response.failed';
    if (!failed) items.end(response);
  }

  function addError(event: JsonObject): void {
    errored = true;
    failed = true;
    const { message } = asObject(event['error']) ?? event;
    if (typeof message !== 'string') say('error-shape', show(event));
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (data === '[DONE]') {
        say('done-word', ended ? 'at the end' : 'before the end');
        return;
      }
      if (ended) {
        say('after-terminal', show(data));
        return;
      }
      const value = asObject(tryParseJson(data));
      if (!value) {
        say('json', show(data));
        return;
      }
      const type = asText(value['type']) ?? '';
      if (event !== type) say('event-name', `${event ?? 'no name'} for ${show(value['type'])}`);
      const { sequence_number: number } = value;
      if (number === undefined) say('sequence-missing', type);
      else if (number !== index) say('sequence', `${show(number)} in event ${index}`);
      if (errored && type !== 'response.failed') say('after-error', type);
      if (type === 'error') {
        addError(value);
        return;
      }
      if (!created && type !== 'response.created') {
        say('created-first', `${type} before it`);
        created = true;
      }
      if (Object.hasOwn(STATUS, type)) addResponse(type, asObject(value['response']) ?? {});
      else items.add(type, value);
    },
    end() {
      index += 1;
      if (!created && !failed) say('created-first', 'it never came');
      if (!ended && !failed) say('terminal-missing', 'the stream ended without it');
      return log.all;
    },
  };
}
