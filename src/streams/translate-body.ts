/**
 * The one stream that a translated body crosses. It takes the vendor's chunks only on demand, runs one fused step over
 * each, and passes on all output of one chunk as one.
 *
 * It is not `pipeThrough(new TransformStream(step))`, because it does three things that a TransformStream cannot do:
 * cancel the source while a read waits, render the source's failure for the consumer, and hold the head until there is
 * output. A second stream would also cost 4 µs a chunk (bench/NOTES.md).
 */

import { bytesOfText } from '../lib/bytes.ts';
import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Consumer, PushBody } from './push-body.ts';
import { type ByteSink, type ByteSource, SourceStream } from './source-stream.ts';
import type { Sink, Step } from './step.ts';

export interface TranslateOptions {
  /** Encodes the output as UTF-8. Absent: into memory of its own, which its consumer may transfer. */
  readonly encode?: Encode | undefined;
  /** Renders a late error for the consumer; the body then ends. */
  fail(error: GatewayError, out: Sink<string>): void;
  /** Called once with what the body fails by, as soon as that is known. */
  failed?(error: GatewayError): void;
  /** Whether the last word has been said: nothing that the source says after it counts, nor how it ends. */
  end?(): boolean;
  /** Whether the source may end here without an end marker. If nothing comes for a while, it counts as ended. */
  mayEnd?(): boolean;
  /** Called when it counts as ended for that. */
  endHere?(): void;
  /**
   * Whether the output so far contains nothing of the answer itself. `ready` then keeps waiting, so that a failure can
   * still become an HTTP error or cause a retry. It waits no longer than until the consumer reads.
   */
  isHolding?(): boolean;
  readonly keepAlive?: KeepAlive | undefined;
}

/** Encodes a text as UTF-8. */
export type Encode = (text: string) => Uint8Array;

/** The text to send after so many milliseconds without output. */
export interface KeepAlive {
  text(): string;
  readonly milliseconds: number;
}

export interface TranslatedBody {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Settles when the first output is ready. A failure before that can still become an HTTP error.
   * @throws GatewayError if the source fails before any output; the body is then unusable.
   */
  readonly ready: Promise<void>;
}

/** How much output is made before the consumer reads, in characters. */
const MAX_QUEUED = 64 * 1024;

/**
 * How many bytes may come after the last event, and how many milliseconds later the end may come, for the connection to
 * be worth keeping.
 */
const LATE_BYTES = 64 * 1024;
const LATE_MILLISECONDS = 1_000;

/**
 * How long to wait for a source that may be over, in milliseconds: some services send the usage after the answer's last
 * event.
 */
const PARKED_MILLISECONDS = 5_000;

type Timer = ReturnType<typeof setTimeout>;

/**
 * Makes the stream.
 * @param source the vendor's body. The stream owns it from here on, and cancels it when the consumer cancels.
 * @param step from the source's bytes to the consumer's text.
 */
export function translateBody(
  source: PushBody,
  step: Step<Uint8Array, string>,
  options: TranslateOptions,
): TranslatedBody {
  const translation = new Translation(source, step, options);
  return { body: new SourceStream(translation), ready: translation.ready() };
}

/** The underlying source of such a stream, and where its step writes. */
class Translation implements Sink<string>, Consumer, ByteSource {
  readonly #source: PushBody;
  readonly #step: Step<Uint8Array, string>;
  readonly #options: TranslateOptions;
  /** Output that has not been passed on. */
  #text = '';
  /** How the source ended: true, or its error; undefined while it has not. */
  #ended: GatewayError | true | undefined;
  /** Whether the consumer is waiting, and whether it has everything or has left. */
  #isWaiting = false;
  #isDone = false;
  /** Absent until the consumer reads. */
  #consumer: ByteSink | undefined;
  #timer: Timer | undefined;
  #parked: Timer | undefined;
  /** Settles `ready`, until it has. */
  #ready: PromiseWithResolvers<void> | undefined;

  constructor(source: PushBody, step: Step<Uint8Array, string>, options: TranslateOptions) {
    this.#source = source;
    this.#step = step;
    this.#options = options;
  }

  /** Settles as `TranslatedBody.ready` does. */
  ready(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    // A caller that awaits it sees the failure; for a body that is never read it must not be an unhandled rejection.
    ready.promise.catch(() => undefined);
    this.#ready = ready;
    this.available();
    return ready.promise;
  }

  enqueue(piece: string): void {
    this.#text += piece;
  }

  pull(consumer: ByteSink): void {
    this.#isWaiting = true;
    if (this.#consumer === undefined) {
      this.#consumer = consumer;
      const { keepAlive } = this.#options;
      if (keepAlive !== undefined)
        this.#timer = setInterval(() => this.#ping(keepAlive), keepAlive.milliseconds);
    }
    this.available();
  }

