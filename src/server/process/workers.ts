/**
 * Several processes behind one port (node:cluster), each a complete gateway. The first process serves nothing: it
 * supervises the others, replaces a worker that has ended, and passes orders on. It alone reads the configuration: a
 * worker that starts later serves by the configuration in force, even if its file has changed since.
 */

import cluster, { type Worker } from 'node:cluster';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Distribution } from './distribution.ts';
import { CLOSED, type Order, type ServeBy, type ServedConfig, type WorkerReport } from './worker-messages.ts';

export interface Workers {
  /** Resolves when all workers serve; rejects if one ends before it serves. */
  readonly ready: Promise<void>;
  broadcast(order: Order): void;
  /** Changes what all workers serve by, later ones included. */
  serveBy(served: ServedConfig): void;
  /** How many workers have ended without an order. */
  lost(): number;
  /** Resolves when all have ended after `end` or `hurry`: with 0, or with 1 if one of them failed. */
  readonly ended: Promise<0 | 1>;
}

/** A worker that has lived this long did not end because of its configuration, in milliseconds. */
const LONG_LIFE = 60_000;
/** The wait before a worker that ended early is replaced: doubled each time, up to a bound. */
const FIRST_PAUSE = 100;
const MAX_PAUSE = 30_000;
/**
 * How long a worker that ends waits for its last connection, in milliseconds. A signal to the whole group may reach it
 * first, and then all workers end, not this one alone.
 */
const SAME_SIGNAL = 100;

/** Starts as many workers as the configuration says, each this same program. `distribution` hands them connections. */
export function startWorkers(
  first: ServedConfig,
  distribution: Distribution,
  { info: note, problem: trouble }: Diagnostics,
): Workers {
  const count = first.config.workers;
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<0 | 1>();
  const alive = new Set<Worker>();
  const serving = new Set<Worker>();
  const pauses = new Set<NodeJS.Timeout>();
  let served = first;
  let complete = false;
  let ending = false;
  let shortLives = 0;
  let lost = 0;
  let code: 0 | 1 = 0;

  function start(): void {
    const began = performance.now();
    const worker = cluster.fork();
    send(worker, { serveBy: served });
    alive.add(worker);
    let replaced = false;
    const replace = (): void => {
      serving.delete(worker);
      if (ending || replaced) return;
      replaced = true;
      shortLives = performance.now() - began < LONG_LIFE ? shortLives + 1 : 0;
      const pause = setTimeout(
        () => {
          pauses.delete(pause);
          start();
        },
        shortLives === 0 ? 0 : Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (shortLives - 1)),
      );
      pauses.add(pause);
    };
    worker.on('message', (report: WorkerReport) => {
      if (report === 'leaving') replace();
      if (report === 'closing') setTimeout(() => void close(worker), SAME_SIGNAL);
      if (report === 'taken' || report === 'missed') distribution.receive(worker, report);
      if (report !== 'ready') return;
      serving.add(worker);
      distribution.add(worker);
      if (complete) note('A new worker is serving.');
      if (serving.size < count || complete) return;
      complete = true;
      ready.resolve();
    });
    worker.on('exit', (status, signal) => {
      alive.delete(worker);
      distribution.remove(worker);
      if (ending) {
        if (status !== 0) code = 1;
        if (alive.size === 0) over.resolve(code);
      } else if (!complete) {
        ready.reject(new Error(`A worker ended before it was ready (${signal ?? status}).`));
      } else {
        lost += 1;
        trouble(`A worker ended (${signal ?? status}) and is being replaced.`);
        replace();
      }
    });
  }

  /** When all workers end, they share the connections that have come; one that ends alone keeps what it was handed. */
  async function close(worker: Worker): Promise<void> {
    if (ending) await distribution.close();
    await distribution.release(worker);
    send(worker, CLOSED);
  }

  for (let started = 0; started < count; started++) start();
  return {
    ready: ready.promise,
    broadcast(order) {
      ending = true;
      for (const pause of pauses) clearTimeout(pause);
      for (const worker of alive) send(worker, order);
      if (alive.size === 0) over.resolve(code);
    },
    serveBy(next) {
      served = next;
      for (const worker of alive) send(worker, { serveBy: next });
    },
    lost: () => lost,
    ended: over.promise,
  };
}

function send(worker: Worker, order: Order | ServeBy | typeof CLOSED): void {
  // A worker that is already ending needs no order.
  if (worker.isConnected()) worker.send(order, () => undefined);
}
