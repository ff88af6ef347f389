/** The kinds of output items, what each must have, and the texts in them. */

import { asList, asObject, asObjects, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { misfit, type Shape, show } from '../shape.ts';
import type { Rule } from './rules.ts';

/** Kinds not named here are let through with an `id` and a `type`. */
const SHAPES: Readonly<Record<string, Shape>> = {
  message: {
    id: 'a non-empty string',
    role: 'a non-empty string',
    content: 'a list',
    status: 'a non-empty string',
  },
  reasoning: { id: 'a non-empty string', summary: 'a list' },
  function_call: { call_id: 'a non-empty string', name: 'a non-empty string', arguments: 'a string' },
  custom_tool_call: { call_id: 'a non-empty string', name: 'a non-empty string', input: 'a string' },
  shell_call: { call_id: 'a non-empty string', action: 'an object', status: 'a non-empty string' },
  local_shell_call: { call_id: 'a non-empty string', action: 'an object', status: 'a non-empty string' },
  apply_patch_call: { call_id: 'a non-empty string', operation: 'an object', status: 'a non-empty string' },
};

const PLAIN: Shape = { id: 'a non-empty string', type: 'a non-empty string' };

/** Ids that were met. */
export interface ItemIds {
  readonly items: Set<string>;
  readonly calls: Set<string>;
}

/** The `type` of an item or a part; '' where it has none. */
export function kindOf(value: JsonObject): string {
  return asText(value['type']) ?? '';
}

/** Says what an item lacks. */
export function checkItem(item: JsonObject, say: (rule: Rule, detail: string) => void): void {
  const kind = kindOf(item);
  const wrong = misfit(item, (Object.hasOwn(SHAPES, kind) ? SHAPES[kind] : undefined) ?? PLAIN);
  if (wrong !== undefined) say('item-shape', `${kind}: ${wrong}`);
}

/** Says whether an item's ids were met before. */
export function checkIds(item: JsonObject, ids: ItemIds, say: (rule: Rule, detail: string) => void): void {
  const id = asText(item['id']);
  const call = kindOf(item).endsWith('_call') ? asText(item['call_id']) : undefined;
  if (id !== undefined && ids.items.has(id)) say('item-same', `id \`${id}\` a second time`);
  if (call !== undefined && ids.calls.has(call)) say('item-same', `call_id \`${call}\` a second time`);
  if (id !== undefined) ids.items.add(id);
  if (call !== undefined) ids.calls.add(call);
}

/** Says whether a finished function call has arguments that are none. */
export function checkArguments(item: JsonObject, say: (rule: Rule, detail: string) => void): void {
  if (kindOf(item) !== 'function_call' || item['status'] === 'incomplete') return;
  const text = asText(item['arguments']) ?? '';
  if (asObject(tryParseJson(text)) === undefined) say('call-arguments', show(text));
}

/** The text of a part: visible, refused or thought. */
export function partText(part: JsonObject): string {
  return asText(part['text']) ?? asText(part['refusal']) ?? '';
}

/** All text of an item, to be compared: what a call is given, or what its parts say. */
export function itemTexts(item: JsonObject): readonly string[] {
  const given = asText(item['arguments']) ?? asText(item['input']) ?? asText(item['code']);
  const parts = [...asObjects(item['summary']), ...asObjects(item['content'])].map(partText);
  const commands = asList(asObject(item['action'])?.['commands']).map(String);
  return [...parts, ...commands, ...(given === undefined ? [] : [given])];
}
