/**
 * Writes answers: to Node's response as a rule, or as the web's Response where h3 needs one.
 *
 * An exchange's answer is written here and not returned to h3 as a Response, though that costs the same: the CPU of a
 * short native answer was 0.93 to 1.01 of the direct write's (`npm run bench:compare` against a checkout that returns
 * Responses). But if the body fails, srvx only destroys the response. In HTTP/1.0 that is an orderly close, and a caller
 * takes the part that it has for the whole; `cutOff` resets such a connection.
 */

import type { ServerResponse } from 'node:http';
import { FastResponse } from 'srvx';
import { bytesOfText, CR, LF } from '../../lib/bytes.ts';
import { inMicrotask } from '../../lib/in-microtask.ts';
import type { Answer } from '../../pipeline/exchange.ts';
import { cancelBody } from '../../streams/cancel-body.ts';
import { type ByteSink, type ByteSource, takeSource } from '../../streams/source-stream.ts';
import { cutOff } from './cut-off.ts';

/**
 * Writes an answer, as fast as it arrives and the caller reads.
 * @param extra headers in addition to the answer's own.
 * @throws TypeError if a header cannot be written. Nothing has been written then.
 */
export function respond(
  response: ServerResponse,
  { status, headers, body }: Answer,
  extra?: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) {
    cancelBody(body);
    return;
  }
  try {
    response.writeHead(status, extra === undefined ? headers : { ...headers, ...extra });
  } catch (error) {
    cancelBody(body);
    throw error;
  }
  if (body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  const writer = new BodyWriter(response, takeSource(body));
  response.on('close', () => writer.closed());
  writer.pull();
}

/**
 * Writes a body to a connection: one chunk, one write, and the next chunk only when the connection takes more. A caller
 * who leaves cancels it.
 */
class BodyWriter implements ByteSink {
  readonly #response: ServerResponse;
  readonly #source: ByteSource;
  readonly #isChunked: boolean;
  #isOver = false;

  constructor(response: ServerResponse, source: ByteSource) {
    this.#response = response;
    this.#source = source;
    // The head is made by now, and says whether the body comes in chunks. From here on they are framed here.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  get desiredSize(): number {
    return this.#response.writableNeedDrain ? -1 : 0;
  }

  readonly pull = (): void => {
    if (this.#isOver) return;
    try {
      this.#source.pull(this);
    } catch (error) {
      // A source that throws fails the body, as in a stream.
      this.#source.cancel(error);
      this.error();
    }
  };

  enqueue(chunk: Uint8Array): void {
    const response = this.#response;
    // The connection is gone, so nobody would read the chunk.
    if (this.#isOver || response.destroyed) return;
    // In chunks this would be the end (RFC 9112, 7.1).
    if (chunk.byteLength === 0) {
      inMicrotask(this.pull);
      return;
    }
    // The source goes on when it has done with this chunk.
    if (this.#isChunked ? writeChunk(response, chunk) : response.write(chunk)) inMicrotask(this.pull);
    else response.once('drain', this.pull);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.end(this.#isChunked ? LAST_CHUNK : undefined);
  }

  /** A client must not take a body that was cut for a complete one. */
  error(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    cutOff(this.#response);
  }

  /** The connection is gone. */
  closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.cancel();
  }
}

const LAST_CHUNK = bytesOfText('0\r\n\r\n');

/** From this length on it is cheaper to write a chunk as three pieces than to copy it, in bytes. */
const LARGE = 8 * 1024;

/**
 * Writes a chunk of a body with its length (RFC 9112, 7.1). Node writes its length, its bytes and its end as four pieces,
 * each of which passes through the socket's queue; a small chunk is written as one. The first write corks the socket for
 * the rest of this turn, so the pieces, the head before them and an end that has come with them are one call of the system.
 * @returns false if the connection takes no more for now.
 */
function writeChunk(response: ServerResponse, bytes: Uint8Array): boolean {
  const size = `${bytes.byteLength.toString(16)}\r\n`;
  if (bytes.byteLength < LARGE) return response.write(framed(size, bytes));
  response.write(size, 'latin1');
  response.write(bytes);
  return response.write('\r\n', 'latin1');
}

function framed(size: string, bytes: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(size.length + bytes.byteLength + 2);
  frame.write(size, 0, 'latin1');
  frame.set(bytes, size.length);
  frame[frame.length - 2] = CR;
  frame[frame.length - 1] = LF;
  return frame;
}

/** An answer as the web's Response. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new FastResponse(body, { status, headers });
}
