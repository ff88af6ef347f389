/** What answers count: those of a vendor with a given usage, and the counts as a client of each format reads them. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { asNumber, asObject, type JsonObject } from '../../src/lib/json.ts';

export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The counts that an answer tells, in each format's own words. */
export function countsIn(caller: FormatName, usage: JsonObject): Counts {
  const count = (at: JsonObject | undefined, name: string): number => asNumber(at?.[name]) ?? 0;
  const details = (name: string): JsonObject | undefined => asObject(usage[name]);
  switch (caller) {
    case 'chat-completions':
      return {
        input: count(usage, 'prompt_tokens'),
        output: count(usage, 'completion_tokens'),
        reasoning: count(details('completion_tokens_details'), 'reasoning_tokens'),
      };
    case 'responses':
      return {
        input: count(usage, 'input_tokens'),
        output: count(usage, 'output_tokens'),
        reasoning: count(details('output_tokens_details'), 'reasoning_tokens'),
      };
    case 'messages':
      return {
        input: count(usage, 'input_tokens') + count(usage, 'cache_read_input_tokens'),
        output: count(usage, 'output_tokens'),
        reasoning: count(details('output_tokens_details'), 'thinking_tokens'),
      };
    case 'generate-content':
      return {
        input: count(usage, 'promptTokenCount'),
        output: count(usage, 'candidatesTokenCount') + count(usage, 'thoughtsTokenCount'),
        reasoning: count(usage, 'thoughtsTokenCount'),
      };
  }
}

const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };

/** An answer of chat-completions with that usage: whole, or the chunks of a stream. */
export function chatAnswer(usage: JsonObject, stream: boolean): JsonObject | JsonObject[] {
  if (!stream) {
    const message = { role: 'assistant', content: 'ok' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { ...chunk, object: 'chat.completion', choices, usage };
  }
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage },
  ];
}
