/** The events of a stream that say something of an item (OpenAI API reference, "Streaming events"). */

import type { Json } from '../../../lib/json.ts';

/** A kind of text of a message or of reasoning: which part it is, and in which list and field of its item it stands. */
export interface SpokenKind {
  readonly part: 'text' | 'refusal' | 'thinking';
  readonly list: 'content' | 'summary';
  readonly index: 'content_index' | 'summary_index';
  readonly field: 'text' | 'refusal';
}

/** What a call is given. */
export interface GivenKind {
  readonly part: 'tool-call';
  readonly field: 'arguments' | 'input';
}

const OUTPUT: SpokenKind = { part: 'text', list: 'content', index: 'content_index', field: 'text' };
const REFUSAL: SpokenKind = { part: 'refusal', list: 'content', index: 'content_index', field: 'refusal' };
export const THOUGHT: SpokenKind = {
  part: 'thinking',
  list: 'content',
  index: 'content_index',
  field: 'text',
};
const SUMMARY: SpokenKind = { part: 'thinking', list: 'summary', index: 'summary_index', field: 'text' };
const ARGUMENTS: GivenKind = { part: 'tool-call', field: 'arguments' };
const INPUT: GivenKind = { part: 'tool-call', field: 'input' };

/** The kind of a part of an item, by the part's `type`. */
export const PART_KINDS: ReadonlyMap<Json | undefined, SpokenKind> = new Map([
  ['output_text', OUTPUT],
  ['refusal', REFUSAL],
  ['reasoning_text', THOUGHT],
  ['summary_text', SUMMARY],
]);

/** What an event says: the item comes or is done; a part comes; a piece of its text, a citation in it, or all of it. */
export interface ItemEvent {
  readonly verb: 'item' | 'item-done' | 'part' | 'piece' | 'cite' | 'whole';
  /** Whose text; the part itself tells where it is a part that comes. */
  readonly kind: SpokenKind | GivenKind;
}

/** All others only tell of progress, or repeat what these say. */
export const ITEM_EVENTS: ReadonlyMap<string, ItemEvent> = new Map([
  ['response.output_item.added', { verb: 'item', kind: OUTPUT }],
  ['response.output_item.done', { verb: 'item-done', kind: OUTPUT }],
  ['response.content_part.added', { verb: 'part', kind: OUTPUT }],
  ['response.output_text.delta', { verb: 'piece', kind: OUTPUT }],
  ['response.output_text.annotation.added', { verb: 'cite', kind: OUTPUT }],
  ['response.output_text.done', { verb: 'whole', kind: OUTPUT }],
  ['response.refusal.delta', { verb: 'piece', kind: REFUSAL }],
  ['response.refusal.done', { verb: 'whole', kind: REFUSAL }],
  ['response.reasoning_text.delta', { verb: 'piece', kind: THOUGHT }],
  ['response.reasoning_text.done', { verb: 'whole', kind: THOUGHT }],
  // As the Open Responses specification, and the services that go by it, call the same (openresponses.org).
  ['response.reasoning.delta', { verb: 'piece', kind: THOUGHT }],
  ['response.reasoning.done', { verb: 'whole', kind: THOUGHT }],
  ['response.reasoning_summary_text.delta', { verb: 'piece', kind: SUMMARY }],
  ['response.reasoning_summary_text.done', { verb: 'whole', kind: SUMMARY }],
  ['response.function_call_arguments.delta', { verb: 'piece', kind: ARGUMENTS }],
  ['response.function_call_arguments.done', { verb: 'whole', kind: ARGUMENTS }],
  ['response.custom_tool_call_input.delta', { verb: 'piece', kind: INPUT }],
  ['response.custom_tool_call_input.done', { verb: 'whole', kind: INPUT }],
]);
