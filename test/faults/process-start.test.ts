/** Starts that must fail: a line that says why, an exit code, and nothing half started. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bind } from '../../src/upstream/net/bind.ts';
import { call } from '../support/caller.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { KEY } from '../support/gateway.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { firstKeyFile } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function taken<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  try {
    return await use(typeof address === 'object' && address !== null ? address.port : 0);
  } finally {
    await new Promise<void>((done) => server.close(() => done()));
  }
}

describe('P-19 a start that must fail', () => {
  test.each([[['--workers', '1']], [['--workers', '2']]])('P-19 the port is taken, %j', async (args) => {
    await taken(async (port) => {
      const words = ['start', '--port', String(port), ...args];
      const { code, stdout, stderr } = await runCommand(directory, words, { GATEWAY_API_KEY: KEY });
      expect(code).toBe(1);
      expect(stderr).toBe(
        `Cannot start: listen EADDRINUSE: address already in use 127.0.0.1:${port}. The port is in use: stop the other process, or set PORT (PORT=8790 npm start).\n`,
      );
      expect(stdout).toBe('');
    });
  });

  test('P-19 the admin port is taken: a key that was already created is printed, since the next start creates none', async () => {
    await taken(async (port) => {
      const env = { GATEWAY_ADMIN_KEY: 'admin-key-of-the-tests', GATEWAY_ADMIN_PORT: String(port) };
      const failed = await runCommand(directory, ['start', '--port', '0'], env);
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toMatch(
        /^Cannot start: listen EADDRINUSE: .* The port is in use: stop the other process, or set GATEWAY_ADMIN_PORT\.\nYour first API key is in .*first-key\.txt, /,
      );
      expect(failed.stderr).not.toContain('gw_');
      const [hint] = /gw_.{4}/.exec(readFileSync(firstKeyFile(directory), 'utf8')) ?? [];
      expect((await runCommand(directory, ['keys', 'list'])).stdout).toContain(`${hint}…`);
    });
  });

  test.runIf(existsSync('/proc/self'))('P-19 the store is in a folder that nobody can create', async () => {
    const env = { GATEWAY_API_KEY: KEY, GATEWAY_STORE_PATH: '/proc/gateway/keys/gateway.db' };
    expect(await runCommand(directory, ['start', '--port', '0'], env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Cannot start: the store \/proc\/gateway\/keys\/gateway\.db cannot be opened: ENOENT.*\n$/,
      ),
    });
  });

  test.each([
    [
      'an address that is not this machine’s',
      ['--host', '203.0.113.1'],
      {},
      1,
      /^Cannot start: listen EADDRNOTAVAIL.* HOST must be a name or an address of this machine, .*\n$/,
    ],
    [
      'a URL in place of a host',
      ['--host', 'http://localhost'],
      {},
      1,
      /^Cannot start: getaddrinfo .* http:\/\/localhost\. HOST must be a name or an address of this machine, .*\n$/,
    ],
    [
      'an address of IPv6 as URLs have it',
      ['--host', '[::1]'],
      {},
      1,
      /^Cannot start: getaddrinfo ENOTFOUND \[::1\]\. HOST must be .* such as 127\.0\.0\.1 or ::1 \(without brackets\), .*\n$/,
    ],
    [
      'an address of the admin listener that is not this machine’s',
      [],
      { GATEWAY_ADMIN_KEY: 'admin-key-of-the-tests', GATEWAY_ADMIN_HOST: '203.0.113.1' },
      1,
      /^Cannot start: listen EADDRNOTAVAIL.* GATEWAY_ADMIN_HOST must be a name or an address of this machine, .*\n$/,
    ],
    ['an invalid port', ['--port', 'many'], {}, 78, /^The configuration is not valid: port: .*\n$/],
    ['no workers', ['--workers', '0'], {}, 78, /^The configuration is not valid: workers: .*\n$/],
    [
      'a missing configuration',
      [],
      { GATEWAY_CONFIG: 'none.json' },
      78,
      /^The configuration file cannot be read: .*none\.json.*\n$/,
    ],
    [
      'a missing configuration named by the command, which takes precedence over the environment',
      ['--config', 'other.json'],
      { GATEWAY_CONFIG: 'none.json' },
      78,
      /^The configuration file cannot be read: .*other\.json does not exist\n$/,
    ],
    [
      'an invalid vendor address',
      [],
      { OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: 'nowhere' },
      78,
      /^The configuration is not valid: vendors\.openai\.baseUrl: .*\n$/,
    ],
  ] as const)('P-19 %s', async (_, args, env, code, said) => {
    const words = ['start', ...(args[0] === '--port' ? [] : ['--port', '0']), ...args];
    const run = await runCommand(directory, words, { GATEWAY_API_KEY: KEY, ...env });
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(said);
    expect(run.stdout).toBe('');
  });

  test.each([
    [
      '{ "port": 0, "keys": [{ "name": "a", "key": "a-key-of-theirs" ',
      /^The configuration file cannot be read: .*gateway\.config\.json: it is not valid JSON.*\n$/,
    ],
    [
      '{ "limits": { "inFlight": 0 }, "colour": "red" }',
      /^The configuration is not valid: .*gateway\.config\.json: limits\.inFlight: .*colour.*\n$/,
    ],
    [
      '["port"]',
      /^The configuration file cannot be read: .*gateway\.config\.json: it does not contain an object\n$/,
    ],
  ])('P-19 a bad configuration: %s', async (text, said) => {
    writeFileSync(join(directory, 'gateway.config.json'), text);
    const { code, stdout, stderr } = await runCommand(directory, ['start']);
    expect(code).toBe(78);
    expect(stderr).toMatch(said);
    expect(stderr).not.toContain('a-key-of-theirs');
    expect(stdout).toBe('');
  });
});

describe.runIf(hasPostgres())('P-40 a database that cannot be reached at the start', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  test.each([1, 2])('P-40 is waited for, in a line (%d)', async (workers) => {
    const database = new URL(await postgres.newDatabase());
    const to = Number(database.port);
    const door = createServer((socket) => {
      const inner = connect(to, database.hostname);
      socket.on('error', () => inner.destroy());
      inner.on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    database.port = String(await freePort());
    database.hostname = '127.0.0.1';
    const running = startCommand(directory, ['start', '--port', '0', '--workers', String(workers)], {
      GATEWAY_API_KEY: KEY,
      DATABASE_URL: database.href,
    });
    try {
      await eventually(() => running.stderr().includes('The start waits for it'), 'it waits');
      await bind(door, { host: '127.0.0.1', port: Number(database.port) });
      await eventually(() => running.stdout().includes('Console: '), 'it serves');
      expect(running.stderr()).toMatch(
        /^The store PostgreSQL \(127\.0\.0\.1\/\w+\) cannot be opened: .*ECONNREFUSED.*\. The start waits for it, for up to 60 s\.\n$/,
      );
    } finally {
      running.child.kill('SIGTERM');
      await running.ended;
      door.close();
    }
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'P-40 %s ends the wait at once, also the first process of a container, which needs a handler for it',
    async (signal) => {
      const running = startCommand(directory, ['start', '--port', '0'], {
        DATABASE_URL: 'postgres://127.0.0.1:1/gateway',
      });
      await eventually(() => running.stderr().includes('The start waits for it'), 'it waits');
      const since = performance.now();
      running.child.kill(signal);
      // A signal without a handler ends a process without a code, and does not end the first one of a container.
      expect((await running.ended).code).toBe(0);
      expect(performance.now() - since).toBeLessThan(5_000);
    },
  );

  test('P-40 only until the bound', async () => {
    writeFileSync(join(directory, 'gateway.config.json'), '{"store":{"wait":300}}');
    const run = await runCommand(directory, ['start', '--port', '0'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/gateway',
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/up to 1 s\.\nCannot start: the store PostgreSQL .*ECONNREFUSED.*\n$/);
  });

  test('P-40 one that refuses the gateway is not waited for, and commands wait for none', async () => {
    const database = new URL(await postgres.newDatabase());
    database.pathname = '/none';
    const run = await runCommand(directory, ['start', '--port', '0'], { DATABASE_URL: database.href });
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot start: .*does not exist.*\n$/),
    });
    const list = await runCommand(directory, ['keys', 'list'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/gateway',
    });
    expect(list).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Nothing was done: .*ECONNREFUSED/),
    });
  });
});

describe('P-03 SIGKILL', () => {
  test('P-03 in the middle of a stream: the next start serves on the same port, with the same key', async () => {
    const first = startCommand(directory, ['start', '--port', '0']);
    await eventually(() => first.stdout().includes('Console: '), 'it serves');
    const url = /http:\/\/[\d.]+:\d+/.exec(first.stdout())?.[0] ?? '';
    const key = /gw_[\w-]+/.exec(readFileSync(firstKeyFile(directory), 'utf8'))?.[0] ?? '';
    const body = JSON.stringify({
      model: 'anthropic/claude-sonnet-4-5',
      stream: true,
      messages: [{ role: 'user', content: 'Tell me a long story.' }],
    });
    const stream = await call(url, '/v1/chat/completions', body, key);
    expect(stream.status).toBe(200);
    first.child.kill('SIGKILL');
    // The stream is visibly cut off: it has no end that could be mistaken for a normal one.
    const cut = await stream.over;
    expect(cut.complete || cut.text.includes('[DONE]')).toBe(false);
    await first.ended;
    const second = startCommand(directory, ['start', '--port', new URL(url).port]);
    await eventually(() => second.stdout().includes('Gateway on'), 'it serves again');
    expect(second.stdout()).not.toContain('gw_');
    expect((await call(url, '/v1/chat/completions', body, key)).status).toBe(200);
    expect(statSync(join(directory, '.gateway')).mode & 0o077).toBe(0);
    second.child.kill('SIGTERM');
    second.child.kill('SIGTERM');
    await second.ended;
  });
});

test.each(['1', '2'])(
  'P-11 a start without a file, workers: %s: serves, and a SIGHUP reads a file that has appeared',
  async (workers) => {
    const running = startCommand(directory, ['start', '--port', '0', '--workers', workers], {
      GATEWAY_API_KEY: KEY,
    });
    try {
      await eventually(() => running.stdout().includes('Console: '), 'it serves');
      running.child.kill('SIGHUP');
      await eventually(() => running.stdout().includes('and is in force'), 'it is read again');
      const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(running.stdout()) ?? [];
      expect((await fetch(`${url}/health/live`, { headers: { connection: 'close' } })).status).toBe(200);
    } finally {
      running.child.kill('SIGTERM');
      expect((await running.ended).code).toBe(0);
    }
  },
);
