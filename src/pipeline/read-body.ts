/**
 * The complete body of a request, from Node's own request object: srvx's stream of it crashes the process if it is
 * cancelled while it waits for its reader (nodejs/node#64529).
 */

import type { CallerRequest, CallerResponse } from '../access/caller.ts';
import { byteAccumulator } from '../lib/byte-accumulator.ts';
import { asGatewayError, GatewayError, invalid } from '../lib/errors.ts';
import { type Decompress, LARGEST_WINDOW } from '../upstream/content-coding.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import type { Arrival } from './arrivals.ts';
import { releaseWhenOver } from './release-body.ts';
import { stopParsing } from './stop-parsing.ts';

/** How long the rest of a refused body may keep arriving, so that its sender can read why, in milliseconds. */
const LINGER = 1_000;

/**
 * The bytes of a body that are not counted as held. The limit on requests in flight bounds how many such bodies there
 * are.
 */
const UNCOUNTED = 64 * 1024;

/**
 * The bytes of a body that are taken in one turn of the event loop. Node reads all that has arrived of a body, up to 2 MB at
 * once, and to take that holds the event loop for 5 ms (measured).
 */
const MOST_IN_A_TURN = 256 * 1024;

export interface BodyOptions {
  /** The most bytes, of the body as sent and of the decompressed one. */
  readonly limit: number;
  readonly decompress: Decompress;
  /** Starts to count what is held for the body, once that is more than UNCOUNTED. Absent if nothing counts. */
  readonly arriving?: (() => Arrival) | undefined;
}

/**
 * Reads a body to its end and decompresses it. A caller who waits for permission to send it (`Expect: 100-continue`)
 * gets it here, because everything that the head alone could cause to be refused has been checked.
 * @returns the decompressed body. A long one is empty once the response has closed.
 * @throws GatewayError `too-large` as soon as the body is known to exceed the limit; `invalid-request` if the caller
 *   leaves before its end, or if it does not match its `Content-Encoding`; and what its arrival throws. The rest of the
 *   body is then read and discarded for a moment, and the connection cut.
 */
export function readBody(
  request: CallerRequest,
  response: CallerResponse,
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
    const body = byteAccumulator(limit, decoder === undefined ? declared : 0, true);
    let arrival: Arrival | undefined;
    let sent = 0;
    let taken = 0;
    // Listeners that have done their part stay: removing four costs more than this check.
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
    const goOn = (): void => {
      taken = 0;
      if (!isOver) source.resume();
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      if (body.size() + chunk.length > limit) {
        fail(tooLarge(limit));
        return;
      }
      body.add(chunk);
      taken += chunk.length;
      if (taken >= MOST_IN_A_TURN) {
        source.pause();
        setImmediate(goOn);
      }
      if (arriving === undefined || body.held() <= UNCOUNTED || body.size() === declared) return;
      arrival ??= arriving();
      try {
        // The decompressor keeps the last of what it has given, up to its window.
        arrival.holds(body.held() + (decoder === undefined ? 0 : Math.min(body.size(), LARGEST_WINDOW)));
      } catch (error) {
        fail(asGatewayError(error));
      }
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      arrival?.end();
      // Bytes after the end of the compressed data are ignored.
      if (decoder !== undefined) request.unpipe(decoder).resume();
      const whole = toBuffer(body.whole());
      releaseWhenOver(whole, response);
      resolve(whole);
    };
    const onGone = (): void => {
      if (isOver) return;
      // The last bytes of a compressed body may still be in the decompressor.
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

/** Reads and discards what still arrives, for LINGER at most; then the connection is cut. */
export function discard(request: CallerRequest): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  if (socket === undefined) {
    // What is left of it is the business of the server that has the connection.
    request.pause();
    return;
  }
  stopParsing(socket);
  // After a last answer Node closes both directions. A sender that is still sending then gets a reset, which can
  // discard the answer before it is read. So only our direction is closed, and the timer does the rest.
  socket.destroySoon = () => socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Whether the caller asked for a `100 Continue` (RFC 9110, 10.1.1), by the same test that Node uses. */
function awaitsLeave({ headers, httpVersion }: CallerRequest): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('too-large', `The request body is larger than ${limit} bytes.`, {
    headers: { connection: 'close' },
  });
}
