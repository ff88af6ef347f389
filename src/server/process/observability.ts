/** Accounting, log, metrics and traces of a serving process, and the sources of their figures. */

import { openLog } from '../../accounting/log/log.ts';
import { answerMetricsToAdmin } from '../../accounting/metrics/metrics-endpoint.ts';
import { addFigures, type Observers, openObservers } from '../../accounting/observe.ts';
import { AccountingWorker } from '../../accounting/worker/accounting-worker.ts';
import type { Config } from '../../config/schema.ts';
import { shownCertificates } from '../../config/shown-certificates.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Environment } from '../../lib/environment.ts';
import type { WorkerThread } from '../../store/threads/worker-thread.ts';
import { authenticateAdmin, logWrongKeys } from '../http/admin/authenticate-admin.ts';
import type { OpenOptions } from '../open-gateway.ts';
import type { Serving } from './serving.ts';
import type { StoreAccess } from './store-access.ts';

export interface Observability extends Observers {
  /** The options that let a gateway and its accounts be observed. */
  readonly gatewayOptions: Pick<OpenOptions, 'record' | 'traces' | 'metrics' | 'onRefusedAddress'>;
  /** Includes a serving process in the figures from now on. */
  observe(serving: Serving): void;
  /** Writes all records and reports at the end, within so many milliseconds. */
  flush(milliseconds: number): Promise<void>;
  /** As for `Store`. */
  readonly renewAddress: (url: string) => void;
  /** Runs a reload of the configuration, and counts whether it is refused. */
  reload<T>(read: () => Promise<T>): Promise<T>;
}

/** What a process that serves has before it is watched. */
export interface ObservedProcess {
  readonly accounts: Pick<StoreAccess, 'place' | 'gatewayOptions'>;
  /** The thread in which its exchanges are accounted for. */
  readonly thread: WorkerThread;
  /** Whether this is the only process; otherwise its figures are partial, and callers do not get them. */
  readonly isOnlyProcess: boolean;
}

/**
 * @param diagnostics receives problems of accounting, and when they are over
 * @throws Error if the environment names an invalid collector.
 */
export async function openObservability(
  { log: style, admin, usage }: Pick<Config, 'log' | 'admin' | 'usage'>,
  environment: Environment,
  { accounts, thread, isOnlyProcess }: ObservedProcess,
  { info, problem }: Pick<Diagnostics, 'info' | 'problem'>,
): Promise<Observability> {
  const { place } = accounts;
  const { limits } = accounts.gatewayOptions;
  const { interval, batch, queue, spool, timeZone } = usage;
  const log = style === 'none' ? undefined : openLog({ style });
  const accounting = new AccountingWorker(
    { interval, batch, queue, spool, timeZone, store: place, ...(log !== undefined && { lines: log.style }) },
    {
      charge: limits.charge,
      ...(log !== undefined && { log: log.write }),
      info,
      problem,
    },
    thread,
  );
  const observers = await openObservers({
    log,
    environment,
    counted: () => accounting.figures(),
    problem,
  });
  const { metrics, traces } = observers;
  // A reload may change the key.
  const { key } = admin;
  let currentKey = (): string | undefined => key;
  const admit =
    key === undefined || !isOnlyProcess
      ? undefined
      : authenticateAdmin(() => currentKey() ?? key, logWrongKeys(info));
  let refused = 0;
  let addressesRefused = 0;
  return {
    ...observers,
    gatewayOptions: {
      record: (closed, charged) => accounting.record(closed, charged),
      onRefusedAddress() {
        addressesRefused += 1;
      },
      ...(traces !== undefined && { traces }),
      ...(admit !== undefined && {
        metrics: (message) => answerMetricsToAdmin(metrics.render, admit, message),
      }),
    },
    observe({ server, current }) {
      currentKey = () => current().config.admin.key;
      addFigures(metrics, {
        inFlight: () => server.live.inFlight(),
        webSockets: () => server.webSockets(),
        upstreams: () => current().gateway.upstreams.health(),
        budgets: limits.budgets,
        usageLost: () => accounting.lost(),
        reloadsRefused: () => refused,
        addressesRefused: () => addressesRefused,
        certificates: () => shownCertificates(current().config),
      });
    },
    flush: (milliseconds) => accounting.close(milliseconds),
    renewAddress: (url) => accounting.renewAddress(url),
    async reload(read) {
      try {
        return await read();
      } catch (error) {
        refused += 1;
        throw error;
      }
    },
  };
}
