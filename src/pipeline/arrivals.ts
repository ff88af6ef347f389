/**
 * What is on its way and not whole yet: request bodies, WebSocket messages and answers that are collected, each for a
 * key. Their bytes are bounded for each key and in all.
 */

import { GatewayError } from '../lib/errors.ts';

export interface PendingLimits {
  /** Bytes on their way, in all. */
  readonly pendingBytes: number;
  /** Bytes on their way for one key. */
  readonly pendingBytesPerKey: number;
}

export interface Arrival {
  /**
   * It takes up so many bytes by now.
   * @throws GatewayError `rate-limited` where its key has too many on their way; `overloaded` where there are too many
   *   in all and no other arrival takes up more, or it was cut. Otherwise the largest others are cut to make room.
   */
  holds(bytes: number): void;
  /** It is whole, or nobody waits for it any more. */
  end(): void;
}

export interface Arrivals {
  /**
   * Something begins to arrive for `key`.
   * @param cut called where others need its room: must call `end`, at once or soon.
   */
  begin(key: string, cut: (error: GatewayError) => void): Arrival;
  /** Bytes on their way, in all. */
  bytes(): number;
}

interface Entry {
  readonly key: string;
  readonly cut: (error: GatewayError) => void;
  bytes: number;
}

const RETRY_AFTER = 1;

/** @param limits as they are now: a reload may change them. */
export function openArrivals(limits: () => PendingLimits): Arrivals {
  const entries = new Set<Entry>();
  const perKey = new Map<string, number>();
  let total = 0;

  function resize(entry: Entry, bytes: number): void {
    const by = bytes - entry.bytes;
    entry.bytes = bytes;
    total += by;
    const ofKey = (perKey.get(entry.key) ?? 0) + by;
    if (ofKey > 0) perKey.set(entry.key, ofKey);
    else perKey.delete(entry.key);
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

  /** Cuts the largest arrivals until what remains fits. @throws GatewayError where `entry` is the largest itself. */
  function makeRoom(entry: Entry, most: number): void {
    while (total > most) {
      const other = largest();
      if (other === undefined || other.bytes <= entry.bytes) throw noRoom();
      // Its bytes are gone as soon as it hears of this, so they are not counted any longer.
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
          // It was cut, and goes on for a moment all the same.
          if (!entries.has(entry)) throw noRoom();
          const grows = bytes > entry.bytes;
          resize(entry, bytes);
          if (!grows) return;
          const { pendingBytes, pendingBytesPerKey } = limits();
          if ((perKey.get(key) ?? 0) > pendingBytesPerKey) throw tooMuch();
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
