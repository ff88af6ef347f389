/** The light vendor's answers in each format: recorded shapes, made into bytes once. */

export const EVENTS = 200;
/** The sentence of which every whole answer has so many. */
export const SENTENCE = 'Nothing is as quick as that which is not done at all.';
export const SENTENCES = 16;
const text = `${SENTENCE} `.repeat(SENTENCES);
/** The text of every event of a stream, or its beginning. */
export const WORD = ' word';

export interface Voice {
  readonly whole: string;
  readonly head: readonly string[];
  readonly delta: string;
  readonly tail: readonly string[];
}

const sse = (data: object, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

const chunk = (delta: object, finish: string | null) =>
  sse({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4.1',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });

export const chat: Voice = {
  whole: JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-4.1',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 120, completion_tokens: 200, total_tokens: 320 },
  }),
  head: [chunk({ role: 'assistant', content: '', refusal: null }, null)],
  delta: chunk({ content: WORD }, null),
  tail: [
    chunk({}, 'stop'),
    sse({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model: 'gpt-4.1',
      choices: [],
      usage: { prompt_tokens: 120, completion_tokens: 200, total_tokens: 320 },
    }),
    'data: [DONE]\n\n',
  ],
};

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  stop_reason: null,
  stop_sequence: null,
};

export const messages: Voice = {
  whole: JSON.stringify({
    ...message,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 120, output_tokens: 200 },
  }),
  head: [
    sse(
      {
        type: 'message_start',
        message: { ...message, content: [], usage: { input_tokens: 120, output_tokens: 1 } },
      },
      'message_start',
    ),
    sse(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      'content_block_start',
    ),
  ],
  delta: sse(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } },
    'content_block_delta',
  ),
  tail: [
    sse({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
    sse(
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 200 },
      },
      'message_delta',
    ),
    sse({ type: 'message_stop' }, 'message_stop'),
  ],
};

const usageMetadata = { promptTokenCount: 120, candidatesTokenCount: 200, totalTokenCount: 320 };
const said = (part: string, finishReason?: string): object => ({
  candidates: [
    { content: { parts: [{ text: part }], role: 'model' }, index: 0, ...(finishReason && { finishReason }) },
  ],
  usageMetadata,
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
});

/** Google's lines end in CRLF. */
const crlf = (event: string): string => event.replaceAll('\n', '\r\n');

export const google: Voice = {
  whole: JSON.stringify(said(text, 'STOP')),
  head: [],
  delta: crlf(sse(said(WORD))),
  tail: [crlf(sse(said('', 'STOP')))],
};

/** A whole answer in OpenAI's other format. No bench asks for a stream of it. */
export const response = JSON.stringify({
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-5.5',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 120,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 200,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 320,
  },
});