  cancel(reason: unknown): void {
    this.#stop();
    this.#source.cancel(reason);
  }

  /** Takes chunks until there is enough output, and passes that on if the consumer waits. */
  available(): void {
    while (!this.#isEnough()) {
      const next = this.#source.next(this);
      if (next === undefined) return;
      if (next === 'end') this.#finish();
      else if (next instanceof GatewayError) this.#end(next);
      else this.#translate(next);
    }
    const ready = this.#ready;
    this.#ready = undefined;
    if (this.#ended instanceof GatewayError) ready?.reject(this.#ended);
    else ready?.resolve();
    if (this.#isWaiting) this.#give();
  }

  /** Sends a keep-alive, if the consumer waits. */
  #ping(keepAlive: KeepAlive): void {
    if (this.#isDone || !this.#isWaiting || (this.#consumer?.desiredSize ?? 0) < 0) return;
    this.#text += keepAlive.text();
    this.#give();
    this.#isWaiting = true;
  }

  /** Nothing has come for long since the source may be over. */
  #unpark(): void {
    // While the consumer reads nothing, the silence is not the source's.
    if (this.#consumer !== undefined && !this.#isWaiting) {
      this.#awaitEnd();
      return;
    }
    this.#source.cancel();
    this.#options.endHere?.();
    this.#finish();
    this.available();
  }

  #isEnough(): boolean {
    if (this.#ended !== undefined || this.#isDone) return true;
    if (this.#text === '') return false;
    return (
      this.#consumer !== undefined || this.#options.isHolding?.() !== true || this.#text.length >= MAX_QUEUED
    );
  }

  #give(): void {
    const consumer = this.#consumer;
    if (this.#isDone || consumer === undefined) return;
    if (this.#ended instanceof GatewayError) this.#fail(this.#ended, consumer);
    if (this.#isDone) return;
    if (this.#text !== '') {
      const bytes = (this.#options.encode ?? bytesOfText)(this.#text);
      this.#text = '';
      this.#isWaiting = false;
      // Only Node's timers can be postponed; elsewhere a keep-alive may come a little early.
      this.#timer?.refresh?.();
      consumer.enqueue(bytes);
    }
    if (this.#ended === undefined) return;
    this.#stop();
    consumer.close();
  }

  /** Renders a failure. The source must not see what that throws. */
  #fail(failure: GatewayError, consumer: ByteSink): void {
    try {
      this.#options.fail(failure, this);
    } catch (error) {
      this.#stop();
      consumer.error(error);
    }
  }

  #translate(chunk: Uint8Array): void {
    const { length } = this.#text;
    try {
      this.#step.transform(chunk, this);
    } catch (error) {
      this.#failBy(error);
    }
    if (this.#ended !== undefined) return;
    if (this.#parked === undefined || this.#text.length !== length) this.#awaitEnd();
    if (!this.#options.end?.()) return;
    this.#finish();
    new RestReader(this.#source).available();
  }

  #finish(): void {
    try {
      this.#step.flush?.(this);
    } catch (error) {
      this.#failBy(error);
    }
    this.#end(true);
  }

  #failBy(error: unknown): void {
    const failure = asGatewayError(error);
    this.#source.cancel(failure);
    this.#end(failure);
  }

  #end(how: GatewayError | true): void {
    if (this.#ended !== undefined || this.#isDone) return;
    this.#ended = how;
    clearTimeout(this.#parked);
    if (how !== true) this.#options.failed?.(how);
  }

  /** Some services end neither their stream nor the connection, and keep sending keep-alives. */
  #awaitEnd(): void {
    clearTimeout(this.#parked);
    this.#parked = undefined;
    if (this.#ended !== undefined || !this.#options.mayEnd?.()) return;
    this.#parked = setTimeout(() => this.#unpark(), PARKED_MILLISECONDS);
  }

  #stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#parked);
    this.#isDone = true;
  }
}

/**
 * Reads what comes after the last event to its end, if that is near, so that the connection can be kept; otherwise
 * cancels.
 */
class RestReader implements Consumer {
  readonly #source: PushBody;
  readonly #timer: Timer;
  #size = 0;

  constructor(source: PushBody) {
    this.#source = source;
    this.#timer = setTimeout(() => source.cancel(), LATE_MILLISECONDS);
  }

  available(): void {
    while (this.#size <= LATE_BYTES) {
      const next = this.#source.next(this);
      if (next === undefined) return;
      // However it ends, everything has been sent.
      if (!(next instanceof Uint8Array)) break;
      this.#size += next.byteLength;
    }
    clearTimeout(this.#timer);
    this.#source.cancel();
  }
}
