/** `gateway start` and its store: keys take effect in running processes, and usage outlives them. */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { madeKey } from '../../src/server/http/admin/key-routes.ts';
import { listKeys } from '../../src/store/keys/list-keys.ts';
import { openStore } from '../../src/store/store.ts';
import { runCommand } from '../support/command.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { firstKeyOf, type GatewayProcess, spawnGateway } from '../support/process.ts';
import { soon } from '../support/soon.ts';

const ADMIN_KEY = 'the-key-of-the-admin';

let running: GatewayProcess | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function ask(url: string, key: string): Promise<number> {
  const response = await postJson(
    `${url}/v1/chat/completions`,
    {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'What is the word? Canary.' }],
    },
    { key },
  );
  await response.text();
  return response.status;
}

function adminUrl(): string {
  const [, url] = /Admin API on (\S+)\./.exec(running?.output() ?? '') ?? [];
  if (url === undefined) throw new Error(`There is no admin API: ${running?.output()}`);
  return url;
}

async function admin(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(adminUrl() + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

describe.each([1, 2])('in %d processes', (workers) => {
  test('tables with additions of a newer version are reported once, and work', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'gateway.db');
    const store = await openStore({ path });
    await sql`insert into gateway_migrations values ('900-of-tomorrow', '2999-01-01')`.execute(store.db);
    await store.close();
    running = await spawnGateway({ workers, store: { path } });
    await soon(() => expect(running?.output()).toContain('Console: '));
    expect(running.output().split('has added to the tables (900-of-tomorrow)')).toHaveLength(2);
    expect(await ask(running.url, KEY)).toBe(200);
  });

  test('keys that are created and revoked elsewhere take effect soon, and usage is reported', async () => {
    // A vendor of the configuration is not simulated: its answers have a cost.
    const sandbox = await startSandbox({ pace: 'none' });
    onTestFinished(() => sandbox.close());
    const { baseUrl, apiKey } = sandbox.places.openai;
    const gateway = await spawnGateway({
      workers,
      admin: { key: ADMIN_KEY, port: 0 },
      vendors: { openai: { baseUrl, apiKey } },
    });
    running = gateway;
    const made = await runCommand(gateway.directory, ['keys', 'create', 'by-command']);
    const byCommand = made.stdout.trim();
    const { key: byAdmin, id } = madeKey.parse(
      await admin('POST', '/admin/keys', {
        name: 'by-admin',
        models: ['openai/*'],
      }),
    );
    for (const key of [byCommand, byAdmin]) {
      await soon(async () => expect(await ask(gateway.url, key)).toBe(200));
    }
    await admin('DELETE', `/admin/keys/${id}`);
    await runCommand(gateway.directory, ['keys', 'revoke', 'by-command']);
    for (const key of [byCommand, byAdmin]) {
      await soon(async () => {
        // Each of several processes.
        for (let asked = 0; asked < workers * 2; asked += 1) expect(await ask(gateway.url, key)).toBe(401);
      });
    }
    expect(await ask(gateway.url, KEY)).toBe(200);

    gateway.signal('SIGTERM');
    expect(await gateway.ended).toBe(0);
    const report = await runCommand(gateway.directory, ['usage', '--json', '--by=key']);
    const { data } = JSON.parse(report.stdout);
    expect(data.map(({ key }: { key: string }) => key).sort()).toEqual(['by-admin', 'by-command', 'test']);
    for (const line of data) expect(line.cost).toBeGreaterThan(0);
  });
});

test('a killed process has lost the last moment of usage, and no more; no content is stored anywhere', async () => {
  const gateway = await spawnGateway();
  running = gateway;
  const before = 5;
  for (let count = 0; count < before; count += 1) expect(await ask(gateway.url, KEY)).toBe(200);
  const path = `${gateway.directory}/.gateway/gateway.db`;
  const written = await openStore({ path });
  const count = async () => (await written.db.selectFrom('gateway_exchanges').selectAll().execute()).length;
  await expect.poll(count).toBe(before);
  await written.close();
  expect(await ask(gateway.url, KEY)).toBe(200);
  gateway.signal('SIGKILL');
  await gateway.ended;
  const store = await openStore({ path });
  const rows = await store.db.selectFrom('gateway_exchanges').selectAll().execute();
  expect(rows.length).toBeGreaterThanOrEqual(before);
  expect(rows.length).toBeLessThanOrEqual(before + 1);
  expect(JSON.stringify(rows)).not.toContain('anary');
  await store.close();
});

test('what could not be written at shutdown because of a lock is written by the next start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'gateway.db');
  const gateway = await spawnGateway({ store: { path } });
  running = gateway;
  // The start itself writes for a moment.
  const other = new DatabaseSync(path, { timeout: 10_000 });
  other.exec('begin immediate');
  for (let count = 0; count < 3; count += 1) expect(await ask(gateway.url, KEY)).toBe(200);
  gateway.signal('SIGTERM');
  expect(await gateway.ended).toBe(0);
  expect(await readdir(`${path}-waiting`)).not.toEqual([]);
  other.exec('rollback');
  const exchanges = () => other.prepare('select id from gateway_exchanges').all().length;
  expect(exchanges()).toBe(0);
  await gateway.close();
  running = await spawnGateway({ store: { path } });
  await soon(() => expect(exchanges()).toBe(3));
  await soon(async () => expect(await readdir(`${path}-waiting`)).toEqual([]));
  other.close();
});

test('a first start creates a key, once', async () => {
  running = await spawnGateway({}, { keyless: true });
  const first = await firstKeyOf(running);
  expect(await ask(running.url, first)).toBe(200);
  const { directory } = running;
  const listed = await runCommand(directory, ['keys', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'first', hint: `${first.slice(0, 7)}…` }]);
});

test('if the configuration has keys, a start creates none', async () => {
  running = await spawnGateway();
  expect(running.output()).not.toContain('gw_');
  const store = await openStore({ path: `${running.directory}/.gateway/gateway.db` });
  expect(await listKeys(store, true)).toEqual([]);
  await store.close();
});

test('without an admin key there is no admin API', async () => {
  running = await spawnGateway({ admin: { port: 0 } });
  expect(running.output()).not.toContain('Admin API');
  expect((await fetch(`${running.url}/admin/keys`)).status).toBe(404);
});
