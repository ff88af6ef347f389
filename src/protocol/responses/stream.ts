/**
 * The events of a responses stream (OpenAI API reference, "Streaming events"): the response is created, its items are
 * added and done one after another, parts and texts within them likewise, and the response ends, whole.
 */

import { asObject, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { checkArguments, checkIds, checkItem, type ItemIds, itemTexts, kindOf } from './item.ts';
import { addPart, addText, endItem, endPart, endText, type OpenItem, openItem, TEXTS } from './open-item.ts';
import { checkResponse, outputOf } from './response.ts';
import { excused, type Rule } from './rules.ts';

/** Events that carry the response, and the status it then has. */
const STATUS: Readonly<Record<string, string>> = {
  'response.created': 'in_progress',
  'response.queued': 'queued',
  'response.in_progress': 'in_progress',
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Events of parts: where the part is. */
const PARTS: Readonly<Record<string, 'content' | 'summary'>> = {
  'response.content_part': 'content',
  'response.reasoning_part': 'content',
  'response.reasoning_summary_part': 'summary',
};

/** A validator of one stream. */
export function responsesValidator(options?: ValidateOptions): Validator {
  const log = violationLog<Rule>(excused, options);
  const ids: ItemIds = { items: new Set(), calls: new Set() };
  const open = new Map<number, OpenItem>();
  const done = new Map<number, JsonObject>();
  let index = -1;
  let id: string | undefined;
  let created = false;
  let inProgress = false;
  let items = 0;
  let errored = false;
  let ended = false;
  let failed = false;

  const say = (rule: Rule, detail: string): void => log.say(rule, index, detail);

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
    if (TERMINAL.has(type)) close(type, response);
  }

  function close(type: string, response: JsonObject): void {
    ended = true;
    failed = failed || type === 'response.failed';
    if (failed) return;
    for (const at of open.keys()) say('item-unclosed', `item ${at}`);
    const output = outputOf(response);
    const due = [...done].sort(([a], [b]) => a - b);
    if (output.length !== due.length) say('final-output', `${output.length} of ${due.length} items`);
    output.forEach((item, at) => {
      const before = due[at]?.[1];
      if (before && item['id'] !== before['id']) say('final-ids', show(item['id']));
      if (before && !sameItem(item, before)) say('final-output', `item ${at}: ${show(item)}`);
    });
  }

  function addItem(at: unknown, item: JsonObject): void {
    if (!inProgress) say('in-progress-second', 'an item came before it');
    if (open.size > 0) say('item-overlap', `item ${items} while ${[...open.keys()].join()} is open`);
    if (at !== items) say('item-index', `${String(at)} where ${items} is next`);
    checkItem(item, say);
    checkIds(item, ids, say);
    open.set(typeof at === 'number' ? at : items, openItem(item));
    items += 1;
  }

  /** The item an event belongs to; undefined, and said, where it is not open. */
  function itemOf(type: string, event: JsonObject): OpenItem | undefined {
    const { output_index: at, item_id: itemId } = event;
    const item = typeof at === 'number' ? open.get(at) : undefined;
    if (!item) say('item-unopened', `${type} of item ${show(at)}`);
    else if (itemId !== item.id && (itemId !== undefined || named(type))) say('item-id', show(itemId));
    return item;
  }

  function follow(type: string, event: JsonObject): void {
    if (type === 'response.output_item.added') {
      addItem(event['output_index'], asObject(event['item']) ?? {});
      return;
    }
    // Events about the whole response that are not known here are let through.
    if (event['output_index'] === undefined && !named(type)) return;
    if (type === 'response.output_item.done') {
      endOpenItem(event);
      return;
    }
    const item = itemOf(type, event);
    if (!item) return;
    const dot = type.lastIndexOf('.');
    const base = type.slice(0, dot);
    const verb = type.slice(dot + 1);
    const place = Object.hasOwn(PARTS, base) ? PARTS[base] : undefined;
    if (place) {
      const part = asObject(event['part']) ?? {};
      if (verb === 'added') addPart(item, place, event, part, say);
      if (verb === 'done') endPart(item, place, event, part, say);
    } else if (Object.hasOwn(TEXTS, base)) {
      // A command is a part that is one text, so that its events are those of both.
      const part = isCommand(base) && { type: item.kind, text: event['command'] ?? '' };
      if (part && verb === 'added') addPart(item, 'command', event, part, say);
      if (verb === 'delta') addText(item, base, event, say);
      if (verb === 'done') endText(item, base, event, say);
      if (part && verb === 'done') endPart(item, 'command', event, part, say);
    }
  }

  function endOpenItem(event: JsonObject): void {
    const at = event['output_index'];
    const item = asObject(event['item']) ?? {};
    const known = typeof at === 'number' ? open.get(at) : undefined;
    if (!known || typeof at !== 'number') {
      say('item-unopened', `done of item ${show(at)}`);
      return;
    }
    checkItem(item, say);
    checkArguments(item, say);
    endItem(known, item, say);
    open.delete(at);
    done.set(at, item);
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
      else follow(type, value);
    },
    end() {
      index += 1;
      if (!created && !failed) say('created-first', 'it never came');
      if (!ended && !failed) say('terminal-missing', 'the stream ended without it');
      return log.all;
    },
  };
}

/** Whether an event of this type must say which item it belongs to. */
function named(type: string): boolean {
  const base = type.slice(0, type.lastIndexOf('.'));
  const isText = Object.hasOwn(TEXTS, base) && !isCommand(base);
  return Object.hasOwn(PARTS, base) || isText || base === 'response.output_item';
}

function isCommand(base: string): boolean {
  return TEXTS[base]?.place === 'command';
}

function sameItem(item: JsonObject, before: JsonObject): boolean {
  if (kindOf(item) !== kindOf(before)) return false;
  if (item['call_id'] !== before['call_id'] || item['name'] !== before['name']) return false;
  const texts = itemTexts(before);
  const told = itemTexts(item);
  return told.length === texts.length && told.every((text, at) => text === texts[at]);
}
