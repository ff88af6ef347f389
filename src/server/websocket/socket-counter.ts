/** Bounds on open WebSockets, per key and in total. */

import type { Config } from '../../config/schema.ts';
import { openCounters } from '../../lib/counters.ts';
import { GatewayError } from '../../lib/errors.ts';

/** The open WebSockets, counted. */
export interface SocketCounter {
  /** Why a key may not open another WebSocket now; undefined if it may. */
  refusal(key: string): GatewayError | undefined;
  /**
   * Counts one more WebSocket of a key.
   * @returns a function to call once when it is closed
   */
  add(key: string): () => void;
}

const RETRY_AFTER = 1;

/**
 * @param limits returns the limits in force, which a reload may change
 * @returns a count of open WebSockets, which begins at 0
 */
export function openSocketCounter(
  limits: () => Pick<Config['limits'], 'webSockets' | 'webSocketsPerKey'>,
): SocketCounter {
  const perKey = openCounters();
  let open = 0;
  return {
    refusal(key) {
      const { webSockets, webSocketsPerKey } = limits();
      if (perKey.get(key) >= webSocketsPerKey) {
        return new GatewayError(
          'rate-limited',
          `This API key has ${webSocketsPerKey} WebSockets open, which is as many as it may. Close some of them first.`,
          { retryAfter: RETRY_AFTER },
        );
      }
      if (open < webSockets) return undefined;
      return new GatewayError('overloaded', 'The gateway has too many WebSockets open. Try again shortly.', {
        retryAfter: RETRY_AFTER,
      });
    },
    add(key) {
      open += 1;
      perKey.add(key);
      return () => {
        open -= 1;
        perKey.remove(key);
      };
    },
  };
}
