/**
 * The one stream that a translated body crosses: it owns the vendor's reader, pulls only when it is asked, runs one
 * fused step over each chunk, and gives all that came of one read as one chunk.
 *
 * It is no `pipeThrough(new TransformStream(step))`, for three things that a TransformStream cannot do: cancel the
 * source while a read waits, say a source's failure in the consumer's words, and hold the head until there is something
 * to say. A second stream would also cost 4 µs a chunk (bench/NOTES.md).
 */

import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Sink, Step } from './step.ts';

export interface TranslateOptions {
  /** Says a late error in the consumer's words; the body then ends. */
  readonly fail: (error: GatewayError, out: Sink<string>) => void;
  /** Called once with what the body fails by, as soon as that is known. */
  readonly failed?: (error: GatewayError) => void;
  /** Whether the last word has been said: nothing that the source says after it counts, nor how it ends. */
  readonly over?: () => boolean;
  /** Whether the source may end here, though it need not: if nothing comes for a while, it is taken to be over. */
  readonly mayBeOver?: (() => boolean) | undefined;
  /**
   * Whether nothing has been said yet, for all that has come out: `ready` then waits, so that a failure can still become
   * an honest HTTP error, or another attempt. It waits no longer than until the consumer asks.
   */
  readonly holds?: () => boolean;
  /** Text to send when there has been nothing to give for so many milliseconds. */
  readonly keepAlive?: { readonly text: () => string; readonly milliseconds: number };
}

export interface TranslatedBody {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Settles when the first output is ready: what comes before it can still become an honest HTTP error.
   * @throws GatewayError where the source failed before giving anything; the body is then of no use.
   */
  readonly ready: Promise<void>;
}

/** How much is made before anybody asks for it, in characters. */
const MOST_HELD = 64 * 1024;

/** How much may come after the last word, and how late the end may come, for the connection to be worth keeping. */
const LATE_BYTES = 64 * 1024;
const LATE_MILLISECONDS = 1_000;

/** How long a source that may be over is waited for: some services tell the usage after the last word of the answer. */
const PARKED_MILLISECONDS = 5_000;

const utf8 = new TextEncoder();

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Timer = ReturnType<typeof setTimeout>;

/**
 * @param source the vendor's body; owned from here on, and cancelled when the consumer cancels.
 * @param step bytes of the source to text for the consumer.
 */
export function translateBody(
  source: ReadableStream<Uint8Array>,
  step: Step<Uint8Array, string>,
  { fail, failed, over, mayBeOver, holds, keepAlive }: TranslateOptions,
): TranslatedBody {
  const reader = source.getReader();
  /** What is made and not given. */
  let text = '';
  const made: Sink<string> = {
    enqueue(piece) {
      text += piece;
    },
  };
  /** How the source ended: well, or by what; undefined as long as it has not. */
  let ended: GatewayError | true | undefined;
  /** Whether a consumer has asked, whether it waits, and whether it has all or has left. */
  let isAsked = false;
  let isWaiting = false;
  let isDone = false;
  let timer: Timer | undefined;
  let parked: Timer | undefined;
  /** The reads that are under way. */
  let reading: Promise<void> | undefined;

  function isEnough(): boolean {
    if (ended !== undefined || isDone) return true;
    if (text === '') return false;
    return isAsked || holds?.() !== true || text.length >= MOST_HELD;
  }

  /** Reads on until there is enough. Never rejects. */
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

  /** Some services end neither their stream nor the connection, and go on to say that they are alive. */
  function awaitEnd(): void {
    clearTimeout(parked);
    parked = undefined;
    if (ended !== undefined || !mayBeOver?.()) return;
    parked = setTimeout(() => {
      // While the consumer takes nothing, it is not the source that keeps silent.
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
      // Only Node's timers can be put off; elsewhere a sign of life may come a little early.
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
    // What was said before the failure in the same read counts: the failure is then a late one.
    const isSaid = text !== '' && holds?.() !== true;
    if (ended instanceof GatewayError && !isSaid) throw ended;
  });
  // Whoever awaits `ready` sees the failure; a body that is never asked for must not make it an unhandled one.
  ready.catch(() => undefined);
  return { body, ready };
}

/** Cancels the source. One that has failed already has nothing more to cancel, and says so by a rejection. */
function leave(reader: Reader, reason?: unknown): void {
  reader.cancel(reason).catch(() => undefined);
}

/** Reads what comes after the last word to its end, where that is near, so that the connection is kept; else cancels. */
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
    // All was said before it broke.
  } finally {
    clearTimeout(timer);
  }
}
