/**
 * What is still arriving: request bodies, WebSocket messages and answers that are being collected, each for a key.
 * Their bytes are bounded per key and in total.
 */

import type { Config } from '../../config/schema.ts';
import { openCounters } from '../../lib/counters.ts';
import { GatewayError } from '../../lib/errors.ts';

export type PendingLimits = Pick<Config['limits'], 'pendingBytes' | 'pendingBytesPerKey'>;

export interface Arrival {
  /**
   * Reports how many bytes the arrival takes up by now.
   * @throws GatewayError `rate-limited` if its key holds too many bytes; `overloaded` if there are too many in total
   *   and no other arrival is larger, or if this one was cut. Otherwise the largest other arrivals are cut to make
   *   room.
   */
  holds(bytes: number): void;
  /** The arrival is complete, or no longer needed. */
  end(): void;
}

export interface Arrivals {
  /** Starts an arrival for `key`. @param cut called when others need its room; it must call `end`, at once or soon. */
  begin(key: string, cut: (error: GatewayError) => void): Arrival;
  /** The bytes held for arrivals at present, in total. */
  bytes(): number;
}

interface Entry {
  readonly key: string;
  readonly cut: (error: GatewayError) => void;
  bytes: number;
}

const RETRY_AFTER = 1;

/**
 * Makes the register of what is arriving, with nothing in it.
 * @param limits the limits as they are now: a reload may change them.
 */
export function openArrivals(limits: () => PendingLimits): Arrivals {
  const entries = new Set<Entry>();
  const perKey = openCounters();
  let total = 0;

  function resize(entry: Entry, bytes: number): void {
    const by = bytes - entry.bytes;
    entry.bytes = bytes;
    total += by;
    perKey.add(entry.key, by);
  }

  function remove(entry: Entry): void {
    if (!entries.delete(entry)) return;
    resize(entry, 0);
  }

  function largest(): Entry | undefined {
    let found: Entry | undefined;
    for (const entry of entries) if (found === undefined || entry.bytes > found.bytes) found = entry;
    return found;
  }

  /** Cuts the largest arrivals until the rest fits. @throws GatewayError if `entry` is itself the largest. */
  function makeRoom(entry: Entry, max: number): void {
    while (total > max) {
      const other = largest();
      if (other === undefined || other.bytes <= entry.bytes) throw noRoom();
      // Its owner drops the bytes when `cut` is called, so they are no longer counted.
      remove(other);
      other.cut(noRoom());
    }
  }

  return {
    begin(key, cut) {
      const entry: Entry = { key, cut, bytes: 0 };
      entries.add(entry);
      return {
        holds(bytes) {
          // It was cut, but its owner has not stopped yet.
          if (!entries.has(entry)) throw noRoom();
          const grows = bytes > entry.bytes;
          resize(entry, bytes);
          if (!grows) return;
          const { pendingBytes, pendingBytesPerKey } = limits();
          if (perKey.get(key) > pendingBytesPerKey) throw tooMuch();
          makeRoom(entry, pendingBytes);
        },
        end: () => remove(entry),
      };
    },
    bytes: () => total,
  };
}

function tooMuch(): GatewayError {
  return new GatewayError(
    'rate-limited',
    'This API key has too many bytes of requests and answers on their way. Wait for some of them to finish.',
    { retryAfter: RETRY_AFTER },
  );
}

function noRoom(): GatewayError {
  return new GatewayError(
    'overloaded',
    'The gateway has too many bytes of requests and answers on their way. Try again shortly.',
    { retryAfter: RETRY_AFTER },
  );
}
