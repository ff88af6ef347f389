/**
 * `node upstream.ts PORT`: a light vendor for all formats. Its answers are bytes made once and its HTTP is no
 * more than the bench needs, so that the gateway's work is measured and not this process's.
 *   POST …       200 with a whole answer of 1 KB, or 200 events in bursts of ten if the body asks for a stream;
 *                in the body's text, `pace:N`: an event every N milliseconds; `stream:N`: its number
 *   (of responses always a whole one)
 *   GET /left    which of the numbered streams were abandoned before their end since the last query, and when,
 *                on the machine's monotonic clock in nanoseconds
 */

import { type Asked, listenQuickly, type Reply } from './quick-server.ts';
import { chat, EVENTS, google, messages, response, type Voice, WORD } from './voices.ts';

/** Some of the data on a socket arrives together. */
const BURST = 10;
/** The events of a burst differ: some gateways end a stream that says the same thing a hundred times (LiteLLM). */
const burstOf = (delta: string): string =>
  Array.from({ length: BURST }, (_, at) => delta.replace(WORD, `${WORD}${at}`)).join('');

const HEAD = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\n';
const STREAM_HEAD = `${HEAD}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;

const whole = (body: string): Buffer =>
  Buffer.from(
    `${HEAD}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
const chunk = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;

/** A voice as bytes. */
interface Bytes {
  readonly whole: Buffer;
  readonly begin: Buffer;
  readonly burst: Buffer;
  readonly delta: string;
  readonly end: Buffer;
}

const bytesOf = ({ whole: said, head, delta, tail }: Voice): Bytes => ({
  whole: whole(said),
  begin: Buffer.from(`${STREAM_HEAD}${head.map(chunk).join('')}`),
  burst: Buffer.from(chunk(burstOf(delta))),
  delta,
  end: Buffer.from(`${chunk(tail.join(''))}0\r\n\r\n`),
});

const RESPONSE = whole(response);
const VOICES = { chat: bytesOf(chat), messages: bytesOf(messages), google: bytesOf(google) };

interface Left {
  readonly stream: number;
  readonly at: string;
}

/** Abandoned streams that have not been queried yet. */
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

function atOnce(reply: Reply, { begin, burst, end }: Bytes): void {
  reply.write(begin);
  for (let said = 0; said < EVENTS; said += BURST) reply.write(burst);
  reply.end(end);
}

/** Each event contains the time at which it was sent. */
function paced(reply: Reply, { begin, delta, end }: Bytes, pace: number, number: number): void {
  reply.write(begin);
  let more = EVENTS;
  const timer = setInterval(() => {
    more -= 1;
    if (more > 0) {
      reply.write(chunk(delta.replace(WORD, ` at:${Date.now()}:`)));
      return;
    }
    clearInterval(timer);
    reply.end(end);
  }, pace);
  reply.onLeave(() => {
    clearInterval(timer);
    if (number > 0) left.add(number);
  });
}

const numberAfter = (name: string, said: string): number =>
  Number(new RegExp(`${name}:(\\d+)`).exec(said)?.[1] ?? 0);

/** Whether a body asks for a stream, at its beginning or its end. Clients in Python write a space after the colon. */
function asksStream(body: Buffer): boolean {
  return [body.subarray(0, 4096), body.subarray(-4096)].some(
    (part) => part.includes('"stream":true') || part.includes('"stream": true'),
  );
}

function answer({ path, body }: Asked, reply: Reply): void {
  if (path === '/left') {
    reply.end(whole(JSON.stringify(left.take())));
    return;
  }
  if (path.includes('/responses')) {
    reply.end(RESPONSE);
    return;
  }
  const voice = path.includes('/messages')
    ? VOICES.messages
    : path.includes(':')
      ? VOICES.google
      : VOICES.chat;
  const streamed = path.includes(':streamGenerate') || asksStream(body);
  if (!streamed) {
    reply.end(voice.whole);
    return;
  }
  const said = body.includes('pace:') ? body.toString('latin1', 0, 4096) : '';
  if (said === '') atOnce(reply, voice);
  else paced(reply, voice, numberAfter('pace', said), numberAfter('stream', said));
}

listenQuickly(Number(process.argv[2]), answer);
