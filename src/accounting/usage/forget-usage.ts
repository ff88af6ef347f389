/** Takes exchanges out of the store that are older than they are to be kept. The sums of their days stay. */

import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '../../lib/repeat.ts';
import type { Store } from '../../store/store.ts';

const HOUR = 3_600_000;

/** Exchanges that are deleted at once: SQLite lets nobody write meanwhile, for some 50 ms (measured). */
const PIECE = 5_000;

/** Milliseconds between two pieces: other processes that wait for SQLite look no oftener. */
const REST = 100;

/**
 * Deletes the exchanges before `time` (milliseconds since 1970), a piece of them at a time: an hour of a busy gateway
 * are millions, and as long as they take no usage is written, and on this connection no key read.
 * @param signal ends it between two pieces.
 */
export async function forgetUsage({ db }: Store, time: number, signal?: AbortSignal): Promise<void> {
  let from = 0;
  while (signal?.aborted !== true) {
    const last = await db
      .selectFrom('gateway_exchanges')
      .select('time')
      // What is deleted is left in PostgreSQL's index for a while: not to be read again and again.
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

/** Does so now and every hour. @returns what ends it. @param onTrouble told why, where it fails. */
export function keepForgetting(
  store: Store,
  days: number,
  onTrouble: (reason: unknown) => void,
): { stop(): void } {
  const stopped = new AbortController();
  // The first time there may be months of them.
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
