/** The kinds of output items, the fields that each must have, and the texts in them. */

import { asList, asObject, asObjects, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { getKind, misfit, type Shape, show } from '../shape.ts';
import type { Report } from './rules.ts';

/** The fields of each kind. Any other kind must have an `id` and a `type`. */
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

/** The ids so far. */
export interface ItemIds {
  readonly items: Set<string>;
  readonly calls: Set<string>;
}

/** Reports what an item lacks. */
export function checkItem(item: JsonObject, report: Report): void {
  const kind = getKind(item);
  const wrong = misfit(item, (Object.hasOwn(SHAPES, kind) ? SHAPES[kind] : undefined) ?? PLAIN);
  if (wrong !== undefined) report('item-shape', `${kind}: ${wrong}`);
}

/** Reports ids of an item that another one has already. */
export function checkIds(item: JsonObject, ids: ItemIds, report: Report): void {
  const id = asText(item['id']);
  const call = getKind(item).endsWith('_call') ? asText(item['call_id']) : undefined;
  if (id !== undefined && ids.items.has(id)) report('item-same', `id \`${id}\` a second time`);
  if (call !== undefined && ids.calls.has(call)) report('item-same', `call_id \`${call}\` a second time`);
  if (id !== undefined) ids.items.add(id);
  if (call !== undefined) ids.calls.add(call);
}

/** Reports a finished function call whose arguments are not a JSON object. */
export function checkArguments(item: JsonObject, report: Report): void {
  if (getKind(item) !== 'function_call' || item['status'] === 'incomplete') return;
  const text = asText(item['arguments']) ?? '';
  if (asObject(tryParseJson(text)) === undefined) report('call-arguments', show(text));
}

/** The text of a part: visible text, a refusal or a thought. */
export function partText(part: JsonObject): string {
  return asText(part['text']) ?? asText(part['refusal']) ?? '';
}

/** All texts of an item, for comparison: the input of a call, or the texts of its parts. */
export function itemTexts(item: JsonObject): readonly string[] {
  const given = asText(item['arguments']) ?? asText(item['input']) ?? asText(item['code']);
  const parts = [...asObjects(item['summary']), ...asObjects(item['content'])].map(partText);
  const commands = asList(asObject(item['action'])?.['commands']).map(String);
  return [...parts, ...commands, ...(given === undefined ? [] : [given])];
}
