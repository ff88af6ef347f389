/** A start whose store cannot be used: one line says why, within seconds, and the exit code is 1. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { BUILT_PROGRAM } from '../support/built-program.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

/** Whether a process may mount a file system of its own, as the user of a namespace. */
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * Shell words that run a command with a disk of so many kilobytes at a folder, which only it sees. It takes the place of
 * the shell, so that who ends the shell ends it.
 */
function withDisk(folder: string, kilobytes: number): string {
  return `exec unshare -rm sh -c 'mount -t tmpfs -o size=${kilobytes}k none ${folder} && exec "$@"' sh "$@";`;
}

/** Starts a gateway that does not get as far as to listen. */
function startInVain(shell: string, env: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  const words = ['-c', `${shell} exec "$@"`, 'sh', process.execPath, BUILT_PROGRAM, 'start'];
  const { status, stderr } = spawnSync('sh', words, {
    cwd: newFolder(),
    env: { PATH, PORT: '0', ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stderr };
}

test.runIf(canMount)('P-43 a disk that is full: the line says so, and which', () => {
  const folder = newFolder();
  // SQLite makes its file on it, and not the index of the write-ahead log, of 32 KB.
  const started = startInVain(withDisk(folder, 20), { GATEWAY_STORE_PATH: join(folder, 'gateway.db') });
  expect(started).toEqual({
    status: 1,
    stderr: `Cannot start: the store ${folder}/gateway.db cannot be opened: disk I/O error (the disk of ${folder} is full)\n`,
  });
});

test.runIf(canMount && hasPostgres())(
  'P-43 a disk that is too full for the first key: none is made',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const url = await postgres.newDatabase();
    const folder = join(newFolder(), 'small');
    mkdirSync(folder);
    const env = { DATABASE_URL: url, GATEWAY_STORE_PATH: join(folder, 'gateway.db') };
    // It has room for one block: the key itself would fit, and nothing after it.
    const gateway = await spawnGateway({}, { env, keyless: true, shell: withDisk(folder, 4) });
    onTestFinished(() => gateway.close());
    await eventually(() => gateway.output().includes('Console: '), 'it serves');
    expect(gateway.output()).toMatch(
      /none was created: .*\/first-key\.txt cannot be written \(ENOSPC\)\. Create one/s,
    );
    const store = await openStore({ path: '', url });
    expect(await store.db.selectFrom('gateway_keys').selectAll().execute()).toEqual([]);
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test.runIf(hasPostgres())(
  'P-43 a table that another connection has locked: a line says what the start waits for, and the last one why it ends',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const url = await postgres.newDatabase();
    await (await openStore({ path: '', url })).close();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query('lock table gateway_keys in access exclusive mode');
    const { status, stderr } = startInVain('', { DATABASE_URL: url });
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^The store PostgreSQL \(.*\) has not said yet whether it has keys\. .* a table is locked/,
      ),
      'Cannot start: the store cannot be read: Query read timeout (PostgreSQL is overloaded, or another connection has locked a table)',
    ]);
  },
);
