/** In a worker: its channel to the first process, which brings orders and connections. */

import cluster from 'node:cluster';
import { Socket } from 'node:net';
import { TlsTermination } from '../../upstream/net/terminate-tls.ts';
import { createCallerServer, type listen } from '../listen/listen.ts';
import {
  CLOSED,
  CONNECTION,
  HANDED_OVER,
  type Order,
  type Receipt,
  type ServeBy,
  type ServedConfig,
  type WorkerReport,
} from './worker-messages.ts';

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

/** Receives the orders. */
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
    const server = createCallerServer(respond);
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

/** Gives `take` the connections that are handed over. */
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

/** Asks for no more connections. Resolves when none is on its way any more. */
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

/** Reports to the first process. It does nothing in a process that is no worker. */
export function reportToPrimary(news: WorkerReport): void {
  if (cluster.isWorker && process.connected) process.send?.(news);
}
