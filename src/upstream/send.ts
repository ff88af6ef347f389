/**
 * One HTTP exchange with a vendor, through undici's dispatch: without redirects and retries, and with nothing between
 * the socket and the stream that is read. The exchange is the stream's underlying source: `pull` resumes the socket,
 * `cancel` aborts the exchange.
 */

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { concatBytes, NO_BYTES } from '../lib/bytes.ts';
import { asGatewayError, BROKEN_OFF, GatewayError, isVendors } from '../lib/errors.ts';
import { type PushBody, pushBody } from '../streams/push-body.ts';
import { type BodyStep, run, type Sink } from '../streams/step.ts';
import { toFailure } from './failure.ts';
import { type AnswerHeaders, isEventStream, withoutCoding } from './headers.ts';
import { inflater } from './inflate.ts';
import { joined } from './net/to-buffer.ts';
import type { VendorAgent } from './origin-agent.ts';
import type { TimeoutClock } from './timeout-clock.ts';
import { waitFor } from './wait.ts';
import { type WordReader, wordReader } from './words.ts';

export interface UpstreamRequest {
  readonly origin: string;
  /** The path with the query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  /** The bytes; or slices of them, whose length the headers then say (`content-length`). */
  readonly body: Uint8Array | Readable;
  /** Milliseconds until the answer must be over; absent: the clock's own `total`. */
  readonly timeLeft?: number;
  /**
   * Called once, with the answer's head. It returns what watches the body inside its own stream. Absent: nothing does.
   */
  readonly observe?: (head: UpstreamHead) => AnswerObserver | undefined;
  /** Called once, when the exchange is over. */
  readonly ended?: (how: Ending) => void;
}

/** How an exchange ended: complete, broken by the vendor, or left by the caller or the gateway. */
export type Ending = 'whole' | 'broken' | 'left';

export interface UpstreamHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

export interface UpstreamAnswer extends UpstreamHead {
  /** A stream that is still arriving; or bytes, if a short body came together with its head. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
  /** For a consumer that finds in the body that the vendor has failed: the exchange then ended `broken`. */
  markBroken(): void;
}

/**
 * Watches a body as it arrives, decompressed, with everything from one read at once. Its `flush` may throw the error
 * that says that the body is not complete.
 */
export interface AnswerObserver extends BodyStep {
  /** How many bytes may wait for the consumer. Absent: the stream's own high water mark. */
  mostQueued?(): number;
  /**
   * Called once, at the end: whether the vendor itself reported that its answer failed, and not because of the request.
   */
  hasFailed?(): boolean;
}

const AT_ONCE = Promise.resolve();

/**
 * Sends a POST and returns the head of the answer while its body is still arriving. An event stream is returned as soon
 * as its head is there; any other answer with the first bytes of its body, because until then a failure can still have
 * a status of its own.
 * @param clock the timeouts.
 * @param signal aborts the exchange, before the head and after it. If its reason is a GatewayError, the exchange ends
 *   with that.
 * @throws GatewayError `upstream-broken` or `upstream-timeout`; the body fails with the same.
 */
