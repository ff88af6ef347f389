/**
 * The one stream that a translated body crosses. It owns the vendor's reader, pulls only on demand, runs one fused step
 * over each chunk, and passes on all output of one read as one chunk.
 *
 * It is not `pipeThrough(new TransformStream(step))`, because it does three things that a TransformStream cannot do:
 * cancel the source while a read waits, render the source's failure for the consumer, and hold the head until there is
 * output. A second stream would also cost 4 µs a chunk (bench/NOTES.md).
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import { ON_DEMAND } from './push-body.ts';
import type { Sink, Step } from './step.ts';

export interface TranslateOptions {
  /** Renders a late error for the consumer; the body then ends. */
  fail(error: GatewayError, out: Sink<string>): void;
  /** Called once with what the body fails by, as soon as that is known. */
  failed?(error: GatewayError): void;
  /** Whether the last word has been said: nothing that the source says after it counts, nor how it ends. */
  over?(): boolean;
  /** Whether the source may end here without an end marker. If nothing comes for a while, it counts as ended. */
  mayBeOver?(): boolean;
  /**
   * Whether the output so far contains nothing of the answer itself. `ready` then keeps waiting, so that a failure can
   * still become an HTTP error or cause a retry. It waits no longer than until the consumer reads.
   */
  holds?(): boolean;
  readonly keepAlive?: KeepAlive | undefined;
}

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
const MOST_HELD = 64 * 1024;

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

const utf8 = new TextEncoder();

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Timer = ReturnType<typeof setTimeout>;

/**
 * Makes the stream.
 * @param source the vendor's body. The stream owns it from here on, and cancels it when the consumer cancels.
 * @param step from the source's bytes to the consumer's text.
 */
export function translateBody(
  source: ReadableStream<Uint8Array>,
  step: Step<Uint8Array, string>,
  options: TranslateOptions,
): TranslatedBody {
  const translation = new Translation(source.getReader(), step, options);
  return { body: new ReadableStream<Uint8Array>(translation, ON_DEMAND), ready: translation.ready() };
}

/** The underlying source of such a stream, and where its step writes. */
class Translation implements Sink<string> {
  readonly #reader: Reader;
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
  #consumer: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: Timer | undefined;
  #parked: Timer | undefined;
  /** The reads in progress. */
  #reading: Promise<void> | undefined;

  constructor(reader: Reader, step: Step<Uint8Array, string>, options: TranslateOptions) {
    this.#reader = reader;
    this.#step = step;
    this.#options = options;
  }

  /** Settles as `TranslatedBody.ready` does. */
  ready(): Promise<void> {
    const ready = this.#read().then(() => {
      if (this.#ended instanceof GatewayError) throw this.#ended;
    });
    // A caller that awaits it sees the failure; for a body that is never read it must not be an unhandled rejection.
    ready.catch(() => undefined);
    return ready;
  }

  enqueue(piece: string): void {
    this.#text += piece;
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    this.#isWaiting = true;
    if (this.#consumer === undefined) {
      this.#consumer = controller;
      const { keepAlive } = this.#options;
      if (keepAlive !== undefined)
        this.#timer = setInterval(() => this.#ping(keepAlive), keepAlive.milliseconds);
    }
    if (!this.#isEnough()) return this.#read().then(this.#give);
    this.#give();
    return undefined;
  }

  cancel(reason: unknown): void {
    this.#stop();
    leave(this.#reader, reason);
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
    leave(this.#reader);
    this.#finish();
    this.#give();
  }

  #isEnough(): boolean {
    if (this.#ended !== undefined || this.#isDone) return true;
    if (this.#text === '') return false;
    return this.#consumer !== undefined || this.#options.holds?.() !== true || this.#text.length >= MOST_HELD;
  }

  /** Reads on until there is enough output. Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#next();
    return this.#reading;
  }

  #next(): Promise<void> {
    return this.#reader.read().then(this.#take, this.#broke);
  }

  // Promises call these three, and each read needs two of them, so they are made once for a body.

  readonly #take = ({ done, value }: Awaited<ReturnType<Reader['read']>>): Promise<void> | undefined => {
    if (this.#ended === undefined && !this.#isDone) {
      if (done) this.#finish();
      else this.#translate(value);
    }
    if (!this.#isEnough()) return this.#next();
    this.#reading = undefined;
    return undefined;
  };

  readonly #broke = (error: unknown): void => {
    this.#reading = undefined;
    this.#end(asGatewayError(error));
  };

  readonly #give = (): void => {
    const controller = this.#consumer;
    if (this.#isDone || controller === undefined) return;
    if (this.#ended instanceof GatewayError) this.#options.fail(this.#ended, this);
    if (this.#text !== '') {
      const bytes = utf8.encode(this.#text);
      this.#text = '';
      this.#isWaiting = false;
      // Only Node's timers can be postponed; elsewhere a keep-alive may come a little early.
      this.#timer?.refresh?.();
      controller.enqueue(bytes);
    }
    if (this.#ended === undefined) return;
    this.#stop();
    controller.close();
  };

  #translate(chunk: Uint8Array): void {
    const { length } = this.#text;
    try {
      this.#step.transform(chunk, this);
    } catch (error) {
      this.#failBy(error);
    }
    if (this.#ended !== undefined) return;
    if (this.#parked === undefined || this.#text.length !== length) this.#awaitEnd();
    if (!this.#options.over?.()) return;
    this.#finish();
    void drainRest(this.#reader);
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
    leave(this.#reader, failure);
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
    if (this.#ended !== undefined || !this.#options.mayBeOver?.()) return;
    this.#parked = setTimeout(() => this.#unpark(), PARKED_MILLISECONDS);
  }

  #stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#parked);
    this.#isDone = true;
  }
}

/** Cancels the source. If it has failed already, there is nothing to cancel, and its rejection is ignored. */
function leave(reader: Reader, reason?: unknown): void {
  reader.cancel(reason).catch(() => undefined);
}

/**
 * Reads what comes after the last event to its end, if that is near, so that the connection can be kept; otherwise
 * cancels.
 */
async function drainRest(reader: Reader): Promise<void> {
  const timer = setTimeout(leave, LATE_MILLISECONDS, reader);
  try {
    for (let size = 0; size <= LATE_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // It broke off after everything had been sent.
  } finally {
    clearTimeout(timer);
  }
}
