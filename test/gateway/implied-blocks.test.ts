/** Texts and thoughts of a message that stand in a block of another kind, or in one that never started. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
const usage = { input_tokens: 1, output_tokens: 2 };
const begin: JsonObject = { type: 'message_start', message: { ...message, usage } };
const start = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, piece: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: piece,
});
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index });
const end: readonly JsonObject[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
];

const text: JsonObject = { type: 'text', text: '' };
const thought: JsonObject = { type: 'thinking_delta', thinking: 'Hm.' };
const said: JsonObject = { type: 'text_delta', text: 'Hello.' };

const callers = CALLERS.filter((caller) => caller !== 'messages');
describe.each([
  // BerriAI/litellm#33224
  ['thoughts in a block of text', [start(0, text), delta(0, thought), delta(0, said), stop(0)]],
  // maximhq/bifrost#5169
  ['thoughts without a block', [delta(0, thought), start(1, text), delta(1, said), stop(1)]],
  ['neither with a block', [delta(0, thought), delta(1, said)]],
])('%s', (_, blocks) => {
  test.each(callers)('reach a caller of %s, with the text', async (caller) => {
    four().answers([begin, ...blocks, ...end]);
    const read = await four().ask(caller, MODELS.messages, true);
    expect(read.text).toBe('Hello.');
    // Gemini's callers did not ask for thoughts.
    if (caller !== 'generate-content') expect(read.thoughts).toBe('Hm.');
  });
});
