/** An item of a tool that OpenAI runs itself: whole at once, told as OpenAI tells of its progress. */

import { asText, type JsonObject } from '../../../lib/json.ts';
import type { Place, Teller } from './output-item.ts';

interface Progress {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The text in the item that comes in deltas, and the name of its events. */
  readonly text?: { readonly field: string; readonly event: string };
}

const PROGRESS: Readonly<Record<string, Progress>> = {
  web_search_call: { before: ['in_progress', 'searching'], after: ['completed'] },
  file_search_call: { before: ['in_progress', 'searching'], after: ['completed'] },
  image_generation_call: { before: ['in_progress', 'generating'], after: ['completed'] },
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

/** Says all that a stream says of the item. */
export function tellHosted({ id, index }: Place, item: JsonObject, tell: Teller): void {
  const type = asText(item['type']) ?? '';
  const progress = Object.hasOwn(PROGRESS, type) ? PROGRESS[type] : undefined;
  const { before = [], after = [], text } = progress ?? {};
  const place = { item_id: id, output_index: index };
  const said = text && asText(item[text.field]);
  const added = {
    ...item,
    ...(item['status'] !== undefined && { status: 'in_progress' }),
    ...(text && said !== undefined && { [text.field]: '' }),
  };
  tell.say('response.output_item.added', { output_index: index, item: added });
  for (const step of before) tell.say(`response.${type}.${step}`, place);
  if (text && said !== undefined) {
    if (said !== '') tell.say(`${text.event}.delta`, { ...place, delta: said });
    tell.say(`${text.event}.done`, { ...place, [text.field]: said });
  }
  const steps = item['status'] === 'failed' ? ['failed'] : after;
  for (const step of steps) tell.say(`response.${type}.${step}`, place);
  tell.say('response.output_item.done', { output_index: index, item });
}
