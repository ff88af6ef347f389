/** A request's body, whole, from Node's own request: srvx's stream of it crashes the process when it is cancelled
 * while it waits for its reader (nodejs/node#64529). */

import type { IncomingMessage } from 'node:http';
import { GatewayError } from './errors.ts';

/** How long a body that was refused may go on coming, so that its sender can read why, in milliseconds. */
const LINGER = 1_000;

/**
 * @param limit bytes.
 * @throws GatewayError `too-large` as soon as the body is known to pass the limit, and `invalid-request` where the
 *   caller left before its end. What still comes is read and thrown away for a moment, then cut off.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) {
    discard(request);
    return Promise.reject(tooLarge(limit));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      stop();
      discard(request);
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      stop();
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
    };
    const onGone = (): void => {
      stop();
      reject(new GatewayError('invalid-request', 'The request ended before its body was complete.'));
    };
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

/** Reads and forgets what still comes, for LINGER at most; then the connection is cut. */
export function discard(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), LINGER);
  timer.unref();
  request.once('error', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  request.resume();
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('too-large', `The request body is larger than ${limit} bytes.`, {
    headers: { connection: 'close' },
  });
}
