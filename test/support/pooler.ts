/**
 * A pooler of PostgreSQL's connections that lends them by the transaction, as PgBouncer does: whoever is connected to it
 * has another connection of the server's for every transaction, and a statement outside of one is one of its own.
 */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../src/upstream/net/bind.ts';

export interface Pooler {
  /** The address of the same database, through it. */
  readonly url: string;
  close(): Promise<void>;
}

/** How many connections take turns: a lock, a transaction and what lets the lock go are each another one's. */
const LENT = 3;

/** A server's connection: all that it says, message by message. */
interface Lent {
  readonly socket: Socket;
  /** Whether it has said that the client may ask. */
  isStarted: boolean;
  unread: Buffer;
}

/** @param url of a database that wants no password. */
export async function startPooler(url: string): Promise<Pooler> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const lent: readonly Lent[] = Array.from({ length: LENT }, () => ({
      socket: connect({ host: hostname, port: Number(port) }),
      isStarted: false,
      unread: Buffer.alloc(0),
    }));
    let turn = 0;
    let waiting: Buffer | undefined;
    for (const socket of [client, ...lent.map((one) => one.socket)]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    // Both are started by the client's first message; what it asks before both are, waits. They outlive the client.
    client.once('data', (startup) => {
      for (const { socket } of lent) socket.write(startup);
      client.on('data', (asked: Buffer) => {
        // X: the client goes (PostgreSQL's documentation, "Message Formats").
        if (asked[0] === 0x58) return;
        if (lent.every(({ isStarted }) => isStarted)) lent[turn]?.socket.write(asked);
        else waiting = asked;
      });
    });
    lent.forEach((one, index) => {
      one.socket.on('data', (said: Buffer) => {
        one.unread = Buffer.concat([one.unread, said]);
        while (one.unread.length >= 5 && one.unread.length >= 1 + one.unread.readInt32BE(1)) {
          const message = one.unread.subarray(0, 1 + one.unread.readInt32BE(1));
          one.unread = one.unread.subarray(message.length);
          if (one.isStarted || index === 0) client.write(message);
          // Z and I: it is ready, and in no transaction.
          if (message[0] !== 0x5a || message[5] !== 0x49) continue;
          if (one.isStarted) turn = (turn + 1) % lent.length;
          one.isStarted = true;
          if (waiting === undefined || !lent.every(({ isStarted }) => isStarted)) continue;
          lent[turn]?.socket.write(waiting);
          waiting = undefined;
        }
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(url);
  address.port = String(portOf(server));
  return {
    url: address.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
