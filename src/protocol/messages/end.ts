/** What the end of a message must agree with, streamed or whole. */

import { asObject, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';
import { misfit, show } from '../shape.ts';
import type { Calls } from './block.ts';
import type { Report } from './rules.ts';

/** The words of `stop_reason`. */
const WORDS = wordSet(`
  end_turn max_tokens stop_sequence tool_use pause_turn refusal model_context_window_exceeded compaction
`);

const USAGE = {
  input_tokens: 'a count?',
  output_tokens: 'a count',
  cache_creation_input_tokens: 'a count?',
  cache_read_input_tokens: 'a count?',
} as const;

/** Reports an unknown reason to stop, and one that disagrees with the content of the message. */
export function checkStop(
  { stop_reason: reason, stop_sequence: sequence }: JsonObject,
  { direct, byCode }: Calls,
  report: Report,
): void {
  if (typeof reason !== 'string' || !WORDS.has(reason)) report('stop-word', show(reason));
  if (reason === 'tool_use' && direct + byCode === 0)
    report('stop-payload', '`tool_use` without a tool call');
  if ((reason === 'end_turn' || reason === 'stop_sequence') && direct > 0) {
    report('stop-payload', `\`${reason}\` with ${direct} tool calls`);
  }
  if ((reason === 'stop_sequence') !== (typeof sequence === 'string')) {
    report('stop-sequence', `${show(sequence)} with ${show(reason)}`);
  }
}

/** Reports an error without its fields. @param value the event or the body that holds it. */
export function checkError(value: JsonObject, report: Report): void {
  const { type, message } = asObject(value['error']) ?? {};
  if (typeof type !== 'string' || typeof message !== 'string') report('error-shape', show(value));
}

/** Reports what is wrong with a usage object. */
export function checkUsage(usage: Json | undefined, report: Report): void {
  const wrong = isObject(usage) ? misfit(usage, USAGE) : show(usage);
  if (wrong !== undefined) report('usage-shape', wrong);
}
