/** The user of a PostgreSQL, or its password, is another one while a gateway runs, as secret managers rotate them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postJson } from '../support/post-json.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

const ADMIN = 'admin-key-of-a-rotated-store';

test.runIf(hasPostgres()).each([1, 2])(
  'P-11 another user in DATABASE_URL_FILE is the one of each new connection (%d)',
  async (workers) => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const url = await postgres.newDatabase();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const [first, second] = [`first_${crypto.randomUUID()}`, `second_${crypto.randomUUID()}`];
    for (const name of [first, second]) await admin.query(`create role "${name}" superuser login`);
    const as = (name: string): string => {
      const address = new URL(url);
      address.username = name;
      return address.href;
    };
    const folder = mkdtempSync(join(tmpdir(), 'gateway-store-user-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'url');
    writeFileSync(file, as(first));

    const gateway = await spawnGateway(
      { workers, admin: { key: ADMIN, port: 0 } },
      { env: { DATABASE_URL_FILE: file } },
    );
    onTestFinished(() => gateway.close());
    const address = (): string => /Admin API on (\S+?)\. /.exec(gateway.output())?.[1] ?? '';
    await eventually(() => address() !== '', 'the admin API is open');
    const ask = async (): Promise<void> => {
      const messages = [{ role: 'user', content: 'Hello.' }];
      const answer = await postJson(`${gateway.url}/v1/chat/completions`, {
        model: 'openai/gpt-5.4',
        messages,
      });
      expect(answer.status).toBe(200);
      await answer.text();
    };
    const recorded = async (): Promise<number> =>
      (await admin.query('select count(*)::int as n from gateway_exchanges')).rows[0].n;
    const keys = async (): Promise<number> =>
      (await fetch(`${address()}/admin/keys`, { headers: { authorization: `Bearer ${ADMIN}` } })).status;
    await ask();
    await expect.poll(recorded).toBe(1);

    writeFileSync(file, as(second));
    await eventually(() => gateway.output().includes('reloaded and is in force.'), 'it is read again');
    await admin.query(`alter role "${first}" nologin`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [first]);
    await expect.poll(keys).toBe(200);
    for (let turn = 0; turn < 2 * workers; turn++) await ask();
    await expect.poll(recorded).toBe(1 + 2 * workers);
    expect(gateway.output()).not.toMatch(/take effect|not permitted to log in/);

    // Another database takes a restart.
    writeFileSync(file, as(second).replace(/\/gateway_test_\w+/, '/postgres'));
    await eventually(() => gateway.output().includes('Changes to store take effect'), 'it is said');
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [second]);
    await expect.poll(keys).toBe(200);
    await ask();
    await expect.poll(recorded).toBe(2 + 2 * workers);
  },
);
