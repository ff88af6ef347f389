/** The store of a running gateway is taken away: administration says so, in its answers and in the log. */

import { existsSync } from 'node:fs';
import { rename, stat, truncate, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { errorBody } from '../../src/server/http/admin/answers.ts';
import { openStore } from '../../src/store/store.ts';
import { runCommand } from '../support/command.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

const AWAY = 'The store cannot be reached at the moment, or does not answer in time.';
const UNUSABLE = 'The store does not permit this, or is damaged. The log of the gateway says which.';
const ADMIN = 'admin-key-of-a-store-that-is-gone';

/** Every operation of the admin API, by path as the log has it. */
const OPERATIONS: readonly (readonly [method: string, path: string, template: string, body?: object])[] = [
  ['GET', '/admin/keys', '/admin/keys'],
  ['POST', '/admin/keys', '/admin/keys', { name: 'late' }],
  ['GET', '/admin/keys/one', '/admin/keys/{key}'],
  ['PATCH', '/admin/keys/one', '/admin/keys/{key}', { budget_day: 1 }],
  ['POST', '/admin/keys/one/rotate', '/admin/keys/{key}/rotate'],
  ['DELETE', '/admin/keys/one', '/admin/keys/{key}'],
  ['GET', '/admin/groups', '/admin/groups'],
  ['POST', '/admin/groups', '/admin/groups', { name: 'late' }],
  ['GET', '/admin/groups/some', '/admin/groups/{group}'],
  ['PATCH', '/admin/groups/some', '/admin/groups/{group}', { budget_day: 1 }],
  ['DELETE', '/admin/groups/some', '/admin/groups/{group}'],
  ['GET', '/admin/exchanges', '/admin/exchanges'],
  ['GET', '/admin/budgets', '/admin/budgets'],
  ['GET', '/admin/audit', '/admin/audit'],
  ['GET', '/admin/usage', '/admin/usage'],
  ['DELETE', '/admin/usage?key=one', '/admin/usage'],
];

let running: GatewayProcess;
afterEach(() => running.close());

async function start(
  store: ConfigInput['store'] = {},
  more: Pick<ConfigInput, 'keys'> = {},
): Promise<string> {
  running = await spawnGateway({ admin: { key: ADMIN, port: 0 }, log: 'json', store, ...more });
  const address = (): string | undefined => /Admin API on (\S+?)\. /.exec(running.output())?.[1];
  await eventually(() => address() !== undefined, 'the admin API is open');
  return address() ?? '';
}

function ask(url: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

function askOwnKey(id: string): Promise<Response> {
  return fetch(`${running.url}/v1/key`, {
    headers: { authorization: `Bearer ${KEY}`, 'x-request-id': id },
  });
}

/** The file of the running gateway, opened by another process. */
function openBeside(): DatabaseSync {
  return new DatabaseSync(`${running.directory}/.gateway/gateway.db`, { timeout: 10_000 });
}

/** The messages of the log that name a request. */
function linesAbout(id: string): readonly string[] {
  const lines = running.lines().filter((line) => line.includes(id));
  return lines.map((line) => String(JSON.parse(line).msg));
}

test('P-43 a folder that was deleted: each operation is a 503 and a line, and no new store appears', async () => {
  const url = await start();
  const folder = `${running.directory}/.gateway`;
  await rename(folder, `${running.directory}/moved`);
  for (const [method, path, template, body] of OPERATIONS) {
    const answer = await ask(url, method, path, body);
    const { error } = errorBody.parse(await answer.json());
    expect({ status: answer.status, code: error.code }, `${method} ${path}`).toEqual({
      status: 503,
      code: 'store_unavailable',
    });
    expect(error.message).not.toContain(running.directory);
    const id = answer.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^req_\w+$/);
    await eventually(() => linesAbout(id).length > 0, 'the log has a line');
    expect(linesAbout(id)).toEqual([
      `${method} ${template} failed (${id}): ENOENT: no such file or directory, access '${folder}/gateway.db'`,
    ]);
  }
  expect(existsSync(folder)).toBe(false);
  expect(running.output()).not.toContain(ADMIN);
});

test('P-43 a store without tables: the log says which, the answers do not, nor does that of /v1/key', async () => {
  const url = await start();
  const other = openBeside();
  for (const name of ['gateway_keys', 'gateway_usage_days']) other.exec(`drop table ${name}`);
  other.close();
  const headers = { authorization: `Bearer ${ADMIN}`, 'x-request-id': 'my-own-id' };
  const answer = await fetch(`${url}/admin/keys`, { headers });
  expect(answer.status).toBe(500);
  expect(answer.headers.get('x-request-id')).toBe('my-own-id');
  expect(await answer.text()).not.toContain('gateway_keys');
  await eventually(() => linesAbout('my-own-id').length > 0, 'the log has a line');
  expect(linesAbout('my-own-id')).toEqual([
    'GET /admin/keys failed (my-own-id): no such table: gateway_keys',
  ]);

  const own = await askOwnKey('a-callers-id');
  expect(own.status).toBe(500);
  expect(await own.text()).not.toContain('gateway_');
  await eventually(() => linesAbout('a-callers-id').length > 0, 'the log has a line');
  expect(linesAbout('a-callers-id')).toEqual([
    'GET /v1/key failed (a-callers-id): no such table: gateway_usage_days',
  ]);
});

test('P-43 what is spent cannot be read, while keys can: requests go on, and lines say so and when it is over', async () => {
  const key = 'gw-test-key-with-a-budget';
  await start({}, { keys: [{ name: 'limited', key, limits: { budgetDay: 100 } }] });
  const body = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi.' }] };
  const complete = () => postJson(`${running.url}/v1/chat/completions`, body, { key });
  const lines = () => running.lines().filter((line) => line.includes('What other processes spend'));
  expect((await complete()).status).toBe(200);
  const other = openBeside();
  other.exec('alter table gateway_spent rename to gone');
  await eventually(() => lines().length === 1, 'a line says so');
  expect(lines()[0]).toContain('no such table: gateway_spent');
  expect((await complete()).status).toBe(200);
  other.exec('alter table gone rename to gateway_spent');
  other.close();
  await eventually(() => lines().length === 2, 'a line says that it is over');
  expect(lines()[1]).toContain('can be read from the store again');
});

test('P-43 a file that another process has locked', async () => {
  const url = await start();
  const other = openBeside();
  other.exec('begin immediate');
  const answer = await ask(url, 'POST', '/admin/keys', { name: 'late' });
  other.exec('rollback');
  other.close();
  expect(answer.status).toBe(503);
  expect(errorBody.parse(await answer.json()).error.message).toContain('locked');
  const id = answer.headers.get('x-request-id') ?? '';
  await eventually(() => linesAbout(id).length > 0, 'the log has a line');
  expect(linesAbout(id)).toEqual([`POST /admin/keys failed (${id}): database is locked`]);
});

test('P-43 a file that was overwritten: a 503 that says what it may be, while requests go on', async () => {
  const url = await start();
  const file = `${running.directory}/.gateway/gateway.db`;
  const other = openBeside();
  // So that all of it is in the file.
  other.exec('pragma wal_checkpoint(truncate)');
  other.close();
  await writeFile(file, Buffer.alloc((await stat(file)).size, 'Z'), { flag: 'r+' });
  for (const [method, path, template, body] of OPERATIONS) {
    const answer = await ask(url, method, path, body);
    const { error } = errorBody.parse(await answer.json());
    expect({ status: answer.status, message: error.message }, `${method} ${path}`).toEqual({
      status: 503,
      message: UNUSABLE,
    });
    const id = answer.headers.get('x-request-id') ?? '';
    await eventually(() => linesAbout(id).length > 0, 'the log has a line');
    expect(linesAbout(id)).toEqual([`${method} ${template} failed (${id}): file is not a database`]);
  }
  const body = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi.' }] };
  expect((await postJson(`${running.url}/v1/chat/completions`, body, { key: KEY })).status).toBe(200);
});

test('P-43 a file that was emptied: a line says so, once, while requests go on', async () => {
  await start();
  const file = `${running.directory}/.gateway/gateway.db`;
  await truncate(file);
  const lines = () => running.lines().filter((line) => line.includes('was emptied while in use'));
  await eventually(() => lines().length > 0, 'a line says so');
  const body = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi.' }] };
  expect((await postJson(`${running.url}/v1/chat/completions`, body, { key: KEY })).status).toBe(200);
  // The next look comes within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(lines()).toEqual([expect.stringContaining(`${file} was emptied while in use: it has 0 bytes`)]);
});

test.runIf(hasPostgres())(
  'P-43 a PostgreSQL whose database is replaced: the lines say what to do',
  async () => {
    const postgres = await startPostgres();
    try {
      const address = await postgres.newDatabase();
      await start({ url: address });
      const name = new URL(address).pathname.slice(1);
      const admin = new pg.Client({ connectionString: new URL('/postgres', address).href });
      await admin.connect();
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`create database ${name}`);
      await admin.end();
      const told = (begin: string) => running.lines().find((line) => line.includes(`"msg":"${begin}`));
      await eventually(() => told('Keys cannot be read') !== undefined, 'a line says so');
      expect(told('Keys cannot be read')).toMatch(
        /does not exist\. If the database was replaced, .* restart the gateway/,
      );
      const body = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hi.' }] };
      expect((await postJson(`${running.url}/v1/chat/completions`, body, { key: KEY })).status).toBe(200);
      // Another process, or a backup, brings the tables: the gateway goes on with them.
      await (await openStore({ path: '', url: address })).close();
      await eventually(() => told('Keys can be read from the store again') !== undefined, 'a line says so');
      const usage = new pg.Client({ connectionString: address });
      await usage.connect();
      const counted = async () => (await usage.query('select id from gateway_exchanges')).rows.length;
      await expect.poll(counted, { timeout: 20_000 }).toBe(1);
      await usage.end();
    } finally {
      await running.close();
      await postgres.close();
    }
  },
);

