/**
 * A vendor that misbehaves at random, determined by a seed. The request says what it answers: a number and how many
 * pieces, so that whoever reads the answer knows each piece and its place.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { FaultRequest, Script, Wire } from '../support/fault-upstream.ts';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The piece at a position of an answer. */
export function pieceOf(number: number, at: number): string {
  return `<${number}:${at}é😀>`;
}

/** The text with which a request says what the answer shall be. */
export function wish(number: number, pieces: number): string {
  return `answer ${number} in ${pieces} pieces`;
}

/** What can go wrong, with relative frequencies. */
const MOODS = [
  ['well', 30],
  ['slowly', 4],
  ['crlf', 4],
  ['comments', 4],
  ['compressed', 3],
  ['whole', 3],
  ['busy', 5],
  ['limited', 4],
  ['broken', 4],
  ['page', 2],
  ['no-head', 5],
  ['head-only', 3],
  ['reset', 8],
  ['half-event', 6],
  ['truncated', 6],
  ['cut', 6],
  ['error-event', 4],
  ['stalled', 1],
] as const;

export type Mood = (typeof MOODS)[number][0];

/** Moods in which the whole answer arrives. */
export const GOOD_MOODS: ReadonlySet<Mood> = new Set([
  'well',
  'slowly',
  'crlf',
  'comments',
  'compressed',
  'whole',
]);

function moodAt(share: number): Mood {
  const total = MOODS.reduce((sum, [, parts]) => sum + parts, 0);
  let left = share * total;
  for (const [mood, parts] of MOODS) {
    left -= parts;
    if (left < 0) return mood;
  }
  return 'well';
}

/** Answers each request in its own mood. @param told receives the mood in which each request is answered. */
export function moody(random: () => number, told: (number: number, mood: Mood) => void): Script {
  return async (wire, request) => {
    const [, number = '0', pieces = '0'] = /answer (\d+) in (\d+) pieces/.exec(request.body.toString()) ?? [];
    const mood = moodAt(random());
    told(Number(number), mood);
    await answer(wire, request, mood, Number(number), Number(pieces), random);
  };
}

async function answer(
  wire: Wire,
  { path }: FaultRequest,
  mood: Mood,
  number: number,
  pieces: number,
  random: () => number,
): Promise<void> {
  const format = path.includes('/messages') ? 'messages' : 'chat-completions';
  const events = streamOf(format, number, pieces);
  const stream = events.join('');
  const some = events.slice(0, 2 + Math.floor(random() * (events.length - 3))).join('');
  const error = (status: number): string => JSON.stringify(errorOf(format, status));
  switch (mood) {
    case 'well':
      await inPieces(wire, stream, random);
      return wire.lastChunk();
    case 'slowly':
      for (const [at, event] of events.entries()) {
        if (at === 0) wire.stream([]);
        wire.chunk(event);
        if (at % 8 === 0) await sleep(5 * random());
      }
      return wire.lastChunk();
    case 'crlf':
      await inPieces(wire, stream.replaceAll('\n', '\r\n'), random);
      return wire.lastChunk();
    case 'comments':
      await inPieces(wire, events.join(': still there\n\n'), random);
      return wire.lastChunk();
    case 'compressed':
      wire.stream([gzipSync(stream)], { 'content-encoding': 'gzip' });
      return wire.lastChunk();
    case 'whole':
      return wire.answer(200, JSON.stringify(wholeOf(format, number, pieces)));
    case 'busy':
      return wire.answer(503, error(503));
    case 'limited':
      return wire.answer(429, error(429), { 'retry-after-ms': String(Math.floor(20 * random())) });
    case 'broken':
      return wire.answer(500, error(500));
    case 'page':
      return wire.answer(502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' });
    case 'no-head':
      return wire.reset();
    case 'head-only':
      wire.stream([]);
      return wire.reset();
    case 'reset':
      await inPieces(wire, some, random);
      await sleep(2);
      return wire.reset();
    case 'half-event':
      await inPieces(wire, stream.slice(0, Buffer.byteLength(some) - 7), random);
      return wire.fin();
    case 'truncated':
      await inPieces(wire, some, random);
      return wire.fin();
    case 'cut':
      await inPieces(wire, some, random);
      return wire.lastChunk();
    case 'error-event':
      await inPieces(wire, `${some}${errorEvent(format)}`, random);
      return wire.lastChunk();
    case 'stalled':
      return inPieces(wire, some, random);
  }
}

/** Text in chunks that end anywhere. */
async function inPieces(wire: Wire, text: string, random: () => number): Promise<void> {
  const bytes = Buffer.from(text);
  const most = 1 + Math.floor(random() * random() * 4_000);
  wire.stream([]);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() * most);
    wire.chunk(bytes.subarray(at, end));
    at = end;
    if (wire.socket.writableNeedDrain) {
      await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.gone]);
    } else if (random() < 0.02) await sleep(1);
  }
}

function streamOf(format: FormatName, number: number, pieces: number): readonly string[] {
  const texts = Array.from({ length: pieces }, (_, at) => pieceOf(number, at));
  if (format === 'messages') {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage,
    };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...texts.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({
      id: `c${number}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...texts.map((content) => chunk({ content }, null)),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
}

function wholeOf(format: FormatName, number: number, pieces: number): object {
  const text = Array.from({ length: pieces }, (_, at) => pieceOf(number, at)).join('');
  if (format === 'messages') {
    return {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  }
  return {
    id: `c${number}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function errorOf(format: FormatName, status: number): object {
  if (format === 'messages')
    return { type: 'error', error: { type: 'overloaded_error', message: `no: ${status}` } };
  return { error: { message: `no: ${status}`, type: 'server_error', param: null, code: null } };
}

function errorEvent(format: FormatName): string {
  return `${format === 'messages' ? 'event: error\n' : ''}data: ${JSON.stringify(errorOf(format, 500))}\n\n`;
}
