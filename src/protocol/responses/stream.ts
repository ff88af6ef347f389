/**
 * The events of a responses stream (OpenAI API reference, "Streaming events"): the response is created, its items are
 * added and done one after another, and so are the parts and texts in them; the last event carries the whole response.
 */

import { asObject, asText, type Json, type JsonObject, tryParseJson } from '../../lib/json.ts';
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
  const log = violationLog(excused, options);
  let index = -1;
  let id: string | undefined;
  let created = false;
  let inProgress = false;
  let errored = false;
  let ended = false;
  let failed = false;

  const report = (rule: Rule, detail: string): void => log.report(rule, index, detail);
  const items = itemChecker(() => inProgress, report);

  function addResponse(type: string, response: JsonObject): void {
    checkResponse(response, report);
    checkStatus(type, response['status']);
    id ??= asText(response['id']);
    if (response['id'] !== id) report('response-same', show(response['id']));
    if (type === 'response.created') addCreated();
    if (type === 'response.in_progress') inProgress = true;
    if (TERMINAL.has(type)) addTerminal(type, response);
  }

  function checkStatus(type: string, status: Json | undefined): void {
    // A background response is created queued.
    const queued = type === 'response.created' && status === 'queued';
    if (status !== STATUS[type] && !queued) report('status-event', `${show(status)} in ${type}`);
  }

  function addCreated(): void {
    if (created || index > 0) report('created-first', `it is event ${index}`);
    created = true;
  }

  function addTerminal(type: string, response: JsonObject): void {
    ended = true;
    failed ||= type === 'response.failed';
    if (!failed) items.end(response);
  }

  function addError(event: JsonObject): void {
    errored = true;
    failed = true;
    const { message } = asObject(event['error']) ?? event;
    if (typeof message !== 'string') report('error-shape', show(event));
  }

  function addObject(event: string | undefined, value: JsonObject): void {
    const type = asText(value['type']) ?? '';
    if (event !== type) report('event-name', `${event ?? 'no name'} for ${show(value['type'])}`);
    const { sequence_number: number } = value;
    if (number === undefined) report('sequence-missing', type);
    else if (number !== index) report('sequence', `${show(number)} in event ${index}`);
    if (errored && type !== 'response.failed') report('after-error', type);
    if (type === 'error') addError(value);
    else follow(type, value);
  }

  function follow(type: string, event: JsonObject): void {
    if (!created && type !== 'response.created') {
      report('created-first', `${type} before it`);
      created = true;
    }
    if (Object.hasOwn(STATUS, type)) addResponse(type, asObject(event['response']) ?? {});
    else items.add(type, event);
  }

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (data === '[DONE]') {
        report('done-word', ended ? 'at the end' : 'before the end');
        return;
      }
      if (ended) {
        report('after-terminal', show(data));
        return;
      }
      const value = asObject(tryParseJson(data));
      if (value) addObject(event, value);
      else report('json', show(data));
    },
    end() {
      index += 1;
      if (!created && !failed) report('created-first', 'it never came');
      if (!ended && !failed) report('terminal-missing', 'the stream ended without it');
      return log.all;
    },
  };
}
