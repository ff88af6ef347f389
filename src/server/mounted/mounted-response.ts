/** An answer as a web Response, and what the gateway watches of it while its body is read. */

import { EventEmitter } from 'node:events';
import type { CallerResponse } from '../../access/caller.ts';
import { type Answer, NO_CONTENT } from '../../pipeline/exchange.ts';
import { ON_DEMAND } from '../../streams/source-stream.ts';

/** Headers of a connection, which the server in front of the gateway decides on (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Where an answer goes. Reading it to its end finishes it; a cancellation, or the request's signal, leaves it. */
export class MountedResponse extends EventEmitter implements CallerResponse {
  closed = false;
  destroyed = false;
  writableFinished = false;
  headersSent = false;
  readonly writableLength = 0;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.leave();

  /** @param signal aborts when the caller leaves. */
  constructor(signal: AbortSignal) {
    super();
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    // Later, so that whoever follows the answer can listen for its end first.
    if (signal.aborted) queueMicrotask(this.#onAbort);
  }

  /** The server in front of the gateway has let the caller send its body. */
  writeContinue(): void {}

  /** All of the answer has been taken. */
  finish(): void {
    if (this.closed) return;
    this.writableFinished = true;
    this.#close();
  }

  /** The caller has left, or the answer has failed. */
  leave(): void {
    if (this.closed) return;
    this.#close();
  }

  #close(): void {
    this.closed = true;
    this.destroyed = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.emit('close');
  }
}

/**
 * Makes the web's Response of an exchange's answer.
 * @param extra headers in addition to the answer's own.
 */
export function toWebResponse(
  response: MountedResponse,
  { status, headers, body }: Answer,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const sent = Object.entries({ ...headers, ...extra }).filter(([name]) => !OF_CONNECTION.has(name));
  response.headersSent = true;
  if (!(body instanceof Uint8Array)) return new Response(follow(body, response), { status, headers: sent });
  response.finish();
  return new Response(status === NO_CONTENT ? null : Buffer.from(body), { status, headers: sent });
}

/** The same bytes, one read for one read, so that a consumer who stops reading pauses the vendor. */
function follow(body: ReadableStream<Uint8Array>, response: MountedResponse): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // A stream that has failed rejects its cancellation too, and there is nothing left to cancel.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  if (response.closed) cancel();
  response.on('close', () => {
    if (!response.writableFinished) cancel();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // A body that was cut must not look complete.
          if (response.closed) throw new Error('The caller has left.');
          if (!done) return controller.enqueue(value);
          response.finish();
          controller.close();
        } catch (error) {
          response.leave();
          controller.error(error);
        }
      },
      cancel: () => response.leave(),
    },
    ON_DEMAND,
  );
}
