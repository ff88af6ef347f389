/**
 * One HTTP exchange with a vendor, as undici's dispatch runs it: with nothing between the socket and the body that is
 * read. Reading resumes the socket, and cancelling aborts the exchange.
 */

import type { Dispatcher } from 'undici';
import { concatBytes } from '../lib/bytes.ts';
import { asGatewayError, BROKEN_OFF, callerLeft, GatewayError, isVendorError } from '../lib/errors.ts';
import { inMicrotask } from '../lib/in-microtask.ts';
import type { Signal } from '../lib/light-signal.ts';
import { PushBody, type PushSource } from '../streams/push-body.ts';
import { run } from '../streams/step.ts';
import { toFailure } from './failure.ts';
import { type AnswerHeaders, isEventStream, withoutCoding } from './headers.ts';
import { findCoding, inflater } from './inflate.ts';
import type { VendorAgent } from './origin-agent.ts';
import { ReadPieces } from './read-pieces.ts';
import { ScopedHandler } from './scoped-handler.ts';
import type { TimeoutClock } from './timeout-clock.ts';
import type {
  AnswerObserver,
  Breakable,
  Ending,
  Settle,
  UpstreamAnswer,
  UpstreamHead,
  UpstreamRequest,
} from './upstream-answer.ts';
import { WordReader } from './visible-words.ts';
import { Wait, type Waiting } from './wait.ts';

/**
 * One such exchange. It does not hold its request, which may be as large as a dialogue, while the answer takes minutes to
 * arrive. Its methods are shared: thirty closures of its own took 1.3 KB in each open stream.
 */
export class UpstreamExchange extends ScopedHandler implements PushSource, Waiting, Breakable {
  readonly #agent: VendorAgent;
  readonly #origin: string;
  readonly #signal: Signal;
  readonly #ended: UpstreamRequest['ended'];
  readonly #sent: UpstreamRequest['sent'];
  readonly #wait: Wait;
  /** Until there is an answer, or none. */
  #settle: Settle | undefined;
  #observe: UpstreamRequest['observe'];
  #socket: Dispatcher.DispatchController | undefined;
  #inflating: ReturnType<typeof inflater>;
  #observer: AnswerObserver | undefined;
  #words: WordReader | undefined;
  #head: UpstreamHead | undefined;
  readonly #read = new ReadPieces();
  /** The body, once the answer was returned with it. */
  #body: PushBody | undefined;
  /** Whether a byte of an answer has come. */
  #hasAnswered = false;
  /** Whether the body was left because of what is in it. */
  #isBroken = false;
  #over: GatewayError | true | undefined;

