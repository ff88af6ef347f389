/** Deletes sums of months that are older than they are to be kept. What keys and groups have ever spent stays. */

import { addDays } from '../../lib/calendar.ts';
import { deleteInPieces } from '../../store/delete-in-pieces.ts';
import type { Store } from '../../store/store.ts';
import { OF_ALL, OF_GROUPS, OF_TAGS } from './write-usage.ts';

/** The first month that is kept of sums that are to be kept for so many days. Only whole months are deleted. */
export function firstKept(today: string, days: number): string {
  return addDays(today, -days).slice(0, 7);
}

/** Deletes the sums before a month, YYYY-MM. @param signal ends it between two pieces. */
export async function deleteOldSums(store: Store, month: string, signal?: AbortSignal): Promise<void> {
  for (const { table, of } of [...OF_ALL, ...OF_TAGS, ...OF_GROUPS]) {
    const before = of.includes('day') ? `${month}-01` : month;
    await deleteInPieces(store, { table, by: of, before }, signal);
  }
}