test.runIf(hasPostgres())('P-43 a PostgreSQL that restarts: no line comes twice', async () => {
  const postgres = await startPostgres();
  try {
    const url = await start({ url: await postgres.newDatabase() });
    // So that there are several connections.
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url, 'GET', '/admin/keys')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const before = running.lines().length;
    await postgres.cluster?.stop();
    await postgres.cluster?.start();
    await expect.poll(async () => (await ask(url, 'GET', '/admin/keys')).status).toBe(200);
    // The look for changed keys comes within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const lines = running.lines().slice(before);
    const troubles = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
    const messages = troubles.map(({ msg }) => String(msg)).filter((msg) => !msg.startsWith('GET /admin/'));
    expect(messages).toEqual([...new Set(messages)]);
  } finally {
    await running.close();
    await postgres.close();
  }
});

test.runIf(hasPostgres())('P-43 a PostgreSQL whose user loses a right; a command says so too', async () => {
  const postgres = await startPostgres();
  const address = new URL(await postgres.newDatabase());
  const admin = new pg.Client({ connectionString: address.href });
  const user = `poor_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.connect();
  try {
    await admin.query(`create role ${user} login password 'poor'`);
    await admin.query(`alter database ${address.pathname.slice(1)} owner to ${user}`);
    Object.assign(address, { username: user, password: 'poor' });
    const url = await start({ url: address.href });
    await admin.query('alter table gateway_keys owner to current_user');
    const answer = await ask(url, 'POST', '/admin/keys', { name: 'late' });
    const { error } = errorBody.parse(await answer.json());
    expect([answer.status, error.message]).toEqual([503, UNUSABLE]);
    const id = answer.headers.get('x-request-id') ?? '';
    await eventually(() => linesAbout(id).length > 0, 'the log has a line');
    expect(linesAbout(id)).toEqual([
      `POST /admin/keys failed (${id}): permission denied for table gateway_keys`,
    ]);
    const run = await runCommand(running.directory, ['keys', 'create', 'late'], {
      DATABASE_URL: address.href,
    });
    expect(run).toMatchObject({
      code: 1,
      stderr: 'The store failed: permission denied for table gateway_keys.\n',
    });
  } finally {
    await admin.query(`reassign owned by ${user} to current_user`);
    await admin.query(`drop owned by ${user}`);
    await admin.query(`drop role ${user}`);
    await admin.end();
    await postgres.close();
  }
});

test.runIf(hasPostgres())('P-43 a PostgreSQL that is shut down', async () => {
  const postgres = await startPostgres();
  try {
    const url = await start({ url: await postgres.newDatabase() });
    expect((await ask(url, 'GET', '/admin/keys')).status).toBe(200);
    await postgres.cluster?.stop();
    for (const [method, path, template, body] of OPERATIONS) {
      const answer = await ask(url, method, path, body);
      const { error } = errorBody.parse(await answer.json());
      expect({ status: answer.status, message: error.message }, `${method} ${path}`).toEqual({
        status: 503,
        message: AWAY,
      });
      const id = answer.headers.get('x-request-id') ?? '';
      await eventually(() => linesAbout(id).length > 0, 'the log has a line');
      expect(linesAbout(id)).toEqual([expect.stringContaining(`${method} ${template} failed (${id}): `)]);
    }
    const own = await askOwnKey('a-callers-id');
    expect(own.status).toBe(503);
    expect(await own.json()).toMatchObject({ error: { message: AWAY, code: 'store_unavailable' } });
    await eventually(() => linesAbout('a-callers-id').length > 0, 'the log has a line');
    expect(linesAbout('a-callers-id')).toEqual([
      expect.stringContaining('GET /v1/key failed (a-callers-id): '),
    ]);
  } finally {
    await postgres.close();
  }
});
