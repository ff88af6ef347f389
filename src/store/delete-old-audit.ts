/** Deletes entries of the audit trail that are older than they are to be kept. */

import type { Repeated } from '../lib/repeat.ts';
import { auditIdAt } from './audit.ts';
import { DAY, deleteHourly } from './delete-hourly.ts';
import { deleteInPieces } from './delete-in-pieces.ts';
import type { Store } from './store.ts';

/** Deletes the entries that are older than so many days, as `deleteHourly` does. */
export function scheduleAuditDeletion(
  store: Pick<Store, 'db'>,
  days: number,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  return deleteHourly((signal) => {
    // The ids are in the order of the times, and have an index.
    const before = auditIdAt(Date.now() - days * DAY);
    return deleteInPieces(store, { table: 'gateway_audit', by: ['id'], before }, signal);
  }, onTrouble);
}
