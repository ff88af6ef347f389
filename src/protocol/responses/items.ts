/** The output items of a responses stream: they are added and done one after another, with their texts in between. */

import { asObject, type JsonObject } from '../../lib/json.ts';
import { getKind, show } from '../shape.ts';
import { checkArguments, checkIds, checkItem, type ItemIds, itemTexts } from './item.ts';
import { addPart, addText, endItem, endPart, endText, type OpenItem, openItem, TEXTS } from './open-item.ts';
import { getOutput } from './response.ts';
import type { Report } from './rules.ts';

/** The list that holds the part of each kind of part event. */
const PARTS: ReadonlyMap<string, 'content' | 'summary'> = new Map([
  ['response.content_part', 'content'],
  ['response.reasoning_part', 'content'],
  ['response.reasoning_summary_part', 'summary'],
]);

/**
 * A checker of the items of one stream, which has seen none.
 * @param isInProgress whether `response.in_progress` has come. @param report receives a violation.
 */
export function itemChecker(isInProgress: () => boolean, report: Report) {
  const ids: ItemIds = { items: new Set(), calls: new Set() };
  const open = new Map<number, OpenItem>();
  const done = new Map<number, JsonObject>();
  let items = 0;

  function addItem(at: unknown, item: JsonObject): void {
    if (!isInProgress()) report('in-progress-second', 'an item came before it');
    if (open.size > 0) report('item-overlap', `item ${items} while ${[...open.keys()].join()} is open`);
    if (at !== items) report('item-index', `${String(at)} where ${items} is next`);
    checkItem(item, report);
    checkIds(item, ids, report);
    open.set(typeof at === 'number' ? at : items, openItem(item));
    items += 1;
  }

  /** The item that an event belongs to; if it is not open, that is reported, and the result is undefined. */
  function findItem(type: string, event: JsonObject): OpenItem | undefined {
    const { output_index: at, item_id: itemId } = event;
    const item = typeof at === 'number' ? open.get(at) : undefined;
    if (!item) report('item-unopened', `${type} of item ${show(at)}`);
    else if (itemId !== item.id && (itemId !== undefined || named(type))) report('item-id', show(itemId));
    return item;
  }

  /** Checks an event about an item. */
  function follow(type: string, event: JsonObject): void {
    if (type === 'response.output_item.added') {
      addItem(event['output_index'], asObject(event['item']) ?? {});
      return;
    }
    // Unknown events about the whole response pass.
    if (event['output_index'] === undefined && !named(type)) return;
    if (type === 'response.output_item.done') {
      endOpenItem(event);
      return;
    }
    const item = findItem(type, event);
    if (item) addToItem(item, type, event);
  }

  /** Checks an event about a part or a text. A command is a part of one text, so its events are those of both. */
  function addToItem(item: OpenItem, type: string, event: JsonObject): void {
    const dot = type.lastIndexOf('.');
    const base = type.slice(0, dot);
    const verb = type.slice(dot + 1);
    const isText = Object.hasOwn(TEXTS, base);
    const place = isCommand(base) ? 'command' : PARTS.get(base);
    const part = isText ? { type: item.kind, text: event['command'] ?? '' } : (asObject(event['part']) ?? {});
    if (place && verb === 'added') addPart(item, place, event, part, report);
    if (isText) addToText(item, base, verb, event);
    if (place && verb === 'done') endPart(item, place, event, part, report);
  }

  function addToText(item: OpenItem, base: string, verb: string, event: JsonObject): void {
    if (verb === 'delta') addText(item, base, event, report);
    else if (verb === 'done') endText(item, base, event, report);
  }

  function endOpenItem(event: JsonObject): void {
    const at = event['output_index'];
    const item = asObject(event['item']) ?? {};
    const known = typeof at === 'number' ? open.get(at) : undefined;
    if (!known || typeof at !== 'number') {
      report('item-unopened', `done of item ${show(at)}`);
      return;
    }
    checkItem(item, report);
    checkArguments(item, report);
    endItem(known, item, report);
    open.delete(at);
    done.set(at, item);
  }

  return {
    add: follow,
    /** Checks the last response of the stream against the items that came. */
    end(response: JsonObject): void {
      for (const at of open.keys()) report('item-unclosed', `item ${at}`);
      const output = getOutput(response);
      const due = [...done].sort(([a], [b]) => a - b);
      if (output.length !== due.length) report('final-output', `${output.length} of ${due.length} items`);
      output.forEach((item, at) => {
        const before = due[at]?.[1];
        if (before && item['id'] !== before['id']) report('final-ids', show(item['id']));
        if (before && !sameItem(item, before)) report('final-output', `item ${at}: ${show(item)}`);
      });
    },
  };
}

/** Whether an event of this type must name the item that it belongs to. */
function named(type: string): boolean {
  const base = type.slice(0, type.lastIndexOf('.'));
  const isText = Object.hasOwn(TEXTS, base) && !isCommand(base);
  return PARTS.has(base) || isText || base === 'response.output_item';
}

function isCommand(base: string): boolean {
  return TEXTS[base]?.place === 'command';
}

/** Whether an item of the last response says the same as when it was done. */
function sameItem(item: JsonObject, before: JsonObject): boolean {
  if (getKind(item) !== getKind(before)) return false;
  if (item['call_id'] !== before['call_id'] || item['name'] !== before['name']) return false;
  const texts = itemTexts(before);
  const final = itemTexts(item);
  return final.length === texts.length && final.every((text, at) => text === texts[at]);
}
