/** Writes entries of the audit trail to the log. */

import type { Log } from '../accounting/log/log.ts';
import type { Actor } from '../store/actor.ts';
import { renderAudit } from '../store/audit-view.ts';

/** @param log absent if there is none: the table has the trail. */
export function logAudit(log: Log | undefined): NonNullable<Actor['onEntry']> {
  return (row) => {
    const { object: _, time: _time, ...entry } = renderAudit(row);
    log?.note('audit', { audit: entry });
  };
}
