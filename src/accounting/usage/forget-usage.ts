/** Deletes exchanges from the store that are older than they are to be kept. The sums of their days stay. */

import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '../../lib/repeat.ts';
import type { Store } from '../../store/store.ts';

const HOUR = 3_600_000;

/** Exchanges that are deleted at once. Meanwhile nobody else can write to SQLite, for about 50 ms (measured). */
const PIECE = 5_000;

/** Milliseconds between two pieces. Other processes that wait for SQLite look at least as often. */
const REST = 100;

/**
 * Deletes the exchanges before `time` (milliseconds since 1970), piece by piece. An hour of a busy gateway has
 * millions, and while a piece is deleted no usage is written, and no key is read on this connection.
 * @param signal ends it between two pieces.
 */
export async function forgetUsage({ db }: Store, time: number, signal?: AbortSignal): Promise<void> {
  let from = 0;
  while (signal?.aborted !== true) {
    const last = await db
      .selectFrom('gateway_exchanges')
      .select('time')
      // PostgreSQL keeps deleted rows in its index for a while, so each piece starts after the one before.
      .where('time', '>=', from)
      .where('time', '<', time)
      .orderBy('time')
      .offset(PIECE - 1)
      .limit(1)
      .executeTakeFirst();
    const end = last === undefined ? time : last.time + 1;
    await db.deleteFrom('gateway_exchanges').where('time', '>=', from).where('time', '<', end).execute();
    if (last === undefined) return;
    from = end;
    await pause(REST, undefined, { ref: false });
  }
}

/**
 * Deletes old exchanges now and every hour. @param days how long they are kept. @param onTrouble called with the error
 * if that fails. @returns a handle that stops it.
 */
export function startForgettingUsage(
  store: Store,
  days: number,
  onTrouble: (reason: unknown) => void,
): { stop(): void } {
  const stopped = new AbortController();
  // The first run may find months of them.
  const forgetting = repeat(
    () => forgetUsage(store, Date.now() - days * 24 * HOUR, stopped.signal).catch(onTrouble),
    HOUR,
  );
  forgetting.now();
  return {
    stop() {
      forgetting.stop();
      stopped.abort();
    },
  };
}
