/** Deletes entries of the audit trail that are older than they are to be kept. */

import { type Repeated, repeat } from '../lib/repeat.ts';
import { auditIdAt } from './audit.ts';
import { rest } from './rest.ts';
import type { Store } from './store.ts';

const HOUR = 3_600_000;

/** Entries that are deleted at once. Meanwhile nobody else can write to SQLite. */
const PIECE = 1_000;

/** Milliseconds between two pieces. */
const REST = 100;

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
    await rest(REST, signal);
  }
}

/**
 * Deletes, now and every hour, the entries that are older than so many days. @param onTrouble called with the error if that
 * fails. @returns a handle that stops it. Its promise resolves when the store is used no more.
 */
export function scheduleAuditDeletion(
  store: Pick<Store, 'db'>,
  days: number,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  const stopped = new AbortController();
  const forget = (): Promise<void> => deleteOldAudit(store, Date.now() - days * 24 * HOUR, stopped.signal);
  const forgetting = repeat(() => forget().catch(onTrouble), HOUR);
  forgetting.now();
  return {
    stop() {
      stopped.abort();
      return forgetting.stop();
    },
  };
}
