/** The admin listener of a start, with one process or with several. */

import type { Log } from '../accounting/log/log.ts';
import type { Config } from '../config/schema.ts';
import type { Diagnostics } from '../lib/diagnostics.ts';
import { addWatchRoutes, type WatchOptions } from '../server/http/admin/metrics-routes.ts';
import { type AdminServices, openAdmin } from '../server/http/admin/open-admin.ts';
import type { RunningAdmin } from '../server/http/admin/serve-admin.ts';
import { renderAudit } from '../store/audit-view.ts';
import type { Store } from '../store/store.ts';
import { ADMIN, orExit } from './command.ts';

interface ConfiguredAdmin
  extends Pick<AdminServices, 'onKeys' | 'otherNames'>,
    Pick<WatchOptions, 'render' | 'gateway' | 'describe'> {
  /** The configuration in force. */
  configured(): Config;
}

/** Opens the admin API, the metrics and the console. @param log receives the audit trail, which its table has as well. */
export function openConfiguredAdmin(
  config: Config,
  store: Store,
  log: Log | undefined,
  diagnostics: Diagnostics,
  { render, gateway, describe, configured, ...services }: ConfiguredAdmin,
): Promise<RunningAdmin | undefined> {
  const { info, problem } = diagnostics;
  const opening = openAdmin(config, store, {
    ...services,
    info,
    problem,
    configured,
    currentKey: () => configured().admin.key,
    onAudit(row) {
      const { object: _, time: _time, ...entry } = renderAudit(row);
      log?.note('audit', { audit: entry });
    },
    timeZone: config.usage.timeZone,
    add: (app, admission) =>
      addWatchRoutes(app, { ...admission, reports: diagnostics, render, gateway, describe }),
  });
  return orExit(opening, ADMIN);
}
