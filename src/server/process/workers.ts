/**
 * Several processes behind one port (node:cluster), each a whole gateway. The first process serves nothing: it looks
 * after the others, puts a new one in the place of one that is gone, and passes on what it is told. It alone reads the
 * configuration: a worker that is started later serves by the one in force, whatever has become of its file.
 */

import cluster, { type Worker } from 'node:cluster';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Config } from '../../config/schema.ts';
import type { Place } from '../../config/vendors.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { listen } from '../listen/listen.ts';
import { CONNECTION, type Distribution, HANDED_OVER, type Receipt } from './distribution.ts';

/** What a worker serves by. */
export interface Served {
  readonly config: Config;
  /** Where simulated vendors are, if they serve. */
  readonly simulated?: Readonly<Record<string, Place>>;
}

/** What a worker is told. Words over its channel, not signals: a terminal signals the whole group by itself. */
export type Order = 'end' | 'hurry';
/** The same: what to serve by, at its start before all else, and whenever that is another one. */
interface ServeBy {
  readonly serveBy: Served;
}
/** What a worker tells; 'closing': it takes what it was handed, and then no connection more. */
type News = 'ready' | 'leaving' | 'closing' | Receipt;
/** What it is told when it has all of them. */
const CLOSED = 'closed';

export interface Workers {
  /** Resolves when all of them serve; rejects where one ends before it does. */
  readonly ready: Promise<void>;
  tell(order: Order): void;
  /** From now on they serve by this, and whoever comes in the place of one of them. */
  serveBy(served: Served): void;
  /** How many were gone before they were told to go. */
  lost(): number;
  /** Resolves when all have ended after `end` or `hurry`: with 0, or 1 where one of them did not end well. */
  readonly over: Promise<0 | 1>;
}

/** A worker that lived so long was not ended by what it was started with, in milliseconds. */
const LONG_LIFE = 60_000;
/** Before another worker is started in the place of one that was gone soon: doubled each time, up to a bound. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
/**
 * How long a worker that ends waits for its last connection, in milliseconds: a signal to the whole group may come to it
 * first, and then it is not one that ends alone.
 */
const SAME_SIGNAL = 100;

/** Starts as many workers as the configuration says: this program again. `distribution` has their connections. */
export function startWorkers(
  first: Served,
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
        shortLives === 0 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (shortLives - 1)),
      );
      pauses.add(pause);
    };
    worker.on('message', (news: News) => {
      if (news === 'leaving') replace();
      if (news === 'closing') setTimeout(() => void close(worker), SAME_SIGNAL);
      if (news === 'taken' || news === 'missed') distribution.receive(worker, news);
      if (news !== 'ready') return;
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

  /** Where all of them end, they share all connections that have come; one that ends alone has what it was handed. */
  async function close(worker: Worker): Promise<void> {
    if (ending) await distribution.close();
    await distribution.release(worker);
    send(worker, CLOSED);
  }

  for (let started = 0; started < count; started++) start();
  return {
    ready: ready.promise,
    tell(order) {
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
    over: over.promise,
  };
}

function send(worker: Worker, order: Order | ServeBy | typeof CLOSED): void {
  // One that is just ending need not be told.
  if (worker.isConnected()) worker.send(order, () => undefined);
}

export interface Orders extends Readonly<Record<Order, () => void>> {
  serveBy(served: Served): void;
}

export interface Heard {
  /** What to begin with. */
  readonly first: Promise<Served>;
  /** Carries out what was told since, and is from now on. Without the process that tells, the worker ends, its live answers first. */
  obey(orders: Orders): void;
  /** A server whose connections are handed to it by the process that tells. Opened as `listen` opens one. */
  readonly receive: typeof listen;
}

/** In a worker: hears what it is told. */
export function hear(): Heard {
  const first = Promise.withResolvers<Served>();
  const waiting: unknown[] = [];
  let take = (message: unknown): void => {
    if (!isServeBy(message)) return;
    first.resolve(message.serveBy);
    take = (later) => {
      waiting.push(later);
    };
  };
  process.on('message', (message: unknown) => take(message));
  const receive: Heard['receive'] = async (respond, { port }) => {
    const server = createServer(respond);
    receiveConnections(server);
    return { server, entrance: { port, close: askToClose } };
  };
  // These are for the first process, which passes them on.
  process.on('SIGHUP', () => undefined);
  return {
    first: first.promise,
    receive,
    obey(orders) {
      take = (message) => {
        // Others talk over the same channel.
        if (message === 'end' || message === 'hurry') orders[message]();
        else if (isServeBy(message)) orders.serveBy(message.serveBy);
      };
      cluster.worker?.on('disconnect', () => {
        // Node would end the process right here if the parting were not called meant.
        if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
        orders.end();
      });
      for (const message of waiting) take(message);
    },
  };
}

/** In a worker: what is handed over are connections of `server`. */
function receiveConnections(server: Server): void {
  let receipt: Receipt = 'missed';
  process.on('message', (message: unknown, handle: unknown) => {
    if (message === CONNECTION && handle instanceof Socket) {
      receipt = 'taken';
      // As a server of HTTP has those that it accepts.
      handle.allowHalfOpen = true;
      server.emit('connection', handle);
    } else if (message === HANDED_OVER) {
      tellFirst(receipt);
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
    tellFirst('closing');
  });
}

function isServeBy(message: unknown): message is ServeBy {
  return typeof message === 'object' && message !== null && 'serveBy' in message;
}

/** In a worker: tells the first process. Elsewhere nothing. */
export function tellFirst(news: News): void {
  if (cluster.isWorker && process.connected) process.send?.(news);
}
