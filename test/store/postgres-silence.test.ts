/** Connections that are of no use after a failover: they go silent, or lead to a server that only reads. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { postgresDialect } from '../../src/store/postgres.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';

/** A proxy in front of the server that can silence all its current connections. */
async function startProxy(url: string) {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let heard = '';
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
    }
  });
  const address = new URL(url);
  address.port = `${await bind(server, { host: '127.0.0.1', port: 0 })}`;
  return {
    url: address.href,
    /** Bytes on silenced connections go no further. */
    silence() {
      heard = '';
      for (const socket of open) {
        socket.unpipe().on('data', (bytes) => {
          heard += bytes.toString('latin1');
        });
        socket.resume();
      }
    },
    /** All bytes received since then on those connections. */
    heard: () => heard,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test.runIf(hasPostgres())('a connection without answers is not used again', async () => {
  const postgres = await startPostgres();
  const proxy = await startProxy(await postgres.newDatabase());
  const db = new Kysely<object>({ dialect: postgresDialect(proxy.url, 300) });
  const ask = (): Promise<unknown> => sql`select 1`.execute(db);
  try {
    await ask();
    proxy.silence();
    await expect(ask()).rejects.toThrow('timeout');
    await expect(ask()).resolves.toMatchObject({ rows: [{}] });
    proxy.silence();
    const writing = db.transaction().execute((transaction) => sql`select 1`.execute(transaction));
    await expect(writing).rejects.toThrow('timeout');
    expect(proxy.heard()).toContain('begin');
    expect(proxy.heard()).not.toMatch(/rollback|select/i);
    await ask();
  } finally {
    await db.destroy();
    await proxy.close();
    await postgres.close();
  }
});

test.runIf(hasPostgres())('a connection that may only read is not used again', async () => {
  const postgres = await startPostgres();
  const url = await postgres.newDatabase();
  const database = sql.id(new URL(url).pathname.slice(1));
  const admin = new Kysely<object>({ dialect: postgresDialect(url) });
  const db = new Kysely<object>({ dialect: postgresDialect(url) });
  const write = (): Promise<unknown> =>
    db.transaction().execute((transaction) => sql`create table written ()`.execute(transaction));
  try {
    // Like a former primary, to which a name leads until it is resolved again: it applies to new connections alone.
    await sql`alter database ${database} set default_transaction_read_only = on`.execute(admin);
    await expect(write()).rejects.toThrow('read-only transaction');
    await sql`alter database ${database} reset default_transaction_read_only`.execute(admin);
    await write();
  } finally {
    await admin.destroy();
    await db.destroy();
    await postgres.close();
  }
});

test.runIf(hasPostgres())(
  'a connection that the server closes since nobody used it is replaced',
  async () => {
    const postgres = await startPostgres();
    const db = new Kysely<object>({
      dialect: postgresDialect(await postgres.newDatabase()),
    });
    const session = async (): Promise<unknown> =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
    try {
      const first = await session();
      await sql`set idle_session_timeout = 1`.execute(db);
      // The query may meet the closed connection.
      await expect.poll(() => session().catch(() => first)).not.toBe(first);
    } finally {
      await db.destroy();
      await postgres.close();
    }
  },
);
