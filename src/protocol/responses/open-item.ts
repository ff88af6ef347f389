/** An item between its `added` and its `done`, with its parts and texts in their order. */

import { asText, type JsonObject } from '../../lib/json.ts';
import { getKind, isCount, isName, show } from '../shape.ts';
import { itemTexts, partText } from './item.ts';
import type { Report } from './rules.ts';

/** The list of an item that has its parts: those of a message or of reasoning, or the commands of a shell. */
type Place = 'content' | 'summary' | 'command';

/** For each text event, by its name without `.delta` or `.done`: the place, kind and field of the text. */
export const TEXTS: Readonly<
  Record<string, { readonly place: Place | 'item'; readonly kind: string; readonly field: string }>
> = {
  'response.output_text': { place: 'content', kind: 'output_text', field: 'text' },
  'response.refusal': { place: 'content', kind: 'refusal', field: 'refusal' },
  'response.reasoning_text': { place: 'content', kind: 'reasoning_text', field: 'text' },
  'response.reasoning_summary_text': { place: 'summary', kind: 'summary_text', field: 'text' },
  'response.function_call_arguments': { place: 'item', kind: 'function_call', field: 'arguments' },
  'response.mcp_call_arguments': { place: 'item', kind: 'mcp_call', field: 'arguments' },
  'response.custom_tool_call_input': { place: 'item', kind: 'custom_tool_call', field: 'input' },
  'response.code_interpreter_call_code': { place: 'item', kind: 'code_interpreter_call', field: 'code' },
  'response.shell_call_command': { place: 'command', kind: 'shell_call', field: 'command' },
};

/** Kinds of items whose text must have its `done`. */
const SPOKEN = new Set(['function_call', 'custom_tool_call']);

interface Text {
  readonly kind: string;
  readonly place: Place | 'item';
  readonly index: number;
  text: string;
  done: boolean;
}

/** An item that is not done yet. */
export interface OpenItem {
  readonly id: string | undefined;
  readonly kind: string;
  /** The text of the item itself: the arguments of a call. */
  readonly own: Text;
  part: Text | undefined;
  /** The index of the next part in each list. */
  readonly next: Record<Place, number>;
  /** The texts of the parts that are done. */
  readonly texts: Readonly<Record<Place, string[]>>;
}

/** An item that was just added. */
export function openItem(item: JsonObject): OpenItem {
  return {
    id: asText(item['id']),
    kind: getKind(item),
    own: { kind: getKind(item), place: 'item', index: 0, text: '', done: false },
    part: undefined,
    next: { content: 0, summary: 0, command: 0 },
    texts: { content: [], summary: [], command: [] },
  };
}

/** Opens a part, and reports one that is out of order. */
export function addPart(
  item: OpenItem,
  place: Place,
  event: JsonObject,
  part: JsonObject,
  report: Report,
): void {
  const at = event[`${place}_index`];
  if (item.part) report('part-overlap', `part ${show(at)} while ${item.part.index} is open`);
  if (at !== item.next[place]) report('part-index', `${show(at)} where ${item.next[place]} is next`);
  item.part = {
    kind: getKind(part),
    place,
    index: isCount(at) ? at : item.next[place],
    text: partText(part),
    done: false,
  };
  item.next[place] = item.part.index + 1;
}

/** Closes a part, and reports if its `done` says something else than its deltas. */
export function endPart(
  item: OpenItem,
  place: Place,
  event: JsonObject,
  part: JsonObject,
  report: Report,
): void {
  const open = item.part;
  if (open?.place !== place || event[`${place}_index`] !== open.index) {
    report('part-unopened', `done of part ${show(event[`${place}_index`])}`);
    return;
  }
  if (!open.done) report('text-undone', `part ${open.index}`);
  if (partText(part) !== open.text) report('done-text', `part: ${show(partText(part))}`);
  item.texts[place].push(open.text);
  item.part = undefined;
}

/** The text that an event is about; if it is not open, that is reported, and the result is undefined. */
function findText(item: OpenItem, base: string, event: JsonObject, report: Report): Text | undefined {
  const known = TEXTS[base];
  if (!known) return undefined;
  const text = known.place === 'item' ? item.own : item.part;
  if (!text || (known.place !== 'item' && event[`${known.place}_index`] !== text.index)) {
    report('part-unopened', base);
    return undefined;
  }
  if (text.kind !== known.kind) report('part-kind', `${base} in ${text.kind}`);
  return text;
}

/** Adds a delta to a text. */
export function addText(item: OpenItem, base: string, event: JsonObject, report: Report): void {
  const text = findText(item, base, event, report);
  if (!text) return;
  if (text.done) report('after-done', base);
  const { delta } = event;
  if (typeof delta === 'string') text.text += delta;
  else report('delta-text', show(delta));
}

/** Closes a text, and reports if its `done` says something else than its deltas. */
export function endText(item: OpenItem, base: string, event: JsonObject, report: Report): void {
  const text = findText(item, base, event, report);
  if (!text) return;
  const whole = event[TEXTS[base]?.field ?? ''];
  if (text.done) report('after-done', base);
  if (text.text === '' && isName(whole)) report('delta-missing', base);
  else if (whole !== text.text) report('done-text', `${base}: ${show(whole)}`);
  if (typeof whole === 'string') text.text = whole;
  text.done = true;
}

/** Compares the `done` of an item with everything that came before it. */
export function endItem(open: OpenItem, item: JsonObject, report: Report): void {
  if (open.id !== asText(item['id'])) report('item-id', `${show(item['id'])} was added as ${show(open.id)}`);
  if (open.kind !== getKind(item)) report('item-id', `${getKind(item)} was added as ${open.kind}`);
  if (open.part) report('part-unclosed', `part ${open.part.index}`);
  if (SPOKEN.has(open.kind) && !open.own.done) report('text-undone', open.kind);
  const said = [...open.texts.summary, ...open.texts.content, ...open.texts.command];
  if (open.own.done) said.push(open.own.text);
  const final = itemTexts(item);
  if (isCompared(open) && (final.length !== said.length || final.some((text, at) => text !== said[at]))) {
    report('done-text', `item: ${show(final)}`);
  }
}

/** Whether an item's texts are compared. Hosted tools repeat theirs in other forms, and clients do not rely on them. */
function isCompared({ kind, next }: OpenItem): boolean {
  return kind === 'message' || kind === 'reasoning' || SPOKEN.has(kind) || next.command > 0;
}
