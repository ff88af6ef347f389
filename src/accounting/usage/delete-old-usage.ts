/** Deletes usage from the store that is older than it is to be kept: exchanges, and sums if they are not kept for ever. */

import { formatDay } from '../../lib/calendar.ts';
import type { Repeated } from '../../lib/repeat.ts';
import { DAY, deleteHourly } from '../../store/delete-hourly.ts';
import { deleteInPieces } from '../../store/delete-in-pieces.ts';
import { freeSpace } from '../../store/free-space.ts';
import type { Store } from '../../store/store.ts';
import { deleteOldSums, firstKept } from './delete-old-sums.ts';
import { mendSums } from './mend-sums.ts';

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
    const before = now - keepDays * DAY;
    await deleteInPieces(store, { table: 'gateway_exchanges', by: ['time'], before }, signal);
    if (keepSumDays !== undefined) await deleteOldSums(store, firstKept(today, keepSumDays), signal);
    await freeSpace(store, signal);
  }, onTrouble);
}
