/** `gateway store copy`, for moving from a SQLite file to PostgreSQL. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createKey } from '../../src/store/keys/keys.ts';
import { listKeys } from '../../src/store/keys/list-keys.ts';
import { openStore } from '../../src/store/store.ts';
import { type CommandResult, runCommand, startCommand } from '../support/command.ts';
import { postJson } from '../support/post-json.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';

/** The contract says a second or two; a busy machine needs longer. */
const SOON = { timeout: 60_000, interval: 100 };

const FILE = '.gateway/gateway.db';

let directory: string;
beforeEach(async () => {
  const made = await mkdtemp(join(tmpdir(), 'gateway-copy-'));
  directory = made;
  return () => rm(made, { recursive: true });
});

const run = (words: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  runCommand(directory, words.split(' '), env);

test('a store that a gateway writes to is not copied', async () => {
  const gateway = await spawnGateway({ log: 'none' });
  onTestFinished(() => gateway.close());
  directory = gateway.directory;
  const { stdout } = await run('keys create team');
  const key = stdout.trim();
  await vi.waitFor(async () => expect(await ask(gateway, key)).toBe(200), SOON);
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      await ask(gateway, key);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  const copied = await run(`store copy --from ${FILE} --to copy.db`);
  isOver = true;
  await asking;
  expect(copied).toMatchObject({ code: 1, stdout: '' });
  expect(copied.stderr).toContain('was written to in the meantime: stop every gateway that uses it first');
  gateway.signal('SIGTERM');
  await gateway.ended;
  expect(await run(`store copy --from ${FILE} --to copy.db`)).toMatchObject({ code: 0 });
});

describe.skipIf(!hasPostgres())('to PostgreSQL and back', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  test('keys are accepted as before, their spending counts, and reports are the same', async () => {
    // A vendor of the configuration is not simulated: its answers are charged.
    const sandbox = await startSandbox({ pace: 'none' });
    onTestFinished(() => sandbox.close());
    const { baseUrl, apiKey } = sandbox.places.openai;
    const vendors = { openai: { baseUrl, apiKey } };
    const before = await spawnGateway({ log: 'none', vendors });
    onTestFinished(() => before.close());
    directory = before.directory;
    const key = async (words: string): Promise<string> => (await run(`keys create ${words}`)).stdout.trim();
    const open = await key('open --models openai/* --expires 30d --requests-per-minute 90');
    const poor = await key('poor --budget-day 0.000001 --budget-month 2.5');
    const gone = await key('gone');
    for (const one of [open, poor, gone])
      await vi.waitFor(async () => expect(await ask(before, one)).toBe(200), SOON);
    await vi.waitFor(async () => expect(await ask(before, poor)).toBe(429), SOON);
    await run('keys revoke gone');
    before.signal('SIGTERM');
    expect(await before.ended).toBe(0);

    const url = await postgres.newDatabase();
    const after = { DATABASE_URL: url };
    const file = await readFile(join(directory, FILE));
    const copied = await run(`store copy --from ${FILE}`, after);
    expect(copied).toMatchObject({ code: 0, stderr: '' });
    expect(copied.stdout).toMatch(
      /^Copied \/\S+gateway\.db to PostgreSQL \(127\.0\.0\.1\/gateway_test_\w+\): keys: 3, 1 of them revoked; exchanges: \d+, 20\S+Z to 20\S+Z; days of usage: \d, \S+ to \S+\.\nNow start the gateway\. The copy does not receive what is written to \/\S+gateway\.db from now on\.\n$/,
    );
    expect(await readFile(join(directory, FILE))).toEqual(file);

    expect(await run(`store copy --from ${FILE}`, after)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already a copy of'),
    });
    expect(await run(`store copy --to=back.db`, after)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'Now set GATEWAY_STORE_PATH to the copy, unset DATABASE_URL, and start',
      ),
    });
    for (const report of [
      'usage --json',
      'usage --json --by day,key,model,vendor',
      'keys list --all --json',
    ]) {
      const { stdout } = await run(report);
      expect(JSON.stringify(JSON.parse(stdout))).toContain('"poor"');
      for (const env of [after, { GATEWAY_STORE_PATH: 'back.db' }])
        expect(await run(report, env)).toEqual({ code: 0, stderr: '', stdout });
    }

    const now = await spawnGateway({ store: { url }, log: 'none', vendors });
    onTestFinished(() => now.close());
    expect(await ask(now, open)).toBe(200);
    expect(await ask(now, poor)).toBe(429);
    expect(await ask(now, gone)).toBe(401);
    // With new content in it, it no longer counts as a copy.
    await vi.waitFor(async () => {
      const again = await run(`store copy --from ${FILE}`, after);
      expect(again).toMatchObject({ code: 1, stdout: '' });
      expect(again.stderr).toMatch(/^Nothing was copied: PostgreSQL \(\S+\) is not empty \(keys: 3, .*\n$/);
    }, SOON);
  });

  test('Ctrl-C ends it with a message, and leaves nothing half done', async () => {
    await keyHere();
    const url = await postgres.newDatabase();
    const target = await openStore({ path: '', url });
    onTestFinished(() => target.close());
    const copying = await target.db.transaction().execute(async (holding) => {
      await sql`lock table gateway_keys`.execute(holding);
      const command = startCommand(directory, ['store', 'copy', '--to', url]);
      await vi.waitFor(async () => {
        const waiting = sql<{ n: number }>`select count(*) as n from pg_locks where not granted`;
        expect((await waiting.execute(target.db)).rows).not.toEqual([{ n: 0 }]);
      }, SOON);
      command.child.kill('SIGINT');
      return command;
    });
    expect(await copying.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Nothing was copied: the copy was interrupted.\n',
    });
    expect(await listKeys(target)).toEqual([]);
    expect((await run(`store copy --to ${url}`)).stdout).toContain(
      'Now set DATABASE_URL to the copy, and start',
    );
  });

  test('a database that fails midway is reported, without its password', async () => {
    await keyHere();
    const address = new URL(await postgres.newDatabase());
    address.password = 'the-password';
    const target = await openStore({ path: '', url: address.href });
    onTestFinished(() => target.close());
    const copying = await target.db.transaction().execute(async (holding) => {
      await sql`lock table gateway_keys`.execute(holding);
      const command = startCommand(directory, ['store', 'copy', '--to', address.href]);
      await vi.waitFor(async () => {
        const { rows } = await sql<{ ended: boolean }>`
          select pg_terminate_backend(pid) as ended from pg_locks where not granted`.execute(target.db);
        expect(rows).toEqual([{ ended: true }]);
      }, SOON);
      return command;
    });
    const { code, stdout, stderr } = await copying.ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Nothing was copied: .+\.\n$/);
    expect(stderr).not.toContain('the-password');
    expect(await listKeys(target)).toEqual([]);
  });
});

