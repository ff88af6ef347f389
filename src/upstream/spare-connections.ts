/**
 * Connections that are opened ahead. HTTP/1.1 can only leave an answer by closing its connection, so whoever presses
 * "stop" in a chat and asks again waits for a new one: 0.35 ms on one machine, and 50 to 150 ms for TCP and TLS on the
 * way to a vendor. When a caller has left, a spare connection is therefore opened at once, and the next connection to that
 * origin is the spare. Through a SOCKS proxy there is none, because undici makes those pools by itself.
 */

import type { Socket } from 'node:net';
import { buildConnector, Client, Pool } from 'undici';
import { skipContinue } from './net/skip-continue.ts';
import { SharedClient } from './shared-client.ts';

export interface SpareConnections {
  /**
   * Makes the pool for an origin, which opens spare connections and uses them. Undici's Agent closes a pool with its
   * last connection, so a spare may also be of an earlier pool.
   * @param options as for undici's Pool. A spare waits as long as any connection without a request.
   */
  pool(origin: string | URL, options: PoolOptions): Pool;
  /** Opens a spare connection as soon as one to this origin is closed, because a caller has left its exchange. */
  left(origin: string): void;
  /** Closes the spare connections. No more are opened. */
  destroy(): Promise<void>;
}

export type PoolOptions = Pool.Options & { readonly keepAliveTimeout: number };

export function openSpareConnections(): SpareConnections {
  const origins = new Map<string, Origin>();
  /** The origins with a connection that is about to be closed. */
  const left = new Set<string>();
  let ended = false;
  return {
    pool(url, options) {
      const origin = origins.get(String(url)) ?? openOrigin(options);
      origins.set(String(url), origin);
      // In the order of the pool, which uses the first one that is free, whether it is connected or not.
      let clients: Client[] = [];
      const pool = new Pool(url, {
        ...options,
        connect: origin.connect,
        factory(to, given) {
          const client = options.allowH2
            ? new SharedClient(to, given, origin.connect)
            : new Client(to, given);
          clients.push(client);
          return client;
        },
      });
      pool.on('connectionError', (_, targets) => {
        clients = clients.filter((client) => !targets.includes(client));
      });
      pool.on('disconnect', (_, targets) => {
        if (!left.delete(String(url))) return;
        // Undici has not yet removed the exchange from the client whose connection was closed.
        const next = clients.find((client) => client.stats.size === 0 || targets.includes(client));
        if (!next?.stats.connected) origin.openSpare();
      });
      return pool;
    },
    left(url) {
      if (!ended && origins.get(url)?.isShared() !== true) left.add(url);
    },
    async destroy() {
      ended = true;
      left.clear();
      for (const origin of origins.values()) origin.closeSpare();
    },
  };
}

interface Origin {
  /** Takes the spare connection, or makes one. */
  readonly connect: buildConnector.connector;
  /** Whether a connection carries many exchanges (HTTP/2), so that leaving one closes none. */
  isShared(): boolean;
  /** Opens a spare connection, unless there is one or the last attempt to connect has failed. */
  openSpare(): void;
  closeSpare(): void;
}

function openOrigin({ connect: given, allowH2 = false, keepAliveTimeout }: PoolOptions): Origin {
  // A ProxyAgent gives a function, which opens the tunnel.
  const connector = typeof given === 'function' ? given : buildConnector({ ...given, allowH2 });
  /** The options of the last connection; absent before the first one, and after one that has failed. */
  let known: buildConnector.Options | undefined;
  let spare: Spare | undefined;
  // Undici only holds a WeakRef to the TLS session with which the next connection begins. Once it was collected, the
  // handshake checks the vendor's certificates again, which takes 0.3 ms of CPU.
  const held: { session?: Buffer } = {};
  let isShared = false;

  const open: buildConnector.connector = (options, callback) =>
    connector(options, (...result) => {
      const [error, socket] = result;
      known = error === null ? options : undefined;
      if (error === null) {
        isShared = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
        if (!isShared) skipContinue(socket);
        socket.on('session', (session: Buffer) => {
          held.session = session;
        });
      }
      callback(...result);
    });
  return {
    connect(options, callback) {
      if (spare === undefined || spare.servername !== options.servername) return open(options, callback);
      const taken = spare;
      spare = undefined;
      return taken.take(callback) || open(options, callback);
    },
    isShared: () => isShared,
    openSpare() {
      if (known === undefined || spare !== undefined) return;
      const opened = startSpare(open, known, keepAliveTimeout, () => {
        if (spare === opened) spare = undefined;
      });
      spare = opened;
    },
    closeSpare() {
      spare?.close();
      spare = undefined;
    },
  };
}

interface Spare {
  readonly servername: string | undefined;
  /** Gives the connection away, now or once it is there. @returns false if it cannot be used. */
  take(callback: buildConnector.Callback): boolean;
  close(): void;
}

/**
 * Starts to open a connection that waits to be taken.
 * @param idle how long it waits, in milliseconds.
 * @param lost called when it has failed, or was closed before it was taken.
 */
function startSpare(
  open: buildConnector.connector,
  options: buildConnector.Options,
  idle: number,
  lost: () => void,
): Spare {
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let taker: buildConnector.Callback | undefined;
  let isClosed = false;

  open(options, (...result) => {
    const [error, opened] = result;
    if (taker !== undefined) taker(...result);
    // No request waits for this connection, so its failure is not reported. The next request opens one of its own, and
    // reports the failure if there is one.
    else if (error !== null) lost();
    else if (isClosed) opened.destroy();
    else {
      // It does not keep the process running, nor does its timer.
      socket = opened.unref().once('close', lost);
      timer = setTimeout(() => opened.destroy(), idle).unref();
    }
  });

  const close = (): void => {
    isClosed = true;
    clearTimeout(timer);
    socket?.destroy();
  };
  return {
    servername: options.servername,
    take(callback) {
      if (socket === undefined) {
        taker = callback;
        return true;
      }
      // A server that gives up a connection may say so before it closes it: 408, for example.
      if (socket.destroyed || socket.readableLength > 0) {
        close();
        return false;
      }
      clearTimeout(timer);
      const ready = socket.off('close', lost).ref();
      // Undici does not notice a connection that is there before its call has returned.
      queueMicrotask(() => callback(null, ready));
      return true;
    },
    close,
  };
}
