/** Writes a vendor's answer, at the pace of a model or at once. */

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Framing, StreamAnswer, VendorAnswer, WholeAnswer } from './exchange.ts';
import type { WireEvent } from './script.ts';

export type Pace = 'realistic' | 'none';

const FIRST_TOKEN_MS = 250;
const TOKENS_PER_SECOND = 80;

/**
 * Writes an answer. Resolves when all of it is written, or when the caller has left.
 * @throws whatever the script's events throw
 */
export async function write(response: ServerResponse, answer: VendorAnswer, pace: Pace): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    if (answer.kind === 'whole') await writeWhole(response, answer, pace, gone.signal);
    else await writeStream(response, answer, pace, gone.signal);
  } catch (error) {
    // A pause ends early when the caller leaves; nothing else throws here.
    if (!gone.signal.aborted) throw error;
  }
}

async function writeWhole(
  response: ServerResponse,
  { status, headers, body, tokens }: WholeAnswer,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  if (pace === 'realistic' && status === 200 && tokens > 0) {
    await sleep(FIRST_TOKEN_MS + (tokens / TOKENS_PER_SECOND) * 1000, undefined, { signal });
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/html; charset=UTF-8' : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

async function writeStream(
  response: ServerResponse,
  { headers, framing, events, tokens }: StreamAnswer,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const frames = [...framed(events, framing)];
  if (pace === 'realistic') await sleep(FIRST_TOKEN_MS, undefined, { signal });
  response.writeHead(200, {
    'content-type': framing === 'array' ? 'application/json' : 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...headers,
  });
  if (pace === 'none') {
    response.end(frames.join(''));
    return;
  }
  const pause = ((tokens / TOKENS_PER_SECOND) * 1000) / Math.max(1, frames.length);
  const started = performance.now();
  for (const [index, frame] of frames.entries()) {
    // A timer is never early and mostly late, so its delay is subtracted from the next pause.
    const wait = started + index * pause - performance.now();
    if (wait >= 1) await sleep(wait, undefined, { signal });
    if (!response.write(frame)) await drained(response, signal);
  }
  response.end();
}

function* framed(events: Iterable<WireEvent>, framing: Framing): Generator<string> {
  if (framing === 'array') {
    let opening = '[';
    for (const { data } of events) {
      yield `${opening}${data}\n`;
      opening = ',\r\n';
    }
    yield opening === '[' ? '[]' : ']';
    return;
  }
  const end = framing === 'crlf' ? '\r\n\r\n' : '\n\n';
  for (const { event, data } of events)
    yield `${event === undefined ? '' : `event: ${event}\n`}data: ${data}${end}`;
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    response.once('drain', resolve);
  });
}
