/** Requests that wait for a place at an upstream. */

import { callerLeft, GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';

export class PlaceQueue<T> {
  /** The oldest first; each takes a place if it can. */
  readonly #waiting = new Set<() => boolean>();

  /** Gives places to those that wait. If there is no place for the oldest, there is none for the others. */
  serve(): void {
    for (const serve of this.#waiting) if (!serve()) return;
  }

  /**
   * Waits for a place.
   * @param take takes one; undefined if there is none yet.
   * @param signal ends the wait.
   * @returns a promise that rejects with a GatewayError: `overloaded` after so many milliseconds, or the reason of the signal.
   */
  wait(take: () => T | undefined, milliseconds: number, signal: Signal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const serve = (): boolean => {
        const place = take();
        if (place === undefined) return false;
        stop();
        resolve(place);
        return true;
      };
      const stop = (): void => {
        this.#waiting.delete(serve);
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const leave = (): void => {
        stop();
        reject(signal?.reason instanceof GatewayError ? signal.reason : callerLeft());
      };
      const timer = setTimeout(() => {
        if (serve()) return;
        stop();
        reject(poolFull());
      }, milliseconds);
      this.#waiting.add(serve);
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave);
    });
  }
}

function poolFull(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many requests to this upstream are in flight. Try again shortly.',
    { retryAfter: 1, loss: 'rejected' },
  );
}