export function send(
  agent: VendorAgent,
  clock: TimeoutClock,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  const { origin, timeLeft, ended } = request;
  // No closure here holds the request: it is as large as a dialogue, and its answer may take minutes to arrive.
  let { observe } = request;
  let socket: Dispatcher.DispatchController | undefined;
  let inflating: ReturnType<typeof inflater>;
  let observer: AnswerObserver | undefined;
  let hasWord: WordReader | undefined;
  let head: UpstreamHead | undefined;
  /** What has come of the current read: its first piece, and those after it, of which there are none as a rule. */
  let piece: Uint8Array | undefined;
  let pieces: Uint8Array[] | undefined;
  /** The body's stream, once the answer was returned with one. */
  let body: PushBody | undefined;
  /** Whether a byte of an answer has come. */
  let answered = false;
  /** Whether the body was left because of what is in it. */
  let isBroken = false;
  let over: GatewayError | true | undefined;

  const wait = waitFor(clock, {
    timeLeft,
    isPaused: () => socket?.paused === true,
    tooLong: () => abort(new GatewayError('upstream-timeout', BROKEN_OFF.tooLong)),
  });
  const abort = (reason: GatewayError, how: Ending = 'broken'): void => {
    if (over !== undefined) return;
    fail(reason, how);
    socket?.abort(reason);
  };
  const leave = (): void => {
    if (over !== undefined) return;
    const reason = getAbortReason(signal);
    // For any other reason the gateway ends the exchange itself, and needs no connection for the caller's next one.
    if (reason.fault === 'upstream-broken' && socket !== undefined) agent.left?.(origin);
    abort(reason, 'left');
  };
  signal.addEventListener('abort', leave, { once: true });

  const finish = (how: Ending, error?: GatewayError): void => {
    over = error ?? true;
    wait.end();
    signal.removeEventListener('abort', leave);
    inflating?.destroy();
    // Its consumer may still find a failure in what has come: in a moment, for all of it is here.
    if (how === 'whole' && observer?.hasFailed === undefined && body !== undefined) {
      setImmediate(reportEnd, how);
    } else reportEnd(how);
  };
  const reportEnd = (how: Ending): void => {
    // Called in any case, because it also notes in the ledger the failure that the vendor reports.
    const hasFailed = observer?.hasFailed?.();
    ended?.(isBroken || hasFailed ? 'broken' : how);
  };
  const fail = (error: GatewayError, how: Ending = 'broken'): void => {
    if (over !== undefined) return;
    if (body === undefined) {
      finish(how, error);
      reject(error);
      return;
    }
    passOn();
    finish(how, error);
    if (observer?.fail === undefined) body.error(error);
    else {
      observer.fail(error, body);
      body.close();
    }
  };
  const succeed = (): void => {
    if (over !== undefined) return;
    try {
      if (body === undefined) giveWhole();
      else {
        passOn();
        observer?.flush?.(body);
        finish('whole');
        body.close();
      }
    } catch (error) {
      fail(asGatewayError(error));
    }
  };

  const markBroken = (): void => {
    isBroken = true;
  };
  const give = (given: UpstreamAnswer['body']): void => {
    if (head !== undefined) resolve({ ...head, body: given, markBroken });
  };
  /** A body that has come with its head needs no stream. */
  const giveWhole = (): void => {
    const bytes = takePieces();
    const whole = observer === undefined ? bytes : concatBytes(run(observer, [bytes]));
    finish('whole');
    give(whole);
  };
  const giveStream = (): PushBody => {
    const given = pushBody({ resume, pause, cancel }, observer?.mostQueued);
    body = given;
    give(given.stream);
    return given;
  };
  const takePieces = (): Uint8Array => {
    const bytes = pieces === undefined ? (piece ?? NO_BYTES) : joined(pieces);
    piece = undefined;
    pieces = undefined;
    return bytes;
  };
  /** Passes on as one chunk what came in one read: after its last piece, and before anything else runs. */
  const passOn = (): void => {
    if (over !== undefined || piece === undefined) return;
    const bytes = takePieces();
    if (hasWord?.(bytes, wait.hasTold())) wait.told();
    const out: Sink<Uint8Array> = body ?? giveStream();
    try {
      if (observer === undefined) out.enqueue(bytes);
      else observer.transform(bytes, out);
    } catch (error) {
      abort(asGatewayError(error));
    }
  };
  const deliver = (next: Uint8Array): void => {
    if (over !== undefined) return;
    // A decompressor may go on for long after the last compressed byte has arrived.
    if (inflating !== undefined) wait.heard();
    if (piece === undefined) {
      piece = next;
      // A microtask, but none of Node's `queueMicrotask`, which makes an AsyncResource for each.
      void AT_ONCE.then(passOn);
    } else if (pieces === undefined) pieces = [piece, next];
    else pieces.push(next);
  };

  const resume = (): void => {
    if (over !== undefined) return;
    wait.resumed();
    inflating?.resume();
    socket?.resume();
  };
  const pause = (): void => {
    if (over !== undefined) return;
    inflating?.pause();
    socket?.pause();
  };
  const cancel = (reason: unknown): void => {
    isBroken = reason instanceof GatewayError && isVendors(reason.fault);
    if (isBroken && reason instanceof GatewayError) abort(reason);
    else leave();
  };

  if (signal.aborted) {
    leave();
    return promise;
  }
  agent.dispatch(
    {
      origin,
      path: request.path,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      // The timeout clock does this.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      onRequestStart(controller) {
        socket = controller;
        if (over instanceof GatewayError) controller.abort(over);
        else if (signal.aborted) leave();
      },
      onResponseStarted() {
        answered = true;
      },
      onResponseStart(controller, status, headers) {
        // Parts of the first read, all of which they would keep alive until the exchange is over.
        controller.rawHeaders = null;
        if (status < 200) return;
        inflating = inflater(headers['content-encoding'], {
          chunk: deliver,
          end: succeed,
          fail: (error) => abort(error),
        })?.on('drain', resume);
        head = { status, headers: inflating === undefined ? headers : withoutCoding(headers) };
        observer = observe?.(head);
        observe = undefined;
        const isStream = isEventStream(headers);
        hasWord = wordReader(isStream);
        if (isStream) giveStream();
      },
      onResponseData(controller, chunk) {
        wait.heard();
        if (inflating === undefined) deliver(chunk);
        else if (!inflating.write(chunk)) controller.pause();
      },
      onResponseEnd() {
        if (inflating === undefined) succeed();
        else inflating.end();
      },
      onResponseError(_controller, error) {
        fail(toFailure(error, socket !== undefined, answered));
      },
    },
  );
  return promise;
}

/**
 * Cancels an answer because of an error. If that is the vendor's, the exchange counts as broken.
 * @returns the error.
 */
export function leftFor({ body }: UpstreamAnswer, error: GatewayError): GatewayError {
  cancelBody(body, error);
  return error;
}

/** Cancels a body that is not wanted. A body that has failed already rejects its cancellation, which is ignored. */
export function cancelBody(body: UpstreamAnswer['body'], reason?: GatewayError): void {
  if (!(body instanceof Uint8Array)) body.cancel(reason).catch(() => undefined);
}

function getAbortReason({ reason }: AbortSignal): GatewayError {
  return reason instanceof GatewayError ? reason : new GatewayError('upstream-broken', 'The caller left.');
}
