/** Deletes sums of months that are older than they are to be kept. What keys and groups have ever spent stays. */

import { sql } from 'kysely';
import { addDays } from '../../lib/calendar.ts';
import { rest } from '../../store/rest.ts';
import type { Store } from '../../store/store.ts';
import { OF_ALL, OF_GROUPS, OF_TAGS } from './write-usage.ts';

/** The first month that is kept of sums that are to be kept for so many days. Only whole months are deleted. */
export function firstKept(today: string, days: number): string {
  return addDays(today, -days).slice(0, 7);
}

/** Deletes the sums before a month, YYYY-MM, a day at a time. @param signal ends it between two pieces. */
export async function deleteOldSums({ db }: Store, month: string, signal?: AbortSignal): Promise<void> {
  for (const { table, of } of [...OF_ALL, ...OF_TAGS, ...OF_GROUPS]) {
    const [column, before] = of.includes('day')
      ? (['day', `${month}-01`] as const)
      : (['month', month] as const);
    while (signal?.aborted !== true) {
      const oldest = await sql<{ first: string | null }>`
        select min(${sql.ref(column)}) as first from ${sql.table(table)}`.execute(db);
      const first = oldest.rows[0]?.first ?? before;
      if (first >= before) break;
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${first}`.execute(db);
      await rest(signal);
    }
  }
}
