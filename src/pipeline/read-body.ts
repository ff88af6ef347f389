/**
 * A request's body, whole, from Node's own request: srvx's stream of it crashes the process when it is cancelled while
 * it waits for its reader (nodejs/node#64529).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { byteAccumulator } from '../lib/byte-accumulator.ts';
import { asGatewayError, GatewayError, invalid } from '../lib/errors.ts';
import { type Decompress, LARGEST_WINDOW } from '../upstream/content-coding.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import type { Arrival } from './arrivals.ts';
import { stopParsing } from './stop-parsing.ts';

/** How long a body that was refused may go on coming, so that its sender can read why, in milliseconds. */
const LINGER = 1_000;

/** Bytes that are not counted as held: how many of those there are, the requests in flight bound. */
const UNCOUNTED = 64 * 1024;

export interface BodyOptions {
  /** Bytes: of what is sent, and of what it is when it is decompressed. */
  readonly limit: number;
  readonly decompress: Decompress;
  /** Begins to count what is held for it, once that is more than a little. Absent: nobody counts. */
  readonly arriving?: (() => Arrival) | undefined;
}

/**
 * A caller who waits for leave to send the body (`Expect: 100-continue`) is given it here: whatever could be refused
 * by the head alone has been.
 * @throws GatewayError `too-large` as soon as the body is known to pass the limit, and `invalid-request` where the
 *   caller left before its end, or where it is not what its `Content-Encoding` says; and what its arrival throws. What
 *   still comes is read and thrown away for a moment, then cut off.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, decompress, arriving }: BodyOptions,
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) {
    discard(request);
    return Promise.reject(tooLarge(limit));
  }
  if (awaitsLeave(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const decoder = decompress?.();
    const source = decoder === undefined ? request : request.pipe(decoder);
    const body = byteAccumulator(limit, decoder === undefined ? declared : 0);
    let arrival: Arrival | undefined;
    let sent = 0;
    // Listeners that have done their part stay: to take four off costs more than to ask.
    let isOver = false;
    const fail = (error: GatewayError): void => {
      if (isOver) return;
      isOver = true;
      arrival?.end();
      if (decoder !== undefined) request.unpipe(decoder);
      decoder?.destroy();
      discard(request);
      reject(error);
    };
    const onSent = (chunk: Buffer): void => {
      sent += chunk.length;
      if (sent > limit) fail(tooLarge(limit));
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      if (body.size() + chunk.length > limit) {
        fail(tooLarge(limit));
        return;
      }
      body.add(chunk);
      if (arriving === undefined || body.held() <= UNCOUNTED || body.size() === declared) return;
      arrival ??= arriving();
      try {
        // What decompresses it remembers the last of what it has given.
        arrival.holds(body.held() + (decoder === undefined ? 0 : Math.min(body.size(), LARGEST_WINDOW)));
      } catch (error) {
        fail(asGatewayError(error));
      }
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      arrival?.end();
      // What comes behind the end of the compressed data is nobody's.
      if (decoder !== undefined) request.unpipe(decoder).resume();
      resolve(toBuffer(body.whole()));
    };
    const onGone = (): void => {
      if (isOver) return;
      // Of a body that is decompressed, the last bytes may still be on their way through.
      if (decoder !== undefined && request.complete) return;
      fail(new GatewayError('invalid-request', 'The request ended before its body was complete.'));
    };
    request.on('error', onGone).on('close', onGone);
    source.on('data', onData).on('end', onEnd);
    if (decoder !== undefined) {
      request.on('data', onSent);
      decoder.on('error', () =>
        fail(invalid('The request body does not match its Content-Encoding header.')),
      );
    }
  });
}

/** Reads and forgets what still comes, and whatever is behind it, for LINGER at most; then the connection is cut. */
export function discard(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  stopParsing(socket);
  // Node closes both directions behind a last answer. To a sender in full flow that is a reset, which can take the
  // answer away before it is read; so only ours is closed, and the timer does the rest.
  socket.destroySoon = () => socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Whether the caller asked for a `100 Continue` (RFC 9110, 10.1.1), by the words Node knows it by. */
function awaitsLeave({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('too-large', `The request body is larger than ${limit} bytes.`, {
    headers: { connection: 'close' },
  });
}
