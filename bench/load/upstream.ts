/**
 * `node upstream.ts PORT`: a light vendor of all formats. Recorded shapes, made once; a stream is a write an event, in
 * bursts, so that what is measured is the gateway's work and not this process's.
 *   POST …            200 with a whole answer of 1 KB, or 200 events where the body asks for a stream
 *                     in the body's text, `pace:N`: an event every N milliseconds; `stream:N`: its number
 *   GET /left         which of the numbered streams were left before their end since the last look, and when, on the
 *                     machine's monotonic clock in nanoseconds
 */

import { createServer, type ServerResponse } from 'node:http';

const EVENTS = 200;
const text = 'Nothing is as quick as that which is not done at all. '.repeat(16);
const word = ' word';

interface Voice {
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

const chat: Voice = {
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
  delta: chunk({ content: word }, null),
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

const messages: Voice = {
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
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } },
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

const google: Voice = {
  whole: JSON.stringify(said(text, 'STOP')),
  head: [],
  delta: crlf(sse(said(word))),
  tail: [crlf(sse(said('', 'STOP')))],
};

interface Left {
  readonly stream: number;
  readonly at: string;
}

/** Streams that were left, and not asked about yet. */
function leavings() {
  let left: Left[] = [];
  return {
    add: (stream: number) => void left.push({ stream, at: String(process.hrtime.bigint()) }),
    take(): readonly Left[] {
      const taken = left;
      left = [];
      return taken;
    },
  };
}

const left = leavings();

function stream(
  response: ServerResponse,
  { head, delta, tail }: Voice,
  pace: number,
  stamped: boolean,
  number: number,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of head) response.write(event);
  if (pace === 0) {
    // Bursts of ten: some of what a socket carries arrives together.
    for (let at = 0; at < EVENTS; at += 10) response.write(delta.repeat(10));
    response.end(tail.join(''));
    return;
  }
  let more = EVENTS;
  const timer = setInterval(() => {
    more -= 1;
    if (more > 0) response.write(stamped ? delta.replace(word, ` at:${Date.now()}:`) : delta);
    else response.end(tail.join(''));
    if (more <= 0) clearInterval(timer);
  }, pace);
  response.on('close', () => {
    clearInterval(timer);
    if (more > 0 && number > 0) left.add(number);
  });
}

const server = createServer((request, response) => {
  const { url = '/' } = request;
  if (url === '/left') {
    response.end(JSON.stringify(left.take()));
    return;
  }
  const voice = url.includes('/messages') ? messages : url.includes(':') ? google : chat;
  const chunks: Buffer[] = [];
  request.on('data', (data: Buffer) => chunks.push(data));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (
      url.includes(':streamGenerate') ||
      body.subarray(-4096).includes('"stream":true') ||
      body.subarray(0, 4096).includes('"stream":true')
    ) {
      const said = body.toString('latin1', 0, 4096);
      const pace = Number(/pace:(\d+)/.exec(said)?.[1] ?? 0);
      stream(response, voice, pace, pace > 0, Number(/stream:(\d+)/.exec(said)?.[1] ?? 0));
      return;
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(voice.whole),
    });
    response.end(voice.whole);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
