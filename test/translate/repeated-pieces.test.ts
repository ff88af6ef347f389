/** Streams whose events differ only in their piece of text, which are read without being parsed. */

import { expect, test } from 'vitest';
import type { Json } from '../../src/lib/json.ts';
import { translateRequest, translateStream } from '../../src/translate/index.ts';

const WORDS = ['One', ' two', ' three', ' four', ' five'];

const CHAT = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };

/** The beginning of an answer, and the event of a piece, in each format. */
const STREAMS = {
  'chat-completions': {
    head: [],
    piece: (content: string): Json => ({ ...CHAT, choices: [{ index: 0, delta: { content } }] }),
  },
  responses: {
    head: [
      { type: 'response.created', response: { id: 'resp_1', object: 'response', model: 'm', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
      },
    ],
    piece: (delta: string, at: number): Json => ({
      type: 'response.output_text.delta',
      sequence_number: at,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  },
  messages: {
    head: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    piece: (text: string): Json => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    }),
  },
  'generate-content': {
    head: [],
    piece: (text: string): Json => ({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
    }),
  },
} as const;

const FORMATS = ['chat-completions', 'responses', 'messages', 'generate-content'] as const;

test.each(FORMATS)('%s: each piece reaches the caller, though nothing repeats the whole text', async (to) => {
  const from = to === 'messages' ? 'chat-completions' : 'messages';
  const request = translateRequest({
    from,
    to,
    model: 'm',
    body: { model: 'm', max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'Count.' }] },
  });
  const { head, piece } = STREAMS[to];
  const events = [...head, ...WORDS.map((word, at) => piece(word, at))];
  // The answer does not end: its text is only in its pieces.
  const bytes = new TextEncoder().encode(
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  );
  const answer = new Blob([bytes]).stream().pipeThrough(translateStream({ from: to, to: from, request }));
  const said = [...(await new Response(answer).text()).matchAll(/"(?:text|content)":"((?:[^"\\]|\\.)*)"/g)];
  expect(said.map(([, text]) => text).join('')).toBe(WORDS.join(''));
});
