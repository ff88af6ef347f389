/**
 * The one stream that a translated body crosses. It owns the vendor's reader, pulls only on demand, runs one fused step
 * over each chunk, and passes on all output of one read as one chunk.
 *
 * It is not `pipeThrough(new TransformStream(step))`, because it does three things that a TransformStream cannot do:
 * cancel the source while a read waits, render the source's failure for the consumer, and hold the head until there is
 * output. A second stream would also cost 4 µs a chunk (bench/NOTES.md).
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Sink, Step } from './step.ts';

export interface TranslateOptions {
  /** Renders a late error for the consumer; the body then ends. */
  readonly fail: (error: GatewayError, out: Sink<string>) => void;
  /** Called once with what the body fails by, as soon as that is known. */
  readonly failed?: (error: GatewayError) => void;
  /** Whether the last word has been said: nothing that the source says after it counts, nor how it ends. */
  readonly over?: () => boolean;
  /** Whether the source may end here without an end marker. If nothing comes for a while, it counts as ended. */
  readonly mayBeOver?: (() => boolean) | undefined;
  /**
   * Whether the output so far contains nothing of the answer itself. `ready` then keeps waiting, so that a failure can
   * still become an HTTP error or cause a retry. It waits no longer than until the consumer reads.
   */
  readonly holds?: () => boolean;
  /** The text to send after so many milliseconds without output. */
  readonly keepAlive?: { readonly text: () => string; readonly milliseconds: number };
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
  { fail, failed, over, mayBeOver, holds, keepAlive }: TranslateOptions,
): TranslatedBody {
  const reader = source.getReader();
  /** Output that has not been passed on. */
  let text = '';
  const made: Sink<string> = {
    enqueue(piece) {
      text += piece;
    },
  };
  /** How the source ended: true, or its error; undefined while it has not. */
  let ended: GatewayError | true | undefined;
  /** Whether the consumer has read, whether it is waiting, and whether it has everything or has left. */
  let isAsked = false;
  let isWaiting = false;
  let isDone = false;
  let timer: Timer | undefined;
  let parked: Timer | undefined;
  /** The reads in progress. */
  let reading: Promise<void> | undefined;

  function isEnough(): boolean {
    if (ended !== undefined || isDone) return true;
    if (text === '') return false;
    return isAsked || holds?.() !== true || text.length >= MOST_HELD;
  }

  /** Reads on until there is enough output. Never rejects. */
  function read(): Promise<void> {
    reading ??= next();
    return reading;
  }

  function next(): Promise<void> {
    return reader.read().then(take, broke);
  }

  function take({ done, value }: Awaited<ReturnType<Reader['read']>>): Promise<void> | undefined {
    if (ended === undefined && !isDone) {
      if (done) finish();
      else translate(value);
    }
    if (!isEnough()) return next();
    reading = undefined;
    return undefined;
  }

  function broke(error: unknown): void {
    reading = undefined;
    end(asGatewayError(error));
  }

  function translate(chunk: Uint8Array): void {
    const { length } = text;
    run(() => step.transform(chunk, made));
    if (ended !== undefined) return;
    if (mayBeOver !== undefined && (parked === undefined || text.length !== length)) awaitEnd();
    if (!over?.()) return;
    finish();
    void drainRest(reader);
  }

  function finish(): void {
    run(() => step.flush?.(made));
    end(true);
  }

  function run(work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = asGatewayError(error);
      leave(reader, failure);
      end(failure);
    }
  }

  function end(how: GatewayError | true): void {
    if (ended !== undefined || isDone) return;
    ended = how;
    clearTimeout(parked);
    if (how !== true) failed?.(how);
  }

  /** Some services end neither their stream nor the connection, and keep sending keep-alives. */
  function awaitEnd(): void {
    clearTimeout(parked);
    parked = undefined;
    if (ended !== undefined || !mayBeOver?.()) return;
    parked = setTimeout(() => {
      // While the consumer reads nothing, the silence is not the source's.
      if (isAsked && !isWaiting) return awaitEnd();
      leave(reader);
      finish();
      giveTo?.();
    }, PARKED_MILLISECONDS);
  }

  let giveTo: (() => void) | undefined;

  function give(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (isDone) return;
    if (ended instanceof GatewayError) fail(ended, made);
    if (text !== '') {
      const bytes = utf8.encode(text);
      text = '';
      isWaiting = false;
      // Only Node's timers can be postponed; elsewhere a keep-alive may come a little early.
      timer?.refresh?.();
      controller.enqueue(bytes);
    }
    if (ended === undefined) return;
    stop();
    controller.close();
  }

  function stop(): void {
    clearInterval(timer);
    clearTimeout(parked);
    isDone = true;
  }

  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        isWaiting = true;
        if (!isAsked) {
          isAsked = true;
          giveTo = () => give(controller);
          if (keepAlive !== undefined) timer = setInterval(ping, keepAlive.milliseconds, controller);
        }
        if (isEnough()) return give(controller);
        return read().then(giveTo);
      },
      cancel(reason) {
        stop();
        leave(reader, reason);
      },
    },
    { highWaterMark: 0 },
  );

  function ping(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (keepAlive === undefined || isDone || !isWaiting || (controller.desiredSize ?? 0) < 0) return;
    text += keepAlive.text();
    give(controller);
    isWaiting = true;
  }

  const ready = read().then(() => {
    if (ended instanceof GatewayError) throw ended;
  });
  // A caller that awaits `ready` sees the failure; for a body that is never read it must not be an unhandled rejection.
  ready.catch(() => undefined);
  return { body, ready };
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
