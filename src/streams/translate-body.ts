/**
 * The one hop of a translated body: runs one step over each chunk of the source as it comes, and gives all that came of
 * one read of the network as one chunk.
 */

import { asGatewayError, type GatewayError } from '../lib/errors.ts';
import type { Body, BodySink } from './body.ts';
import type { Sink, Step } from './step.ts';

export interface ThroughOptions {
  /** Says a late error in the consumer's words; the body then ends. */
  readonly fail: (error: GatewayError, out: Sink<string>) => void;
  /** Whether the last word has been said: what the source says after it is nobody's, nor how it ends. */
  readonly over?: () => boolean;
  /** Whether nothing has to come any more, though it may: where nothing does for a while, the source is taken to be over. */
  readonly mayBeOver?: (() => boolean) | undefined;
  /**
   * Whether nothing has been said yet, for all that has come out: it is kept back with `ready`, so that a failure can
   * still become an honest HTTP error, or another attempt. Only until the consumer asks.
   */
  readonly holds?: () => boolean;
  /** Text to send when there has been nothing to give for so many milliseconds. */
  readonly keepAlive?: { readonly text: () => string; readonly milliseconds: number };
}

export interface Through {
  readonly body: Body;
  /**
   * Settles when the first output is ready: what comes before it can still become an honest HTTP error.
   * @throws GatewayError where the source failed before giving anything; the body is then of no use.
   */
  readonly ready: Promise<void>;
}

/** How much is made before anybody asks for it, in characters. */
const MOST_HELD = 64 * 1024;

/** How much may come after the last word, and how late the end of it, for the connection to be worth keeping. */
const LATE_BYTES = 64 * 1024;
const LATE_MILLISECONDS = 1_000;

/** For how long a source that may be over is waited for: what it took may still be told, by services that end later. */
const PARKED_MILLISECONDS = 5_000;

const utf8 = new TextEncoder();

/**
 * @param source the vendor's body; owned from here on, and cancelled when the consumer cancels.
 * @param step bytes of the source to text for the consumer.
 */
export function through(source: Body, step: Step<Uint8Array, string>, options: ThroughOptions): Through {
  const { fail, over, mayBeOver, holds, keepAlive } = options;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // Whoever awaits `ready` sees the failure; a body that is never asked for must not make it an unhandled one.
  ready.catch(() => undefined);
  /** What is made and not given. */
  let text = '';
  let isGiving = false;
  let consumer: BodySink | undefined;
  /** Whether the consumer has had enough for now, and whether it has left. */
  let isFull = false;
  let isLeft = false;
  /** How the source ended: well, or by what; undefined as long as it has not. */
  let ended: GatewayError | true | undefined;
  let timer: NodeJS.Timeout | undefined;
  let parked: NodeJS.Timeout | undefined;

  const made: Sink<string> = {
    enqueue(piece) {
      text += piece;
    },
  };

  /** What is made goes when all is that came with it: what follows in the same read runs before a microtask does. */
  function giveSoon(): void {
    if (isGiving || consumer === undefined) return;
    isGiving = true;
    queueMicrotask(give);
  }

  function give(): void {
    isGiving = false;
    if (consumer === undefined || isLeft) return;
    if (text !== '') {
      const bytes = utf8.encode(text);
      text = '';
      timer?.refresh();
      isFull = !consumer.write(bytes);
    }
    if (ended === undefined) return;
    stop();
    consumer.close();
  }

  function stop(): void {
    clearInterval(timer);
    clearTimeout(parked);
    isLeft = true;
  }

  /** The end of the source, or of what can be made of it. */
  function end(how: GatewayError | true): void {
    if (ended !== undefined || isLeft) return;
    ended = how;
    clearTimeout(parked);
    if (how === true) resolve();
    else reject(how);
    if (consumer === undefined) return;
    if (how !== true) fail(how, made);
    giveSoon();
  }

  function run(work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = asGatewayError(error);
      source.cancel(failure);
      end(failure);
    }
  }

  /** Some services end neither their stream nor the connection, and go on to say that they are alive. */
  function awaitEnd(): void {
    clearTimeout(parked);
    parked = undefined;
    if (ended !== undefined || !mayBeOver?.()) return;
    parked = setTimeout(() => {
      // It is not the source that keeps silent.
      if (isFull) return awaitEnd();
      source.cancel();
      run(() => step.flush?.(made));
      end(true);
    }, PARKED_MILLISECONDS);
  }

  const late = lingering(source);
  source.pipeTo({
    write(chunk) {
      if (ended !== undefined) return late.write(chunk);
      if (isLeft) return true;
      const { length } = text;
      run(() => step.transform(chunk, made));
      if (mayBeOver !== undefined && (parked === undefined || text.length !== length)) awaitEnd();
      if (ended === undefined && over?.()) {
        late.begin();
        run(() => step.flush?.(made));
        end(true);
        return true;
      }
      if (text === '') return true;
      if (consumer !== undefined) {
        giveSoon();
        return !isFull;
      }
      const isHeld = holds?.() === true && text.length < MOST_HELD;
      if (!isHeld) resolve();
      return isHeld;
    },
    close() {
      if (ended !== undefined) return late.end();
      run(() => step.flush?.(made));
      end(true);
    },
    abort(error) {
      // All was said before it broke.
      if (ended !== undefined) return late.end();
      end(error);
    },
  });

  const body: Body = {
    pipeTo(sink) {
      consumer = sink;
      if (keepAlive !== undefined) timer = setInterval(ping, keepAlive.milliseconds);
      if (ended !== undefined && ended !== true) fail(ended, made);
      if (text !== '' || ended !== undefined) give();
      if (ended === undefined && !isFull) source.pull();
    },
    pull() {
      isFull = false;
      if (ended === undefined) source.pull();
    },
    cancel() {
      if (isLeft) return;
      stop();
      source.cancel();
    },
  };

  function ping(): void {
    if (isFull || keepAlive === undefined) return;
    text += keepAlive.text();
    give();
  }

  return { body, ready };
}

/** Reads what comes after the last word to its end, where that is near; else cancels it. */
function lingering(source: Body): { begin(): void; write(chunk: Uint8Array): boolean; end(): void } {
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin() {
      timer = setTimeout(() => source.cancel(), LATE_MILLISECONDS);
    },
    write(chunk) {
      size += chunk.byteLength;
      if (size > LATE_BYTES) {
        clearTimeout(timer);
        source.cancel();
      }
      return true;
    },
    end: () => clearTimeout(timer),
  };
}
