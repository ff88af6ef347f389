/**
 * The connections of several workers: the first process accepts them and hands each one to a free worker. node:cluster
 * does the same, but it resets connections that it has not handed over yet when its workers close their servers.
 */

import type { Worker } from 'node:cluster';
import { createServer, type Server, type Socket } from 'node:net';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, bind } from '../../upstream/net/bind.ts';
import { surviveAcceptErrors } from '../listen/listen.ts';
import { stopListening } from '../listen/stop-listening.ts';
import { CONNECTION, HANDED_OVER, type Receipt } from './worker-messages.ts';

/** How long a worker that missed a connection gets no other one, in milliseconds. */
const MISS_PAUSE = 100;

interface Receiver {
  /** The last connection it was handed, until it confirms it. */
  handed?: Socket;
  released?: () => void;
}

export class Distribution {
  readonly port: number;
  readonly #server: Server;
  readonly #receivers = new Map<Worker, Receiver>();
  /** The workers that wait for a connection, longest first. */
  readonly #free = new Set<Worker>();
  #waiting: Socket[] = [];
  #closing: Promise<void> | undefined;
  #isClosed = false;
  readonly #settled = Promise.withResolvers<void>();

  /** @param server listens at `port`. Its connections are to be given to `distribute`. */
  constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** Hands over a connection as soon as a worker is free. */
  distribute(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    this.#waiting.push(socket);
    this.#handOver();
  }

  /** Hands connections to a worker from now on, one at a time, so that none waits for a busy worker. */
  add(worker: Worker): void {
    this.#receivers.set(worker, {});
    this.#wait(worker);
  }

  /** Receives a worker's answer about the last connection. */
  receive(worker: Worker, receipt: Receipt): void {
    const receiver = this.#receivers.get(worker);
    const handed = receiver?.handed;
    if (receiver === undefined || handed === undefined) return;
    delete receiver.handed;
    if (receipt === 'taken') handed.destroy();
    else this.#waiting.unshift(handed);
    if (receiver.released !== undefined) this.remove(worker);
    else if (receipt === 'taken') this.#wait(worker);
    else setTimeout(() => this.#wait(worker), MISS_PAUSE);
  }

  /** Hands nothing more to a worker. Resolves when the worker has what it was handed. */
  release(worker: Worker): Promise<void> {
    this.#free.delete(worker);
    const receiver = this.#receivers.get(worker);
    if (receiver?.handed === undefined) {
      this.remove(worker);
      return Promise.resolve();
    }
    return new Promise((released) => {
      receiver.released = released;
    });
  }

  /** Removes a worker that has ended. A connection that it has not taken goes to another one. */
  remove(worker: Worker): void {
    const receiver = this.#receivers.get(worker);
    this.#receivers.delete(worker);
    this.#free.delete(worker);
    if (receiver?.handed !== undefined) this.#waiting.unshift(receiver.handed);
    receiver?.released?.();
    this.#handOver();
  }

  /** Accepts the connections that have come, and no more. Resolves when all are handed over, or no worker is left. */
  close(): Promise<void> {
    this.#closing ??= stopListening(this.#server).then(() => {
      this.#isClosed = true;
      this.#settle();
      return this.#settled.promise;
    });
    return this.#closing;
  }

  #wait(worker: Worker): void {
    if (this.#receivers.has(worker)) this.#free.add(worker);
    this.#handOver();
  }

  #handOver(): void {
    for (const worker of this.#free) {
      const socket = this.#waiting.shift();
      if (socket === undefined) break;
      this.#free.delete(worker);
      const receiver = this.#receivers.get(worker);
      if (receiver === undefined) continue;
      receiver.handed = socket;
      // A worker that cannot be reached is about to end: `remove` takes the connection back.
      worker.send(CONNECTION, socket, { keepOpen: true }, () => undefined);
      worker.send(HANDED_OVER, () => undefined);
    }
    this.#settle();
  }

  /** Ends `close` if nothing is left to hand over. */
  #settle(): void {
    if (!this.#isClosed) return;
    if (this.#receivers.size === 0) {
      for (const socket of this.#waiting) socket.destroy();
      this.#waiting = [];
    }
    const isHandedOver = [...this.#receivers.values()].every(({ handed }) => handed === undefined);
    if (this.#waiting.length === 0 && isHandedOver) this.#settled.resolve();
  }
}

/** Listens. @param log receives that connections cannot be accepted. @throws Error if the port is taken. */
export async function openDistribution(address: Address, log: LogProblem): Promise<Distribution> {
  // Only a worker reads them.
  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true });
  const port = await bind(server, address);
  // None has come: Node reads the next events only when this code waits again.
  const distribution = new Distribution(server, port);
  server.on('connection', (socket) => distribution.distribute(socket));
  surviveAcceptErrors(server, log);
  return distribution;
}
