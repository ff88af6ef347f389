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
import { bytesOfText, NO_BYTES } from '../../lib/bytes.ts';
import type { Answer } from '../../pipeline/exchange.ts';
import { cancelBody } from '../../streams/cancel-body.ts';
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
  response.writeHead(status, extra === undefined ? headers : { ...headers, ...extra });
  if (body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  writeBody(response, body);
}

/**
 * Writes a body's stream to a connection: one read, one write, and the next read only when the connection takes more.
 * A caller who leaves cancels it.
 */
function writeBody(response: ServerResponse, body: ReadableStream<Uint8Array>): void {
  const writer = new BodyWriter(response, body.getReader());
  response.on('close', () => writer.closed());
  writer.read();
}

/** What a reader gives: a chunk, or the end. */
type Given = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

class BodyWriter {
  readonly #response: ServerResponse;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #isChunked: boolean;

  constructor(response: ServerResponse, reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#response = response;
    this.#reader = reader;
    // The head that says so has been made. From here on, the chunks are framed here.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  readonly read = (): void => void this.#reader.read().then(this.#write, this.#cut);

  closed(): void {
    if (this.#response.writableFinished) return;
    // A stream that has failed rejects its cancellation too, and there is nothing left to cancel.
    void this.#reader.cancel().catch(() => undefined);
  }

  readonly #write = (given: Given): void => {
    const response = this.#response;
    // The connection is gone, so nobody would read the chunk.
    if (response.destroyed) return;
    if (given.done) {
      response.end(this.#isChunked ? LAST_CHUNK : undefined);
      return;
    }
    const chunk = given.value;
    // The promise of a read that has waited for a second is in the old generation of V8's heap by now, and though nobody
    // needs it any more, it would keep the chunk alive until the next full collection: a third of what the words of slow
    // streams left there.
    given.value = NO_BYTES;
    if (this.#isChunked ? writeChunk(response, chunk) : response.write(chunk)) this.read();
    else response.once('drain', this.read);
  };

  /** A client must not take a body that was cut for a complete one. */
  readonly #cut = (): void => cutOff(this.#response);
}

const CR = 0x0d;
const LF = 0x0a;
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
