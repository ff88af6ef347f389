/** Deletes usage from the store that is older than it is to be kept: exchanges, and sums if they are not kept for ever. */

import { formatDay } from '../../lib/calendar.ts';
import type { Repeated } from '../../lib/repeat.ts';
import { DAY, deleteHourly } from '../../store/delete-hourly.ts';
import { freeSpace } from '../../store/free-space.ts';
import { rest } from '../../store/rest.ts';
import type { Store } from '../../store/store.ts';
import { deleteOldSums, firstKept } from './delete-old-sums.ts';
import { mendSums } from './mend-sums.ts';

/** Exchanges that are deleted at once. Meanwhile nobody else can write to SQLite, for about 50 ms (measured). */
const PIECE = 5_000;

/**
 * Deletes the exchanges before `time` (milliseconds since 1970), piece by piece. An hour of a busy gateway has
 * millions, and while a piece is deleted no usage is written, and no key is read on this connection.
 * @param signal ends it between two pieces.
 */
export async function deleteOldUsage({ db }: Store, time: number, signal?: AbortSignal): Promise<void> {
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
    await rest(signal);
  }
}

export interface RetentionOptions {
  /** How many days exchanges are kept. */
  readonly keepDays: number;
  /** How many days the sums of days are kept, in whole months; absent means for ever. */
  readonly keepSumDays?: number | undefined;
  /** The time zone of days. */
  readonly timeZone: string;
}

/** Deletes old usage, gives its space back, and mends sums that lack something, as `deleteHourly` does. */
export function scheduleUsageDeletion(
  store: Store,
  { keepDays, keepSumDays, timeZone }: RetentionOptions,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  return deleteHourly(async (signal) => {
    const now = Date.now();
    const today = formatDay(now, timeZone);
    await mendSums(store, today, signal);
    await deleteOldUsage(store, now - keepDays * DAY, signal);
    if (keepSumDays !== undefined) await deleteOldSums(store, firstKept(today, keepSumDays), signal);
    await freeSpace(store, signal);
  }, onTrouble);
}
