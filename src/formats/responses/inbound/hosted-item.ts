/** Writes an item of a tool that OpenAI runs itself: complete at once, with the progress events that OpenAI sends. */

import { asText, type JsonObject } from '../../../lib/json.ts';
import type { EventWriter, Place } from './output-item.ts';

/** The progress events of one type of item, before and after its text. */
interface Progress {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The text of the item that comes in deltas: its field, and the name of its events. */
  readonly text?: { readonly field: string; readonly event: string };
  /** The field that is null until the item is done. */
  readonly result?: string;
}

const PROGRESS: Readonly<Record<string, Progress>> = {
  web_search_call: { before: ['in_progress', 'searching'], after: ['completed'] },
  file_search_call: { before: ['in_progress', 'searching'], after: ['completed'] },
  image_generation_call: { before: ['in_progress', 'generating'], after: ['completed'], result: 'result' },
  mcp_list_tools: { before: ['in_progress'], after: ['completed'] },
  code_interpreter_call: {
    before: ['in_progress'],
    after: ['interpreting', 'completed'],
    text: { field: 'code', event: 'response.code_interpreter_call_code' },
  },
  mcp_call: {
    before: ['in_progress'],
    after: ['completed'],
    text: { field: 'arguments', event: 'response.mcp_call_arguments' },
  },
};

/** Writes all events that a stream has for the item. */
export function writeHostedItem({ id, index }: Place, item: JsonObject, events: EventWriter): void {
  const type = asText(item['type']) ?? '';
  const progress = Object.hasOwn(PROGRESS, type) ? PROGRESS[type] : undefined;
  const { before = [], after = [], text, result } = progress ?? {};
  const place = { item_id: id, output_index: index };
  const written = text && asText(item[text.field]);
  const added = {
    ...item,
    ...(item['status'] !== undefined && { status: 'in_progress' }),
    ...(text && written !== undefined && { [text.field]: '' }),
    ...(result !== undefined && { [result]: null }),
  };
  events.write('response.output_item.added', { output_index: index, item: added });
  for (const step of before) events.write(`response.${type}.${step}`, place);
  if (text && written !== undefined) {
    if (written !== '') events.write(`${text.event}.delta`, { ...place, delta: written });
    events.write(`${text.event}.done`, { ...place, [text.field]: written });
  }
  const steps = item['status'] === 'failed' ? ['failed'] : after;
  for (const step of steps) events.write(`response.${type}.${step}`, place);
  events.write('response.output_item.done', { output_index: index, item });
}
