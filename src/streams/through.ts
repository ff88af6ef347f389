/**
 * The one hop of a translated body: pulls a chunk from the source only when the consumer asks, runs one step over
 * it, and gives all that came of one chunk as one chunk.
 */

import { asGatewayError, type GatewayError } from '../errors.ts';
import type { Sink, Step } from './step.ts';

export interface ThroughOptions {
  /** Says a late error in the consumer's words; the stream then ends. */
  readonly fail: (error: GatewayError, out: Sink<string>) => void;
  /** Whether the last word has been said: what the source says after it is nobody's, nor how it ends. */
  readonly over?: () => boolean;
  /**
   * Whether nothing has been said yet, for all that has come out: it is kept back with `ready`, so that a failure can
   * still become an honest HTTP error, or another attempt. Only until the consumer asks.
   */
  readonly holds?: () => boolean;
  /** Text to send when the source has been silent for so many milliseconds while the consumer waits. */
  readonly keepAlive?: { readonly text: string; readonly milliseconds: number };
}

export interface Through {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Settles when the first output is ready: what comes before it can still become an honest HTTP error.
   * @throws GatewayError where the source failed before giving anything; the body is then of no use.
   */
  readonly ready: Promise<void>;
}

const utf8 = new TextEncoder();

/**
 * @param source the vendor's body; owned from here on, and cancelled when the consumer cancels.
 * @param step bytes of the source to text for the consumer.
 */
export function through(
  source: ReadableStream<Uint8Array>,
  step: Step<Uint8Array, string>,
  options: ThroughOptions,
): Through {
  const reader = source.getReader();
  let text = '';
  let isAsked = false;
  const sink: Sink<string> = {
    enqueue(piece) {
      text += piece;
    },
  };
  const take = (): Uint8Array => {
    const bytes = utf8.encode(text);
    text = '';
    return bytes;
  };

  /** The next output, and whether it is the last. Throws only what the source or the step throws. */
  async function next(): Promise<boolean> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        step.flush?.(sink);
        return true;
      }
      step.transform(value, sink);
      if (options.over?.()) {
        step.flush?.(sink);
        void linger(reader);
        return true;
      }
      if (text !== '' && (isAsked || options.holds?.() !== true)) return false;
    }
  }

  let isReady = false;
  let pending: Promise<boolean> | undefined = next();
  const ready = pending.then(
    () => {
      isReady = true;
    },
    (error: unknown) => {
      reader.cancel(error).catch(() => undefined);
      throw error;
    },
  );
  // Whoever awaits `ready` sees the failure; a body that is never asked for must not make it an unhandled one.
  ready.catch(() => undefined);

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        isAsked = true;
        if (!isReady && text !== '') {
          controller.enqueue(take());
          return;
        }
        const timer = keepAliveTimer(controller, options.keepAlive);
        try {
          let last = await (pending ?? next());
          pending = undefined;
          // A pull that gives nothing is not followed by another.
          while (!last && text === '') last = await next();
          if (text !== '') controller.enqueue(take());
          if (last) controller.close();
        } catch (error) {
          reader.cancel(error).catch(() => undefined);
          options.fail(asGatewayError(error), sink);
          controller.enqueue(take());
          controller.close();
        } finally {
          clearInterval(timer);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, ready };
}

/** How much may come after the last word, and how late the end of it, for the connection to be worth keeping. */
const LATE_BYTES = 64 * 1024;
const LATE_MILLISECONDS = 1_000;

/** Reads a source to its end, where that is near; else cancels it. */
async function linger(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = (): void => {
    reader.cancel().catch(() => undefined);
  };
  const timer = setTimeout(cancel, LATE_MILLISECONDS);
  try {
    for (let size = 0; size <= LATE_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    cancel();
  } catch {
    // All was said before it broke.
  } finally {
    clearTimeout(timer);
  }
}

function keepAliveTimer(
  controller: ReadableStreamDefaultController<Uint8Array>,
  keepAlive: ThroughOptions['keepAlive'],
): NodeJS.Timeout | undefined {
  if (keepAlive === undefined) return undefined;
  return setInterval(() => controller.enqueue(utf8.encode(keepAlive.text)), keepAlive.milliseconds);
}
