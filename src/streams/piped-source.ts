/**
 * The writable side of a transform whose readable side is made by someone else. `pipeThrough` aborts the writable side
 * when its source fails; a TransformStream would then fail its readable side at once, with whatever is queued. Here what
 * is queued is read first, and then the error.
 */

import { BROKEN_OFF, GatewayError } from '../lib/errors.ts';
import { PushBody } from './push-body.ts';

export interface PipedSource {
  readonly writable: WritableStream<Uint8Array>;
  /** What is written there. Its cancellation makes further writes fail. */
  readonly source: PushBody;
}

/** Makes both ends. */
export function pipedSource(): PipedSource {
  let failWrites: (reason: unknown) => void = () => {};
  let goOn: (() => void) | undefined;
  let isPaused = false;
  const resume = (): void => {
    isPaused = false;
    goOn?.();
  };
  const pushed = new PushBody({
    resume,
    pause() {
      isPaused = true;
    },
    cancel(reason) {
      failWrites(reason);
      resume();
    },
  });
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      failWrites = (reason) => controller.error(reason);
    },
    write(chunk) {
      pushed.enqueue(chunk);
      if (!isPaused) return undefined;
      return new Promise<void>((resolve) => {
        goOn = resolve;
      });
    },
    close: () => pushed.close(),
    abort: (reason) => pushed.error(asLost(reason)),
  });
  return { writable, source: pushed };
}

/** Whatever ends a vendor's stream early, to a caller it is a lost connection. */
function asLost(reason: unknown): GatewayError {
  if (reason instanceof GatewayError) return reason;
  return new GatewayError('upstream-broken', BROKEN_OFF.lost, { cause: reason });
}
