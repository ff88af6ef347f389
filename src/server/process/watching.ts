/** Accounting, log, metrics and traces of a serving process, and the sources of their figures. */

import { openLog } from '../../accounting/log/log.ts';
import { answerMetricsToAdmin } from '../../accounting/metrics/metrics-endpoint.ts';
import { addFigures, type Observers, openObservers } from '../../accounting/observe.ts';
import { openAccountingWorker } from '../../accounting/worker/accounting-worker.ts';
import type { Config } from '../../config/schema.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Environment } from '../../lib/environment.ts';
import type { WorkerThread } from '../../store/threads/worker-thread.ts';
import { authenticateAdmin, logWrongKeys } from '../http/admin/authenticate-admin.ts';
import type { OpenOptions } from '../open-gateway.ts';
import type { Accounts } from './accounts.ts';
import type { Serving } from './serving.ts';

export interface Watching extends Observers {
  /** The options that let a gateway and its accounts be observed. */
  readonly company: Pick<OpenOptions, 'note' | 'traces' | 'metrics' | 'onRefusedAddress'>;
  /** Includes a serving process in the figures from now on. */
  follow(serving: Serving): void;
  /** Writes all records and reports at the end, within so many milliseconds. */
  settle(milliseconds: number): Promise<void>;
  /** Runs a reload of the configuration, and counts whether it is refused. */
  reload<T>(read: () => Promise<T>): Promise<T>;
}

/** What a process that serves has before it is watched. */
export interface WatchedProcess {
  readonly accounts: Pick<Accounts, 'place' | 'limits'>;
  /** The thread in which its exchanges are accounted for. */
  readonly thread: WorkerThread;
  /** Whether this is the only process; otherwise its figures are partial, and callers do not get them. */
  readonly alone: boolean;
}

/**
 * @param teller receives problems of accounting, and when they are over
 * @throws Error if the environment names an invalid collector.
 */
export async function openWatching(
  { log: style, admin, usage }: Pick<Config, 'log' | 'admin' | 'usage'>,
  environment: Environment,
  { accounts: { place, limits }, thread, alone }: WatchedProcess,
  { info: note, problem: trouble }: Pick<Diagnostics, 'info' | 'problem'>,
): Promise<Watching> {
  const { interval, batch, queue, spool, timeZone } = usage;
  const log = style === 'none' ? undefined : openLog({ style });
  const books = openAccountingWorker(
    { interval, batch, queue, spool, timeZone, store: place, ...(log !== undefined && { lines: log.style }) },
    {
      charge: limits.charge,
      ...(log !== undefined && { log: log.write }),
      trouble,
      note,
    },
    thread,
  );
  const observers = await openObservers({ log, environment, counted: books.figures });
  const { metrics, traces } = observers;
  // A reload may change the key.
  const { key } = admin;
  let keyNow = (): string | undefined => key;
  const admit =
    key === undefined || !alone ? undefined : authenticateAdmin(() => keyNow() ?? key, logWrongKeys(note));
  let refused = 0;
  let addressesRefused = 0;
  return {
    ...observers,
    company: {
      note: books.record,
      onRefusedAddress() {
        addressesRefused += 1;
      },
      ...(traces !== undefined && { traces }),
      ...(admit !== undefined && {
        metrics: (message) => answerMetricsToAdmin(metrics.render, admit, message),
      }),
    },
    follow({ server, current }) {
      keyNow = () => current().config.admin.key;
      addFigures(metrics, {
        inFlight: server.live.inFlight,
        webSockets: server.webSockets,
        upstreams: () => current().gateway.upstreams.health(),
        budgets: limits.budgets,
        usageLost: books.lost,
        reloadsRefused: () => refused,
        addressesRefused: () => addressesRefused,
      });
    },
    settle: books.close,
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
