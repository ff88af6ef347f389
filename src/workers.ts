/**
 * Several processes behind one port (node:cluster), each a whole gateway. The first process serves nothing: it looks
 * after the others, puts a new one in the place of one that is gone, and passes on what it is told.
 */

import cluster, { type Worker } from 'node:cluster';
import type { Teller } from './observe/teller.ts';

/** What a worker is told. Words over its channel, not signals: a terminal signals the whole group by itself. */
export type Order = 'end' | 'hurry' | 'reload';
/** What a worker tells. */
type News = 'ready' | 'leaving';

export interface Workers {
  /** Resolves when all of them serve; rejects where one ends before it does. */
  readonly ready: Promise<void>;
  tell(order: Order): void;
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

/** Starts `count` workers: this program again, with `environment` over the present one. */
export function startWorkers(
  count: number,
  environment: Readonly<Record<string, string>>,
  { note, trouble }: Teller,
): Workers {
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<0 | 1>();
  const alive = new Set<Worker>();
  const serving = new Set<Worker>();
  const pauses = new Set<NodeJS.Timeout>();
  let complete = false;
  let ending = false;
  let shortLives = 0;
  let lost = 0;
  let code: 0 | 1 = 0;

  function start(): void {
    const began = performance.now();
    const worker = cluster.fork(environment);
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
      if (news !== 'ready') return;
      // It may have been started a moment before the end was ordered, and have heard nothing of it.
      if (ending) send(worker, 'end');
      serving.add(worker);
      if (complete) note('A new worker serves.');
      if (serving.size < count || complete) return;
      complete = true;
      ready.resolve();
    });
    worker.on('exit', (status, signal) => {
      alive.delete(worker);
      if (ending) {
        if (status !== 0) code = 1;
        if (alive.size === 0) over.resolve(code);
      } else if (!complete) {
        ready.reject(new Error(`A worker ended before it served (${signal ?? status}).`));
      } else {
        lost += 1;
        trouble(`A worker ended (${signal ?? status}); another one takes its place.`);
        replace();
      }
    });
  }

  for (let started = 0; started < count; started++) start();
  return {
    ready: ready.promise,
    tell(order) {
      if (order !== 'reload') {
        ending = true;
        for (const pause of pauses) clearTimeout(pause);
      }
      for (const worker of alive) send(worker, order);
      if (ending && alive.size === 0) over.resolve(code);
    },
    lost: () => lost,
    over: over.promise,
  };
}

function send(worker: Worker, order: Order): void {
  // One that is just ending need not be told.
  if (worker.isConnected()) worker.send(order, () => undefined);
}

/** In a worker: carries out what it is told. Without the process that tells, it ends, its live answers first. */
export function obey(orders: Readonly<Record<Order, () => void>>): void {
  process.on('message', (message: unknown) => {
    // Others talk over the same channel.
    if (message === 'end' || message === 'hurry' || message === 'reload') orders[message]();
  });
  cluster.worker?.on('disconnect', () => {
    // Node would end the process right here if the parting were not called meant.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    orders.end();
  });
  // These are for the first process, which passes them on.
  process.on('SIGHUP', () => undefined);
}

/** In a worker: tells the first process. Elsewhere nothing. */
export function tellFirst(news: News): void {
  if (cluster.isWorker && process.connected) process.send?.(news);
}
