/** Services that count in ways of their own: what callers of every format see of it, and what is recorded. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { type Counts, chatAnswer, countsIn } from '../support/counts.ts';
import { CALLERS, type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

describe('U-54: a usage of chat-completions in the names of responses', () => {
  const usage = {
    input_tokens: 11,
    output_tokens: 5,
    total_tokens: 16,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 2 },
    generation_tps: 81.56,
  };

  test.each(
    CALLERS.flatMap((caller) => [false, true].map((stream): [FormatName, boolean] => [caller, stream])),
  )('to a caller of %s (streamed: %s), and in the record', async (caller, stream) => {
    four.answers(chatAnswer(usage, stream));
    const read = await four.ask(caller, MODELS['chat-completions'], stream);
    // Native answers pass byte for byte, with the names of the service.
    if (caller === 'chat-completions') expect(read.usage).toEqual(usage);
    else expect(countsIn(caller, read.usage)).toEqual({ input: 11, output: 5, reasoning: 2 });
    expect(four.records.at(-1)?.usage).toMatchObject({ input: 11, cacheRead: 4, output: 5, reasoning: 2 });
  });
});

const atEnd: readonly [name: string, usage: JsonObject, counts: Partial<Counts>][] = [
  [
    'some of it',
    { input_tokens: 18, cache_creation_input_tokens: 0, cache_read_input_tokens: 8816, output_tokens: 426 },
    { input: 8834, output: 426 },
  ],
  [
    'all of it',
    { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 8834, output_tokens: 426 },
    { input: 8834, output: 426 },
  ],
  [
    'all of it, written',
    { input_tokens: 0, cache_creation_input_tokens: 8834, cache_read_input_tokens: 0, output_tokens: 426 },
    { input: 8834, output: 426 },
  ],
  [
    'none of it',
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 426 },
    { input: 8834, output: 426 },
  ],
];

describe.each(atEnd)(
  'U-55: an input that the end of a stream of messages says was cached: %s',
  (_, usage, counts) => {
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] };
    const events = [
      { type: 'message_start', message: { ...message, usage: { input_tokens: 8834, output_tokens: 0 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];

    test.each(CALLERS)('to a caller of %s, and in the record', async (caller) => {
      four.answers(events);
      const read = await four.ask(caller, MODELS.messages, true);
      if (caller === 'messages') expect(read.usage).toEqual(usage);
      else expect(countsIn(caller, read.usage)).toMatchObject(counts);
      expect(four.records.at(-1)?.usage).toMatchObject(counts);
    });
  },
);

/** What a service says in all chunks but the one with the figures. */
const NOTHING: readonly (readonly [name: string, usage: JsonObject])[] = [
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, queue_time: 0.0 }],
  ['an empty one', {}],
];

describe.each(NOTHING)('U-56: a usage between others that count nothing (%s)', (_, nothing) => {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', usage: nothing };
  const piece = { ...chunk, choices: [{ index: 0, delta: { content: 'ok ' }, finish_reason: null }] };
  const usage = { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 };
  const counted = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };

  // What comes at once is searched in pieces of a kilobyte and more.
  test.each([1, 100])('is recorded, after %d pieces of the answer', async (count) => {
    const pieces = Array.from({ length: count }, () => piece);
    for (const caller of CALLERS) {
      four.answers([...pieces, counted, { ...chunk, choices: [] }]);
      const read = await four.ask(caller, MODELS['chat-completions'], true);
      expect(read.text).toBe('ok '.repeat(count));
      expect(four.records.at(-1)?.usage).toMatchObject({ input: 11, output: 5 });
    }
  });
});
