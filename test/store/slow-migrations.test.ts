/** Migrations of a large store in PostgreSQL, which take longer than any other statement may. */

import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { postgresDialect } from '../../src/store/postgres.ts';
import { openStore } from '../../src/store/store.ts';
import type { StorePlace } from '../../src/store/store-errors.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';

/** Runs `use` with a store that lacks the last migration. */
async function withEarlierStore(
  use: (place: StorePlace & { readonly url: string }, admin: Kysely<object>) => Promise<void>,
): Promise<void> {
  const postgres = await startPostgres();
  const url = await postgres.newDatabase();
  const place = { path: 'gateway.db', url };
  const admin = new Kysely<object>({ dialect: postgresDialect(url) });
  try {
    await (await openStore(place)).close();
    await sql`drop table gateway_secrets`.execute(admin);
    await sql`delete from gateway_migrations where name = '013-secrets'`.execute(admin);
    await use(place, admin);
  } finally {
    await admin.destroy();
    await postgres.close();
  }
}

/** Has each statement that creates a table take so many seconds, and the server end all others after one. */
async function slowDown(admin: Kysely<object>, url: string, seconds: number): Promise<void> {
  await sql`
    create function slow() returns event_trigger language plpgsql
    as ${sql.lit(`begin perform pg_sleep(${seconds}); end`)}`.execute(admin);
  await sql`
    create event trigger slow on ddl_command_start when tag in ('CREATE TABLE') execute function slow()`.execute(
    admin,
  );
  const database = sql.id(new URL(url).pathname.slice(1));
  await sql`alter database ${database} set statement_timeout = '1s'`.execute(admin);
}

test.runIf(hasPostgres())(
  'takes as long as it needs, and whoever starts meanwhile waits for it',
  async () => {
    await withEarlierStore(async (place, admin) => {
      // Longer than the 30 s of a statement, and than the 20 s for which a lock is waited for.
      await slowDown(admin, place.url, 32);
      const told: string[] = [];
      const stores = await Promise.all([
        openStore(place, (reason) => told.push(reason)),
        openStore(place, (reason) => told.push(reason)),
      ]);
      await Promise.all(stores.map((store) => store.close()));
      expect(told).toHaveLength(2);
      expect(told[0]).toMatch(
        /^The tables of the store PostgreSQL \(127\.0\.0\.1.* are being brought up to date/,
      );
      const { rows } = await sql`select * from gateway_migrations where name = '013-secrets'`.execute(admin);
      expect(rows).toHaveLength(1);
    });
  },
);
