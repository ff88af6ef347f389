/**
 * Gives the memory of a body back without the garbage collector: the whole of a long one when its exchange is over or it
 * is refused, and the pieces that it came in once they are copied. V8 counts such memory, and collects all garbage when
 * there is much of it: about once for each body of 30 MB, with pauses of 10 ms and more, and two of these bodies in
 * memory where one is needed. Freed at once, they cause one collection in five bodies (measured).
 */

import { IncomingMessage } from 'node:http';
import type { CallerRequest, CallerResponse } from '../../access/caller.ts';

/** The bytes that are given back in one turn of the event loop: that takes half a millisecond. */
const STEP = 2 * 1024 * 1024;

/**
 * Empties the bytes after the response has closed: nobody reads them any more then. A vendor that is still sent some of
 * them has been left with the caller.
 */
export function releaseWhenOver(bytes: Uint8Array, response: CallerResponse): void {
  if (isResizable(bytes.buffer)) response.on('close', () => release(bytes));
}

/**
 * Empties bytes that nobody reads any more, in the next turns of the event loop. Memory that cannot be resized is left to
 * the garbage collector.
 */
export function release({ buffer }: Uint8Array): void {
  if (!isResizable(buffer)) return;
  const shrink = (): void => {
    buffer.resize(Math.max(0, buffer.byteLength - STEP));
    if (buffer.byteLength > 0) setImmediate(shrink);
  };
  setImmediate(shrink);
}

function isResizable(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer && buffer.resizable;
}

/** Smaller pieces are left to the garbage collector: to free one takes about a microsecond. */
const MIN_PIECE = 16 * 1024;

/**
 * Empties a piece of a body whose bytes have been copied. Node's parser has made it for this body alone; a piece whose
 * memory may be shared is left as it is.
 */
export function releasePiece(piece: Uint8Array, request: CallerRequest): void {
  const { buffer, byteLength } = piece;
  if (byteLength < MIN_PIECE || byteLength !== buffer.byteLength) return;
  if (!(request instanceof IncomingMessage) || request.listenerCount('data') !== 1) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
