/**
 * Several processes behind one port (node:cluster), each a complete gateway. The first process serves nothing: it
 * supervises the others, replaces a worker that has ended, and passes orders on. It alone reads the configuration: a
 * worker that starts later serves by the configuration in force, even if its file has changed since.
 */

import cluster, { type Worker } from 'node:cluster';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import type { Config } from '../../config/schema.ts';
import type { Place } from '../../config/vendors.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import { TlsTermination } from '../../upstream/net/terminate-tls.ts';
import type { listen } from '../listen/listen.ts';
import { CONNECTION, type Distribution, HANDED_OVER, type Receipt } from './distribution.ts';

/** The configuration that a worker serves by. */
export interface ServedConfig {
  readonly config: Config;
  /** The addresses of simulated vendors, if they serve. */
  readonly simulated?: Readonly<Record<string, Place>>;
}

/** Orders to a worker. They go over its channel, not as signals, since a terminal signals the whole group by itself. */
export type Order = 'end' | 'hurry';
/** The order to serve by a configuration: the first order of all, repeated whenever the configuration changes. */
interface ServeBy {
  readonly serveBy: ServedConfig;
}
/** What a worker reports. 'closing': it still takes the connections it was handed, and no more after them. */
type WorkerReport = 'ready' | 'leaving' | 'closing' | Receipt;
/** The answer to 'closing', when the worker has all of them. */
const CLOSED = 'closed';

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

export interface Orders extends Readonly<Record<Order, () => void>> {
  serveBy(served: ServedConfig): void;
}

export interface WorkerChannel {
  /** The configuration to begin with. */
  readonly first: Promise<ServedConfig>;
  /** Carries out the orders so far and all later ones. If the first process is gone, the worker ends after its live answers. */
  handleOrders(orders: Orders): void;
  /** Opens a server, as `listen` does, whose connections come from the first process. */
  readonly listen: typeof listen;
}

/** In a worker: receives orders. */
export function receiveOrders(): WorkerChannel {
  const first = Promise.withResolvers<ServedConfig>();
  const waiting: unknown[] = [];
  let take = (message: unknown): void => {
    if (!isServeBy(message)) return;
    first.resolve(message.serveBy);
    take = (later) => {
      waiting.push(later);
    };
  };
  process.on('message', (message: unknown) => take(message));
  const listenInWorker: WorkerChannel['listen'] = async (respond, { port, tls: certificate }) => {
    const server = createServer(respond);
    const tls = new TlsTermination(server, certificate);
    receiveConnections((connection) => tls.take(connection));
    return {
      server,
      tls,
      listener: {
        port,
        async close() {
          await askToClose();
          await tls.settled();
        },
      },
    };
  };
  // These signals are meant for the first process, which passes them on.
  process.on('SIGHUP', () => undefined);
  return {
    first: first.promise,
    listen: listenInWorker,
    handleOrders(orders) {
      take = (message) => {
        // Other messages use the same channel.
        if (message === 'end' || message === 'hurry') orders[message]();
        else if (isServeBy(message)) orders.serveBy(message.serveBy);
      };
      cluster.worker?.on('disconnect', () => {
        // Node would end the process here unless the disconnection is marked as voluntary.
        if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
        orders.end();
      });
      for (const message of waiting) take(message);
    },
  };
}

/** In a worker: gives `handle` the connections that are handed over. */
function receiveConnections(take: (connection: Socket) => void): void {
  let receipt: Receipt = 'missed';
  process.on('message', (message: unknown, handle: unknown) => {
    if (message === CONNECTION && handle instanceof Socket) {
      receipt = 'taken';
      // With the options that an HTTP server gives to connections it accepts.
      handle.allowHalfOpen = true;
      take(handle);
    } else if (message === HANDED_OVER) {
      reportToPrimary(receipt);
      receipt = 'missed';
    }
  });
}

/** In a worker: asks for no more connections. Resolves when none is on its way any more. */
function askToClose(): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) resolve();
    process.once('disconnect', resolve);
    process.on('message', (message: unknown) => {
      if (message === CLOSED) resolve();
    });
    reportToPrimary('closing');
  });
}

function isServeBy(message: unknown): message is ServeBy {
  return typeof message === 'object' && message !== null && 'serveBy' in message;
}

/** In a worker: reports to the first process. In any other process it does nothing. */
export function reportToPrimary(news: WorkerReport): void {
  if (cluster.isWorker && process.connected) process.send?.(news);
}
