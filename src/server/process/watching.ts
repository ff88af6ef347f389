/** What watches a process that serves: its books, log, metrics and traces, and where their figures come from. */

import { openLog } from '../../accounting/log/log.ts';
import { answerMetricsToAdmin } from '../../accounting/metrics/metrics-endpoint.ts';
import { addFigures, type Observers, openObservers } from '../../accounting/observe.ts';
import { openAccountingWorker } from '../../accounting/worker/accounting-worker.ts';
import type { Config } from '../../config/schema.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Environment } from '../../lib/environment.ts';
import { authenticateAdmin } from '../http/admin/authenticate-admin.ts';
import type { OpenOptions } from '../open-gateway.ts';
import type { Accounts } from './accounts.ts';
import type { Serving } from './serving.ts';

export interface Watching extends Observers {
  /** What a gateway is given to be watched, and its accounts with it. */
  readonly company: Pick<OpenOptions, 'note' | 'traces' | 'metrics' | 'onRefusedAddress'>;
  /** From now on, what serves is among the figures. */
  follow(serving: Serving): void;
  /** When all is over: has all that was noted told and written, for so many milliseconds at most. */
  settle(milliseconds: number): Promise<void>;
  /** Runs what reads a configuration again, and counts where it is refused. */
  reload<T>(read: () => Promise<T>): Promise<T>;
}

/**
 * @param alone whether this is the only process: else what it knows is a part only, and is not told to callers.
 * @param teller told what goes wrong with the books, and that they are well again.
 * @throws Error where the environment names a collector that is none.
 */
export async function openWatching(
  { log: style, admin, usage }: Pick<Config, 'log' | 'admin' | 'usage'>,
  environment: Environment,
  { place, limits }: Pick<Accounts, 'place' | 'limits'>,
  alone: boolean,
  { info: note, problem: trouble }: Pick<Diagnostics, 'info' | 'problem'>,
): Promise<Watching> {
  const { interval, batch, queue, spool } = usage;
  const log = style === 'none' ? undefined : openLog({ style });
  const books = openAccountingWorker(
    { interval, batch, queue, spool, store: place, ...(log !== undefined && { lines: log.style }) },
    {
      charge: limits.charge,
      ...(log !== undefined && { log: log.write }),
      trouble,
      note,
    },
  );
  const observers = await openObservers({ log, environment, counted: books.figures });
  const { metrics, traces } = observers;
  const admit = admin.key === undefined || !alone ? undefined : authenticateAdmin(admin.key);
  let refused = 0;
  let addressesRefused = 0;
  return {
    ...observers,
    company: {
      note: books.note,
      onRefusedAddress() {
        addressesRefused += 1;
      },
      ...(traces !== undefined && { traces }),
      ...(admit !== undefined && {
        metrics: (message) => answerMetricsToAdmin(metrics.render, admit, message),
      }),
    },
    follow: ({ server, current }) =>
      addFigures(metrics, {
        inFlight: server.live.inFlight,
        webSockets: server.webSockets,
        upstreams: () => current().gateway.upstreams.health(),
        budgets: limits.budgets,
        usageLost: books.lost,
        reloadsRefused: () => refused,
        addressesRefused: () => addressesRefused,
      }),
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
