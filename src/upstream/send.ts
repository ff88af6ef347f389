/**
 * One HTTP exchange with a vendor, by undici's dispatch: no redirects, no retries, nothing between its socket and the
 * stream that is read.
 */

import type { Dispatcher } from 'undici';
import { BROKEN_OFF, GatewayError, isVendors } from '../lib/errors.ts';
import { failureOf } from './failure.ts';
import type { AnswerHeaders } from './headers.ts';
import { inflater } from './inflate.ts';
import { type HeldBody, relay } from './relay.ts';
import type { TimeoutClock } from './timeout-clock.ts';
import { waitFor } from './wait.ts';
import { type WordReader, wordReader } from './words.ts';

export interface UpstreamRequest {
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Uint8Array;
  /** Milliseconds until the answer must be over, where it is not the clock's own `total`. */
  readonly timeLeft?: number;
  /** Asked once, with the answer's head: who speaks for a body that ends too soon. Without one it just fails. */
  readonly guard?: (head: UpstreamHead) => TruncationDetector | undefined;
  /** Sees the body as it arrives, decompressed; must not throw, and must not change what it sees. */
  readonly tap?: (bytes: Uint8Array) => void;
  /** Told once, when the exchange is over. */
  readonly ended?: (how: Ending) => void;
}

/** How an exchange ended: as it should, by the vendor's fault, or by the caller's or the gateway's own will. */
export type Ending = 'whole' | 'broken' | 'left';

export interface UpstreamHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

export interface UpstreamAnswer extends UpstreamHead {
  /** On its way; or, as short answers do, come whole with its head. */
  readonly body: HeldBody | Uint8Array;
}

/** Speaks for a body that ends too soon. */
export interface TruncationDetector {
  chunk(bytes: Uint8Array): void;
  /** What is wrong with a body that ended as if it were whole; undefined where nothing is. */
  checkTruncated(): GatewayError | undefined;
  /** The exchange is over: whether the vendor itself has said that its answer failed, and not for what was asked. */
  hasFailed(): boolean;
  /** The error as the body's last bytes. */
  errorFrame(error: GatewayError): Uint8Array;
}

/**
 * Sends a POST and gives the head of the answer, its body still coming: of an event stream as soon as it is there, of
 * any other with the first of its body, since until then a failure can still have a status of its own.
 * @param signal aborts the exchange, before the head and after; a GatewayError as its reason is what it then ends by.
 * @throws GatewayError `upstream-broken` or `upstream-timeout`; the body aborts with the same.
 */
export function send(
  agent: Dispatcher,
  clock: TimeoutClock,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    let socket: Dispatcher.DispatchController | undefined;
    let inflating: ReturnType<typeof inflater>;
    let guard: TruncationDetector | undefined;
    let hasWord: WordReader | undefined;
    /** The answer's head, of which the body decides when it is given; and whether it is. */
    let head: UpstreamHead | undefined;
    let isGiven = false;
    /** Whether a byte of an answer has come. */
    let answered = false;
    /** Whether the body was left for what stands in it. */
    let isBroken = false;
    let over: GatewayError | true | undefined;

    const wait = waitFor(clock, {
      timeLeft: request.timeLeft,
      isPaused: () => socket?.paused === true,
      tooLong: () => abort(new GatewayError('upstream-timeout', BROKEN_OFF.tooLong)),
    });
    const abort = (reason: GatewayError, how: Ending = 'broken'): void => {
      if (over !== undefined) return;
      fail(reason, how);
      socket?.abort(reason);
    };
    const leave = (): void => {
      if (over === undefined) abort(reasonOf(signal), 'left');
    };
    signal.addEventListener('abort', leave, { once: true });

    const finish = (how: Ending, error?: GatewayError): void => {
      over = error ?? true;
      wait.end();
      signal.removeEventListener('abort', leave);
      inflating?.destroy();
      // Where nobody stands by it, whoever takes it may still find a failure in it: in a moment, for all of it is here.
      if (how === 'whole' && guard === undefined && isGiven && !passing.isTaken()) setImmediate(tellEnd, how);
      else tellEnd(how);
    };
    const tellEnd = (how: Ending): void => {
      // Asked in any case: it notes in the record by what the vendor says that it failed.
      const hasFailed = guard?.hasFailed();
      request.ended?.(isBroken || hasFailed ? 'broken' : how);
    };
    const fail = (error: GatewayError, how: Ending = 'broken'): void => {
      if (over !== undefined) return;
      finish(how, error);
      if (!isGiven) reject(error);
      else if (guard === undefined) passing.abort(error);
      else {
        passing.write(guard.errorFrame(error));
        passing.close();
      }
    };
    const succeed = (): void => {
      const cut = guard?.checkTruncated();
      if (cut !== undefined) fail(cut);
      if (over !== undefined) return;
      finish('whole');
      if (isGiven) passing.close();
      else give(passing.body.held());
    };

    const give = (body: UpstreamAnswer['body']): void => {
      if (head === undefined) return;
      isGiven = true;
      resolve({ status: head.status, headers: head.headers, body });
    };
    /** What came with the head is over by now, or the rest of it takes its time. */
    const giveFlowing = (): void => {
      if (over === undefined && !isGiven) give(passing.body);
    };
    const deliver = (chunk: Uint8Array): void => {
      if (over !== undefined) return;
      if (hasWord?.(chunk)) wait.told();
      request.tap?.(chunk);
      guard?.chunk(chunk);
      if (!isGiven) queueMicrotask(giveFlowing);
      if (!passing.write(chunk)) flow(false);
    };
    const flow = (goesOn: boolean): void => {
      if (over !== undefined) return;
      if (goesOn) {
        wait.resumed();
        inflating?.resume();
        socket?.resume();
      } else {
        inflating?.pause();
        socket?.pause();
      }
    };
    const passing = relay({
      flow,
      cancel(error) {
        isBroken = error !== undefined && isVendors(error.fault);
        if (error !== undefined && isBroken) abort(error);
        else leave();
      },
    });

    if (signal.aborted) return leave();
    agent.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        // The clock keeps the time.
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
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          inflating = inflater(headers['content-encoding'], {
            chunk: deliver,
            end: succeed,
            fail: (error) => abort(error),
          })?.on('drain', () => flow(true));
          head = { status, headers: inflating === undefined ? headers : withoutCoding(headers) };
          guard = request.guard?.({ status, headers });
          const isEventStream = String(headers['content-type']).startsWith('text/event-stream');
          hasWord = wordReader(isEventStream);
          if (isEventStream) give(passing.body);
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
          fail(failureOf(error, socket !== undefined, answered));
        },
      },
    );
  });
}

/** The error for which no more of an answer is wanted: where it is the vendor's, it has failed by it. */
export function leftFor({ body }: UpstreamAnswer, error: GatewayError): GatewayError {
  if (!(body instanceof Uint8Array)) body.cancel(error);
  return error;
}

function reasonOf({ reason }: AbortSignal): GatewayError {
  return reason instanceof GatewayError ? reason : new GatewayError('upstream-broken', 'The caller left.');
}

/** Headers without what is true only of the compressed body. */
function withoutCoding(headers: AnswerHeaders): AnswerHeaders {
  const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
  return rest;
}