test.each([
  ['', /^--from and --to are both \/\S+gateway\.db: .*\n$/],
  [` --to=${FILE}`, /^--from and --to are both /],
  [' --from=a.db --to=./a.db', /^--from and --to are both \/\S+\/a\.db: /],
  [' --from=none.db', /^Nothing was copied: the store \/\S+none\.db cannot be opened: ENOENT.*\n$/],
  [' --from=none.db --to=other.db', /^Nothing was copied: the store \/\S+none\.db cannot be opened: ENOENT/],
  [' --from=config.txt --to=other.db', /config\.txt cannot be opened: file is not a database\.\n$/],
  [' --to=mysql://me:secret@127.0.0.1/a', /^--to: must be postgres:\/\/….*or a SQLite file\n$/],
  [' --from=postgres://me:sec#ret@127.0.0.1/a', /^--from: must be postgres:\/\/….*%40.*\n$/],
  [' --to=postgres://me:secret@127.0.0.1:1/a', /PostgreSQL \(127\.0\.0\.1\/a\) cannot be opened: .*REFUSED/],
  [' --to=postgres://me:1/secret@127.0.0.1/a', /PostgreSQL \(me\) cannot be opened: /],
  [' --too=a.db', /^Unknown option --too\. See --help\.\n$/],
  [' --to=', /^The option --to has no value\.\n$/],
])('what cannot be copied is reported in one line: store copy%s', async (words, told) => {
  await keyHere();
  await writeFile(join(directory, 'config.txt'), 'this is no database, however long one looks at it');
  const { code, stdout, stderr } = await run(`store copy${words}`);
  expect(stderr).toMatch(told);
  expect(stderr.split('\n')).toHaveLength(2);
  expect(stderr).not.toMatch(/sec(?:#?ret)/);
  expect([code, stdout]).toEqual([1, '']);
});

async function keyHere(): Promise<void> {
  const store = await openStore({ path: join(directory, FILE) });
  await createKey(store, 'team');
  await store.close();
}

async function ask({ url }: GatewayProcess, key: string): Promise<number> {
  const response = await postJson(
    `${url}/v1/chat/completions`,
    { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello!' }] },
    { key },
  );
  await response.text();
  return response.status;
}
