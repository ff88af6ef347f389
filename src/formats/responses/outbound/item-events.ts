/** The events of a stream that are about an item (OpenAI API reference, "Streaming events"). */

import type { Json } from '../../../lib/json.ts';

/** A kind of text in a message or in reasoning: its part, and in which list and field of the item it is. */
export interface TextKind {
  readonly part: 'text' | 'refusal' | 'thinking';
  readonly list: 'content' | 'summary';
  readonly index: 'content_index' | 'summary_index';
  readonly field: 'text' | 'refusal';
}

/** A kind of input of a call, and the field of the item that has it. */
export interface CallInputKind {
  readonly part: 'tool-call';
  readonly field: 'arguments' | 'input';
}

const OUTPUT: TextKind = { part: 'text', list: 'content', index: 'content_index', field: 'text' };
const REFUSAL: TextKind = { part: 'refusal', list: 'content', index: 'content_index', field: 'refusal' };
export const REASONING: TextKind = {
  part: 'thinking',
  list: 'content',
  index: 'content_index',
  field: 'text',
};
const SUMMARY: TextKind = { part: 'thinking', list: 'summary', index: 'summary_index', field: 'text' };
const ARGUMENTS: CallInputKind = { part: 'tool-call', field: 'arguments' };
const INPUT: CallInputKind = { part: 'tool-call', field: 'input' };

/** The kind of a part of an item, by the part's `type`. */
export const PART_KINDS: ReadonlyMap<Json | undefined, TextKind> = new Map([
  ['output_text', OUTPUT],
  ['refusal', REFUSAL],
  ['reasoning_text', REASONING],
  ['summary_text', SUMMARY],
]);

/** What an event says about an item. */
export interface ItemEvent {
  /** `text-done` has a whole text, or the whole input of a call. */
  readonly type: 'item-added' | 'item-done' | 'part-added' | 'delta' | 'annotation' | 'text-done';
  /** The kind of the text. For `part-added` the part in the event says it. */
  readonly kind: TextKind | CallInputKind;
}

/** The item events by their names. All other events only report progress, or repeat what these say. */
export const ITEM_EVENTS: ReadonlyMap<string, ItemEvent> = new Map([
  ['response.output_item.added', { type: 'item-added', kind: OUTPUT }],
  ['response.output_item.done', { type: 'item-done', kind: OUTPUT }],
  ['response.content_part.added', { type: 'part-added', kind: OUTPUT }],
  ['response.output_text.delta', { type: 'delta', kind: OUTPUT }],
  ['response.output_text.annotation.added', { type: 'annotation', kind: OUTPUT }],
  ['response.output_text.done', { type: 'text-done', kind: OUTPUT }],
  ['response.refusal.delta', { type: 'delta', kind: REFUSAL }],
  ['response.refusal.done', { type: 'text-done', kind: REFUSAL }],
  ['response.reasoning_text.delta', { type: 'delta', kind: REASONING }],
  ['response.reasoning_text.done', { type: 'text-done', kind: REASONING }],
  // The names of the same events in the Open Responses specification, and at services that follow it (openresponses.org).
  ['response.reasoning.delta', { type: 'delta', kind: REASONING }],
  ['response.reasoning.done', { type: 'text-done', kind: REASONING }],
  ['response.reasoning_summary_text.delta', { type: 'delta', kind: SUMMARY }],
  ['response.reasoning_summary_text.done', { type: 'text-done', kind: SUMMARY }],
  ['response.function_call_arguments.delta', { type: 'delta', kind: ARGUMENTS }],
  ['response.function_call_arguments.done', { type: 'text-done', kind: ARGUMENTS }],
  ['response.custom_tool_call_input.delta', { type: 'delta', kind: INPUT }],
  ['response.custom_tool_call_input.done', { type: 'text-done', kind: INPUT }],
]);
