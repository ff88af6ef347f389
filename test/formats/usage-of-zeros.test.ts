/** Services that end a stream with a usage of zeros, after they have told the figures. A count never falls. */

import { expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import { formats } from '../../src/formats/formats.ts';
import { usageReaders } from '../../src/formats/usage-readers.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { run } from '../../src/streams/step.ts';
import { PERMISSIVE, PROMPT, renderedWhole } from '../support/meaning.ts';

type Streamed = 'chat-completions' | 'messages' | 'generate-content';

const chunk = (more: JsonObject): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  ...more,
});
const choice = (delta: JsonObject, finish_reason: string | null) => [{ index: 0, delta, finish_reason }];

/** The usage objects of each format, as a stream has them: the counts, then zeros. */
const REPORTED = {
  'chat-completions': [
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
  ],
  messages: [
    { input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
  ],
  'generate-content': [
    { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
  ],
} as const satisfies Record<Streamed, readonly JsonObject[]>;

const STREAMS: Readonly<Record<Streamed, readonly JsonObject[]>> = {
  'chat-completions': [
    chunk({ choices: choice({ role: 'assistant', content: 'Yes.' }, null) }),
    chunk({ choices: choice({}, 'stop'), usage: REPORTED['chat-completions'][0] }),
    chunk({ choices: [], usage: REPORTED['chat-completions'][1] }),
  ],
  messages: [
    {
      type: 'message_start',
      message: {
        id: 'a',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: REPORTED.messages[0],
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: REPORTED.messages[1] },
    { type: 'message_stop' },
  ],
  'generate-content': [
    {
      candidates: [{ content: { parts: [{ text: 'Yes.' }] } }],
      usageMetadata: REPORTED['generate-content'][0],
    },
    { candidates: [{ finishReason: 'STOP' }], usageMetadata: REPORTED['generate-content'][1] },
  ],
};

test.each(['chat-completions', 'messages', 'generate-content'] as const)('%s', (format) => {
  expect(usageReaders[format].tokens(REPORTED[format], 'm')).toMatchObject({ input: 10, output: 5 });
  const parser = formats[format].outbound.parseEvents(PROMPT, PERMISSIVE);
  const events = run(
    parser,
    STREAMS[format].map((event) => ({ data: JSON.stringify(event) })),
  );
  expect(collect(events).usage).toMatchObject({ input: 10, output: 5 });
  expect(renderedWhole(formats.responses, events)).toMatchObject({
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  });
});

test('a usage of zeros that is all there is counts as nothing', () => {
  const [, zeros] = REPORTED['chat-completions'];
  expect(usageReaders['chat-completions'].tokens([zeros], 'm')).toMatchObject({ input: 0, output: 0 });
});
