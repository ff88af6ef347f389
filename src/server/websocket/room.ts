/** How many WebSockets may be open: of each key and in all. */

import { openCounters } from '../../lib/counters.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { SocketLimits } from '../../pipeline/caller-limits.ts';

export interface SocketRoom {
  /** Why a key may not open another one now; undefined where it may. */
  refusal(key: string): GatewayError | undefined;
  /** One more of a key is open. @returns what is called when it is closed, once. */
  take(key: string): () => void;
}

const RETRY_AFTER = 1;

/** Room with nobody in it. @param limits as they are now: a reload may change them. */
export function openSocketRoom(limits: () => SocketLimits): SocketRoom {
  const perKey = openCounters();
  let open = 0;
  return {
    refusal(key) {
      const { webSockets, webSocketsPerKey } = limits();
      if (perKey.of(key) >= webSocketsPerKey) {
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
    take(key) {
      open += 1;
      perKey.add(key);
      return () => {
        open -= 1;
        perKey.remove(key);
      };
    },
  };
}