  constructor(
    agent: VendorAgent,
    clock: TimeoutClock,
    { origin, timeLeft, observe, sent, ended }: UpstreamRequest,
    signal: Signal,
    settle: Settle,
  ) {
    super();
    this.#agent = agent;
    this.#origin = origin;
    this.#signal = signal;
    this.#ended = ended;
    this.#settle = settle;
    this.#observe = observe;
    this.#sent = sent;
    this.#wait = new Wait(clock, this, timeLeft);
    if (signal.aborted) this.#abandon();
    else signal.addEventListener('abort', this.#abandon);
  }

  markBroken(): void {
    this.#isBroken = true;
  }

  // What undici calls.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#socket = controller;
    // The caller left before there was a connection.
    if (this.#over instanceof GatewayError) controller.abort(this.#over);
    else this.#sent?.();
  }

  onResponseStarted(): void {
    this.#hasAnswered = true;
  }

  onResponseEnd(): void {
    if (this.#inflating === undefined || this.#inflating.readableEnded) this.#succeed();
    else this.#inflating.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toFailure(error, this.#socket !== undefined, this.#hasAnswered));
  }

  protected readHead(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // Parts of the first read, all of which they would keep alive: until the exchange is over, and if the connection has
    // waited for the answer, so that V8 has moved their list to the old generation, until the next full collection.
    if (Array.isArray(controller.rawHeaders)) controller.rawHeaders.length = 0;
    controller.rawHeaders = null;
    if (status < 200) return;
    const coding = findCoding(headers);
    if (coding !== undefined) this.#inflating = this.#inflate(coding);
    this.#head = { status, headers: this.#inflating === undefined ? headers : withoutCoding(headers) };
    this.#observer = this.#observe?.(this.#head);
    this.#observe = undefined;
    const isStream = isEventStream(headers);
    this.#words = new WordReader(isStream);
    if (isStream) this.#giveBody();
  }

  protected readChunk(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    // undici gives an empty piece after a pause within a vendor's chunk. In a body in chunks it would be the end.
    if (chunk.byteLength === 0 || this.#inflating?.readableEnded) return;
    this.#wait.noteBytes();
    if (this.#inflating === undefined) this.#deliver(chunk);
    else if (!this.#inflating.write(chunk)) controller.pause();
  }

  // What the clock asks.

  isPaused(): boolean {
    return this.#socket?.paused === true;
  }

  tooLong(): void {
    this.#abort(new GatewayError('upstream-timeout', BROKEN_OFF.tooLong));
  }

  fallsSilent(): void {
    if (this.#observer?.isClosed?.() !== true) return;
    this.#succeed();
    this.#socket?.abort(callerLeft());
  }

  // What the body asks for.

  resume(): void {
    if (this.#over !== undefined) return;
    this.#wait.noteResumed();
    this.#inflating?.resume();
    this.#socket?.resume();
  }

  pause(): void {
    if (this.#over !== undefined) return;
    this.#inflating?.pause();
    this.#socket?.pause();
  }

  cancel(reason: unknown): void {
    this.#isBroken = reason instanceof GatewayError && isVendorError(reason.fault);
    if (this.#isBroken && reason instanceof GatewayError) this.#abort(reason);
    else this.#abandon();
  }

  maxQueued(): number | undefined {
    return this.#observer?.maxQueued?.();
  }

  /** The caller has left, or the gateway ends the exchange. It listens to the signal. */
  readonly #abandon = (): void => {
    if (this.#over !== undefined) return;
    const reason = this.#signal.reason instanceof GatewayError ? this.#signal.reason : callerLeft();
    // For any other reason the gateway ends the exchange itself, and needs no connection for the caller's next one.
    if (reason.fault === 'upstream-broken' && this.#socket !== undefined) this.#agent.left?.(this.#origin);
    this.#abort(reason, 'left');
  };

  #abort(reason: GatewayError, how: Ending = 'broken'): void {
    if (this.#over !== undefined) return;
    this.#fail(reason, how);
    this.#socket?.abort(reason);
  }

  #fail(error: GatewayError, how: Ending = isVendorError(error.fault) ? 'broken' : 'left'): void {
    if (this.#over === undefined) this.runInAsyncScope(this.#endFailed, this, error, how);
  }

  #endFailed(error: GatewayError, how: Ending): void {
    const body = this.#body;
    if (body === undefined) {
      this.#finish(how, error);
      this.#settle?.reject(error);
      this.#settle = undefined;
      return;
    }
    this.#passOn();
    // The consumer may have left because of what has just come.
    if (this.#over !== undefined) return;
    this.#finish(how, error);
    if (this.#observer?.fail === undefined) body.error(error);
    else {
      this.#observer.fail(error, body);
      body.close();
    }
  }

  #succeed(): void {
    if (this.#over === undefined) this.runInAsyncScope(this.#endWhole, this);
  }

  #endWhole(): void {
    try {
      if (this.#body === undefined) this.#giveWhole();
      else {
        this.#passOn();
        if (this.#over !== undefined) return;
        this.#observer?.flush?.(this.#body);
        this.#finish('whole');
        this.#body.close();
      }
    } catch (error) {
      this.#fail(asGatewayError(error));
    }
  }

  #finish(how: Ending, error?: GatewayError): void {
    this.#over = error ?? true;
    this.#wait.end();
    this.#signal.removeEventListener('abort', this.#abandon);
    this.#inflating?.destroy();
    // Its consumer may still find a failure in what has come: in a moment, for all of it is here.
    if (how === 'whole' && this.#observer?.hasFailed === undefined && this.#body !== undefined) {
      setImmediate(() => this.#reportEnd(how));
    } else this.#reportEnd(how);
  }

  #reportEnd(how: Ending): void {
    // Called in any case, because it also notes in the ledger the failure that the vendor reports.
    const hasFailed = this.#observer?.hasFailed?.();
    this.#ended?.(this.#isBroken || hasFailed ? 'broken' : how);
  }

  #give(body: UpstreamAnswer['body']): void {
    if (this.#head === undefined) return;
    this.#settle?.resolve({ ...this.#head, body, exchange: this });
    this.#settle = undefined;
  }

  /** A body that has come with its head is not pushed. */
  #giveWhole(): void {
    const bytes = this.#read.take();
    const whole = this.#observer === undefined ? bytes : concatBytes(run(this.#observer, [bytes]));
    this.#finish('whole');
    this.#give(whole);
  }

  #giveBody(): PushBody {
    this.#body = new PushBody(this);
    this.#give(this.#body);
    return this.#body;
  }

  #deliver(next: Uint8Array): void {
    if (this.#over !== undefined) return;
    // A decompressor may go on for long after the last compressed byte has arrived.
    if (this.#inflating !== undefined) this.#wait.noteBytes();
    if (this.#read.isEmpty()) inMicrotask(this.#passOn);
    this.#read.add(next);
  }

  /** Passes on as one chunk what came in one read: after its last piece, and before anything else runs. */
  readonly #passOn = (): void => {
    if (this.#over !== undefined || this.#read.isEmpty()) return;
    const bytes = this.#read.take();
    if (this.#words?.hasWord(bytes, this.#wait.hasNewContent())) this.#wait.noteContent();
    const body = this.#body ?? this.#giveBody();
    try {
      if (this.#observer === undefined) body.enqueue(bytes);
      else this.#observer.transform(bytes, body);
    } catch (error) {
      this.#abort(asGatewayError(error));
    }
  };

  #inflate(coding: string | string[]): ReturnType<typeof inflater> {
    return inflater(coding, {
      chunk: (bytes) => this.#deliver(bytes),
      end: () => this.#succeed(),
      endEarly: () => this.#socket?.resume(),
      fail: (error) => this.#abort(error),
      wantsMore: () => this.resume(),
    });
  }
}
