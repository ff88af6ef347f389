/** What undici calls for an answer, in the scope of the exchange that the answer is for. */

import { AsyncResource } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import type { AnswerHeaders } from './headers.ts';

/**
 * A handler whose methods run in the scope in which it was made. A connection serves many exchanges, and Node takes what it
 * calls for a part of the one that opened it, to which an uncaught error would then be charged (`live-exchanges.ts`).
 * What ends an answer from elsewhere, such as the clock of all exchanges, enters the scope by `runInAsyncScope` itself.
 */
export abstract class ScopedHandler extends AsyncResource implements Dispatcher.DispatchHandler {
  constructor() {
    // Node would otherwise register each one for the garbage collector, to tell hooks that nobody has.
    super('UpstreamExchange', { requireManualDestroy: true });
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.runInAsyncScope(this.readHead, this, controller, status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.runInAsyncScope(this.readChunk, this, controller, chunk);
  }

  protected abstract readHead(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void;

  protected abstract readChunk(controller: Dispatcher.DispatchController, chunk: Uint8Array): void;
}
