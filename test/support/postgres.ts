/**
 * PostgreSQL for tests: the server at DATABASE_URL_TEST if that is set, else a cluster in a temporary directory, from
 * the programs of Debian's package `postgresql` if they are installed. Nothing else has to run.
 */

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { isAvailable, POSTGRES, postgresPrograms } from './programs.ts';

export interface TestPostgres {
  /** The address of a database that nobody else uses. */
  newDatabase(): Promise<string>;
  /** Stops the server as a crash would, and starts it again. Only for a cluster of its own. */
  readonly cluster?: { stop(): Promise<void>; start(): Promise<void> };
  close(): Promise<void>;
}

/** Whether tests can use a PostgreSQL here. @throws Error if REQUIRE_POSTGRES requires one and there is none. */
export function hasPostgres(): boolean {
  return isAvailable(POSTGRES);
}

export async function startPostgres(): Promise<TestPostgres> {
  const url = process.env['DATABASE_URL_TEST'];
  if (url) {
    const made: string[] = [];
    return {
      newDatabase: () => createDatabase(url, made),
      close: () => dropDatabases(url, made),
    };
  }
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('There is no PostgreSQL here.');
  return startCluster(bin);
}

async function startCluster(bin: string): Promise<TestPostgres> {
  const owner = owningUser();
  const directory = await mkdtemp(join(tmpdir(), 'gateway-postgres-'));
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');
  const options = ['--auth=trust', '--username=postgres', '--no-sync', '--encoding=UTF8', '--locale=C'];
  await promisify(execFile)(join(bin, 'initdb'), [...options, '-D', data], { ...owner, cwd: directory });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];

  let server = run();
  const kill = (): boolean => server.kill('SIGKILL');
  process.once('exit', kill);
  await answering(url);
  return {
    newDatabase: () => createDatabase(url, []),
    cluster: {
      stop: () => end('SIGQUIT'),
      async start() {
        server = run();
        await answering(url);
      },
    },
    async close() {
      process.off('exit', kill);
      await end('SIGQUIT');
      await rm(directory, { recursive: true, force: true });
    },
  };

  function run() {
    const parameters = settings.flatMap((setting) => ['-c', setting]);
    return spawn(join(bin, 'postgres'), ['-D', data, ...parameters], {
      ...owner,
      cwd: directory,
      stdio: 'ignore',
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }
}

/** PostgreSQL does not run as root; Debian's package adds a user for it. */
function owningUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (connected) return;
    await pause(50);
  }
  throw new Error('PostgreSQL did not start within 10 seconds.');
}

async function createDatabase(url: string, made: string[]): Promise<string> {
  const name = `gateway_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await execute(url, `create database ${name}`);
  made.push(name);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function dropDatabases(url: string, names: readonly string[]): Promise<void> {
  for (const name of names) await execute(url, `drop database ${name} with (force)`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
