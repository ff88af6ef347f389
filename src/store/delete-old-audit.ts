/** Deletes entries of the audit trail that are older than they are to be kept. */

import type { Repeated } from '../lib/repeat.ts';
import { auditIdAt } from './audit.ts';
import { DAY, deleteHourly } from './delete-hourly.ts';
import { rest } from './rest.ts';
import type { Store } from './store.ts';

/** Entries that are deleted at once. Meanwhile nobody else can write to SQLite. */
const PIECE = 1_000;

/**
 * Deletes the entries before `time` (milliseconds since 1970), the oldest first. @param signal ends it between two pieces.
 */
export async function deleteOldAudit(
  { db }: Pick<Store, 'db'>,
  time: number,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true) {
    const old = await db
      .selectFrom('gateway_audit')
      .select('id')
      // The ids are in the order of the times, and have an index.
      .where('id', '<', auditIdAt(time))
      .where('time', '<', time)
      .orderBy('id')
      .limit(PIECE)
      .execute();
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await db.deleteFrom('gateway_audit').where('id', 'in', ids).execute();
    if (ids.length < PIECE) return;
    await rest(signal);
  }
}

/** Deletes the entries that are older than so many days, as `deleteHourly` does. */
export function scheduleAuditDeletion(
  store: Pick<Store, 'db'>,
  days: number,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  return deleteHourly((signal) => deleteOldAudit(store, Date.now() - days * DAY, signal), onTrouble);
}
