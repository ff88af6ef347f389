/**
 * The complete body of a request, from Node's own request object: srvx's stream of it crashes the process if it is
 * cancelled while it waits for its reader (nodejs/node#64529).
 */

import type { Readable, Transform } from 'node:stream';
import type { CallerRequest, CallerResponse } from '../../access/caller.ts';
import { ByteAccumulator, type PieceOwner } from '../../lib/byte-accumulator.ts';
import { asGatewayError, GatewayError, invalid } from '../../lib/errors.ts';
import { type Decompress, MAX_WINDOW } from '../../upstream/content-coding.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import type { Load } from '../exchange.ts';
import type { Arrival } from './arrivals.ts';
import { release, releasePiece, releaseWhenOver } from './release-body.ts';
import { cutLater, stopParsing } from './stop-parsing.ts';

/**
 * The bytes of a body that are not counted as held. The limit on requests in flight bounds how many such bodies there
 * are.
 */
const UNCOUNTED = 64 * 1024;

/**
 * The bytes of a body that are taken in one turn of the event loop. Node reads all that has arrived of a body, up to 2 MB at
 * once, and to take that holds the event loop for 5 ms (measured).
 */
const MAX_BYTES_PER_TURN = 256 * 1024;

export interface BodyOptions {
  /** The most bytes, of the body as sent and of the decompressed one. */
  readonly limit: number;
  readonly decompress: Decompress;
  /** Counts what is held for the body, once that is more than UNCOUNTED. Absent if nothing counts. */
  readonly load?: Pick<Load, 'arriving'> | undefined;
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
  { limit, decompress, load }: BodyOptions,
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
    const reading = new BodyReading(
      request,
      decoder,
      { limit, declared, load, response },
      { resolve, reject },
    );
    // Listeners that have done their part stay: removing four costs more than a check of whether the body is over.
    const onGone = (): void => reading.gone();
    request.on('error', onGone).on('close', onGone);
    source.on('data', (chunk: Buffer) => reading.take(chunk, source)).on('end', () => reading.end());
    if (decoder !== undefined) {
      request.on('data', (chunk: Buffer) => reading.sent(chunk));
      decoder.on('error', () =>
        reading.fail(invalid('The request body does not match its Content-Encoding header.')),
      );
    }
  });
}

interface Settle {
  resolve(body: Buffer): void;
  reject(error: GatewayError): void;
}

interface ReadingOptions extends Pick<BodyOptions, 'limit' | 'load'> {
  /** The length that the head says; 0 if it says none. */
  readonly declared: number;
  readonly response: CallerResponse;
}

/** One body that is being read. When that is over, nothing of it is held here: its answer may take minutes to arrive. */
class BodyReading implements PieceOwner {
  readonly #request: CallerRequest;
  readonly #decoder: Transform | undefined;
  readonly #options: ReadingOptions;
  /** These are absent when the reading is over. */
  #body: ByteAccumulator | undefined;
  #settle: Settle | undefined;
  #arrival: Arrival | undefined;
  /** Bytes as sent, of a compressed body. */
  #sent = 0;
  /** Bytes that were taken in this turn of the event loop. */
  #taken = 0;

  constructor(
    request: CallerRequest,
    decoder: Transform | undefined,
    options: ReadingOptions,
    settle: Settle,
  ) {
    const { limit, declared } = options;
    this.#request = request;
    this.#decoder = decoder;
    this.#options = options;
    this.#settle = settle;
    this.#body = new ByteAccumulator(limit, decoder === undefined ? declared : 0, true, this);
  }

  /** Takes a piece of the body, decompressed. @param source pauses when it has given enough for one turn. */
  take(chunk: Buffer, source: Readable): void {
    const body = this.#body;
    const { limit, declared, load, response } = this.#options;
    if (body === undefined) return;
    if (body.size() + chunk.length > limit) {
      this.fail(tooLarge(limit));
      return;
    }
    // Before the piece is emptied.
    this.#taken += chunk.length;
    body.add(chunk);
    if (this.#taken >= MAX_BYTES_PER_TURN) {
      source.pause();
      setImmediate(() => {
        this.#taken = 0;
        if (this.#body !== undefined) source.resume();
      });
    }
    if (load === undefined || body.held() <= UNCOUNTED || body.size() === declared) return;
    this.#arrival ??= load.arriving(response);
    try {
      // The decompressor keeps the last of what it has given, up to its window.
      const inWindow = this.#decoder === undefined ? 0 : Math.min(body.size(), MAX_WINDOW);
      this.#arrival.holds(body.held() + inWindow);
    } catch (error) {
      this.fail(asGatewayError(error));
    }
  }

  copied(piece: Uint8Array): void {
    // A decompressor keeps the memory of what it has given, as its window.
    if (this.#decoder === undefined) releasePiece(piece, this.#request);
  }

  /** A piece of a compressed body has come. */
  sent(chunk: Buffer): void {
    const { limit } = this.#options;
    this.#sent += chunk.length;
    if (this.#sent > limit) this.fail(tooLarge(limit));
  }

  end(): void {
    const body = this.#body;
    if (body === undefined) return;
    const settle = this.#finish();
    // Bytes after the end of the compressed data are ignored.
    if (this.#decoder !== undefined) this.#request.unpipe(this.#decoder).resume();
    const whole = toBuffer(body.whole());
    releaseWhenOver(whole, this.#options.response);
    settle?.resolve(whole);
  }

  gone(): void {
    // The last bytes of a compressed body may still be in the decompressor.
    if (this.#body === undefined || (this.#decoder !== undefined && this.#request.complete)) return;
    this.fail(new GatewayError('invalid-request', 'The request ended before its body was complete.'));
  }

  fail(error: GatewayError): void {
    const body = this.#body;
    if (body === undefined) return;
    const settle = this.#finish();
    release(body.whole());
    if (this.#decoder !== undefined) this.#request.unpipe(this.#decoder);
    this.#decoder?.destroy();
    discard(this.#request);
    settle?.reject(error);
  }

  #finish(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#body = undefined;
    this.#arrival?.end();
    this.#arrival = undefined;
    return settle;
  }
}

/** Reads and discards what still arrives, for a moment; then the connection is cut. */
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
  cutLater(socket);
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
