/**
 * The connections of several workers: the first process accepts them, and hands each to a worker that is free. node:cluster
 * would do the same, but when its workers close their servers it resets what it has not handed over yet.
 */

import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, bind } from '../../upstream/net/bind.ts';
import { stopListening } from '../listen/entrance.ts';
import { outliveAcceptErrors } from '../listen/listen.ts';

/** Comes with a connection. */
export const CONNECTION = 'connection';
/**
 * Comes behind it. The system drops a connection on the way to a process that has no file descriptor left for it, and
 * tells nobody; its message is then dropped too.
 */
export const HANDED_OVER = 'handed-over';
/** What a worker says to that: whether it has the connection. */
export type Receipt = 'taken' | 'missed';

export interface Distribution {
  /** From now on, connections are handed to a worker: one at a time, so that none waits for one that is busy. */
  add(worker: Worker): void;
  /** What a worker says of the last one. */
  receive(worker: Worker, receipt: Receipt): void;
  /** Hands nothing more to a worker. Resolves when it has what it was handed. */
  release(worker: Worker): Promise<void>;
  /** A worker is gone. What it has not taken is handed to another one. */
  remove(worker: Worker): void;
  /** Accepts what has come, and then nothing more. Resolves when all of it is handed over, or no worker is left. */
  close(): Promise<void>;
}

/** How long a worker that missed a connection is spared, in milliseconds. */
const SPARED = 100;

interface Receiver {
  /** What it was handed last, until it has said that it has it. */
  handed?: Socket;
  released?: () => void;
}

/** Listens. @param tell told that connections cannot be accepted. @throws Error where the port is taken. */
export async function openDistribution(address: Address, tell: LogProblem): Promise<Distribution> {
  // They are read by a worker, and by nobody before.
  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true });
  const receivers = new Map<Worker, Receiver>();
  /** Those that wait for a connection, the one that waits longest first. */
  const free = new Set<Worker>();
  let waiting: Socket[] = [];
  let closing: Promise<void> | undefined;
  let isClosed = false;
  const settled = Promise.withResolvers<void>();

  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    waiting.push(socket);
    handOver();
  });
  await bind(server, address);
  outliveAcceptErrors(server, tell);

  function handOver(): void {
    for (const worker of free) {
      const socket = waiting.shift();
      if (socket === undefined) break;
      free.delete(worker);
      const receiver = receivers.get(worker);
      if (receiver === undefined) continue;
      receiver.handed = socket;
      // A worker that cannot be told is about to be gone: `remove` takes the connection back.
      worker.send(CONNECTION, socket, { keepOpen: true }, () => undefined);
      worker.send(HANDED_OVER, () => undefined);
    }
    settle();
  }

  function settle(): void {
    if (!isClosed) return;
    if (receivers.size === 0) {
      for (const socket of waiting) socket.destroy();
      waiting = [];
    }
    const isHandedOver = [...receivers.values()].every(({ handed }) => handed === undefined);
    if (waiting.length === 0 && isHandedOver) settled.resolve();
  }

  function wait(worker: Worker): void {
    if (receivers.has(worker)) free.add(worker);
    handOver();
  }

  function remove(worker: Worker): void {
    const receiver = receivers.get(worker);
    receivers.delete(worker);
    free.delete(worker);
    if (receiver?.handed !== undefined) waiting.unshift(receiver.handed);
    receiver?.released?.();
    handOver();
  }

  return {
    add(worker) {
      receivers.set(worker, {});
      wait(worker);
    },
    receive(worker, receipt) {
      const receiver = receivers.get(worker);
      const handed = receiver?.handed;
      if (receiver === undefined || handed === undefined) return;
      delete receiver.handed;
      if (receipt === 'taken') handed.destroy();
      else waiting.unshift(handed);
      if (receiver.released !== undefined) {
        receivers.delete(worker);
        receiver.released();
        handOver();
      } else if (receipt === 'taken') wait(worker);
      else setTimeout(() => wait(worker), SPARED);
    },
    release(worker) {
      free.delete(worker);
      const receiver = receivers.get(worker);
      if (receiver?.handed === undefined) {
        remove(worker);
        return Promise.resolve();
      }
      return new Promise((released) => {
        receiver.released = released;
      });
    },
    remove,
    close() {
      closing ??= stopListening(server).then(() => {
        isClosed = true;
        settle();
        return settled.promise;
      });
      return closing;
    },
  };
}
