/**
 * The connections of several workers: the first process accepts them and hands each one to a free worker. node:cluster
 * does the same, but it resets connections that it has not handed over yet when its workers close their servers.
 */

import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, bind } from '../../upstream/net/bind.ts';
import { surviveAcceptErrors } from '../listen/listen.ts';
import { stopListening } from '../listen/stop-listening.ts';
import { CONNECTION, HANDED_OVER, type Receipt } from './worker-messages.ts';

export interface Distribution {
  /** The port that callers connect to. */
  readonly port: number;
  /** Hands connections to a worker from now on, one at a time, so that none waits for a busy worker. */
  add(worker: Worker): void;
  /** Receives a worker's answer about the last connection. */
  receive(worker: Worker, receipt: Receipt): void;
  /** Hands nothing more to a worker. Resolves when the worker has what it was handed. */
  release(worker: Worker): Promise<void>;
  /** Removes a worker that has ended. A connection that it has not taken goes to another one. */
  remove(worker: Worker): void;
  /** Accepts the connections that have come, and no more. Resolves when all are handed over, or no worker is left. */
  close(): Promise<void>;
}

/** How long a worker that missed a connection gets no other one, in milliseconds. */
const MISS_PAUSE = 100;

interface Receiver {
  /** The last connection it was handed, until it confirms it. */
  handed?: Socket;
  released?: () => void;
}

/** Listens. @param log receives that connections cannot be accepted. @throws Error if the port is taken. */
export async function openDistribution(address: Address, log: LogProblem): Promise<Distribution> {
  // Only a worker reads them.
  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true });
  const receivers = new Map<Worker, Receiver>();
  /** The workers that wait for a connection, longest first. */
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
  const port = await bind(server, address);
  surviveAcceptErrors(server, log);

  function handOver(): void {
    for (const worker of free) {
      const socket = waiting.shift();
      if (socket === undefined) break;
      free.delete(worker);
      const receiver = receivers.get(worker);
      if (receiver === undefined) continue;
      receiver.handed = socket;
      // A worker that cannot be reached is about to end: `remove` takes the connection back.
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
    port,
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
      else setTimeout(() => wait(worker), MISS_PAUSE);
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
