/** Redis for tests: its own server, from Debian's package `redis-server` if it is installed, without persistence. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { isAvailable, REDIS } from './programs.ts';

export interface TestRedis {
  readonly url: string;
  /** Kills it. */
  stop(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  start(): Promise<void>;
  /** Makes it keep its connections and answer nothing, then answer again. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Whether tests can use a Redis here. @throws Error if REQUIRE_REDIS requires one and there is none. */
export function hasRedis(): boolean {
  return isAvailable(REDIS);
}

/** @param mode what the server is instead of a single Redis: a node of a cluster without slots, or a Sentinel. */
export async function startRedis(mode?: 'cluster' | 'sentinel'): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-redis-'));
  const port = await freePort();
  let server = await run();
  const kill = (): boolean => server.kill('SIGKILL');
  process.once('exit', kill);

  async function run(): Promise<ChildProcess> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
    const kept = ['--save', '', '--appendonly', 'no'];
    // By default nodes talk to each other on a port 10,000 above the other one. If that is taken, Redis ends.
    if (mode === 'cluster') kept.push('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
    // A Sentinel needs a file for its state.
    const file = join(directory, 'sentinel.conf');
    if (mode === 'sentinel') await writeFile(file, '');
    const all = mode === 'sentinel' ? [file, '--sentinel', ...settings] : [...settings, ...kept];
    const started = spawn('redis-server', all, { stdio: 'ignore' });
    await listening(port);
    return started;
  }

  async function stop(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    async start() {
      server = await run();
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async close() {
      process.off('exit', kill);
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = new Socket();
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.connect(port, '127.0.0.1');
    });
    socket.destroy();
    if (connected) return;
    await pause(25);
  }
  throw new Error('Redis did not start within 5 seconds.');
}
