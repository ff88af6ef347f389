/** A PostgreSQL that lets nobody create tables says why, whatever Kysely asks of it after that. */

import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { postgresDialect } from '../../src/store/postgres.ts';
import { openStore } from '../../src/store/store.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';

/** The address of a new database, which its server's administrator prepares with `statements` for a user `poor`. */
async function preparedDatabase(...statements: readonly string[]): Promise<string> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const url = new URL(await postgres.newDatabase());
  const admin = new Kysely<object>({ dialect: postgresDialect(url.href) });
  const user = `poor_${crypto.randomUUID().replaceAll('-', '')}`;
  for (const statement of [`create role ${user} login password 'poor'`, ...statements]) {
    const named = statement.replaceAll('POOR', user);
    await sql.raw(named).execute(admin);
  }
  onTestFinished(async () => {
    await sql.raw(`drop owned by ${user}`).execute(admin);
    await sql.raw(`drop role ${user}`).execute(admin);
    await admin.destroy();
  });
  url.username = user;
  url.password = 'poor';
  return url.href;
}

test.runIf(hasPostgres())('the user may not create tables', async () => {
  // As PostgreSQL 15 and later create each database.
  const url = await preparedDatabase('revoke create on schema public from public');
  await expect(openStore({ path: '', url })).rejects.toThrow(
    /permission denied for schema public\. The user .* has to own the database/,
  );
});

test.runIf(hasPostgres())('a replica, or a database that is set to read-only', async () => {
  const url = await preparedDatabase(
    'grant create on schema public to POOR',
    'alter role POOR set default_transaction_read_only = on',
  );
  await expect(openStore({ path: '', url })).rejects.toThrow(
    /cannot execute CREATE TABLE in a read-only transaction \(PostgreSQL is a replica there, or/,
  );
});
