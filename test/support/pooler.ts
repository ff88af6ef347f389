/**
 * A connection pooler for PostgreSQL in transaction mode, as PgBouncer has it: every transaction of a client gets
 * another server connection, and a statement outside a transaction is a transaction of its own.
 */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { getPort } from '../../src/upstream/net/bind.ts';

export interface Pooler {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** The number of connections that take turns: a lock, a transaction and the unlock each get another one. */
const LENT = 3;

/** A server connection, with everything that it sends, message by message. */
interface Lent {
  readonly socket: Socket;
  /** Whether it has said that the client may send queries. */
  isStarted: boolean;
  unread: Buffer;
}

/** @param url the URL of a database that needs no password. */
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
    // The client's first message starts both; its later queries wait until both are ready. They outlive the client.
    client.once('data', (startup) => {
      for (const { socket } of lent) socket.write(startup);
      client.on('data', (asked: Buffer) => {
        // X: the client terminates (PostgreSQL's documentation, "Message Formats").
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
  address.port = String(getPort(server));
  return {
    url: address.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
