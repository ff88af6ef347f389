/** Processes to be measured: started on a core of their own if the system supports it, and observed. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Address } from './client.ts';

/** The only key of the measured gateway. */
export const KEY = 'gw-a-key-that-is-only-for-benches-0123456789';

const LOAD = import.meta.dirname;
const ROOT = join(LOAD, '../..');

export const PORTKEY_VERSION = '1.15.2';
const PORTKEY_PROGRAM = 'node_modules/@portkey-ai/gateway/build/start-server.js';

export interface Running extends Measured {
  readonly pid: number;
}

export interface Measured extends Address {
  /** Absent if the process is not visible here. */
  readonly pid?: number;
  stop(): void;
}

const canPin = cpus().length > 1 && existsSync('/usr/bin/taskset');

/** Puts this process, and those that it starts without another setting, on the core that is not measured. */
export function stepAside(): void {
  for (const thread of threadsOf(process.pid)) moveAside(process.pid, thread);
}

/** Leaves the measured core to the main thread of a process, whose id is that of the process. */
function putThreadsAside(pid: number): void {
  for (const thread of threadsOf(pid)) if (Number(thread) !== pid) moveAside(pid, thread);
}

function moveAside(pid: number, thread: string): void {
  if (!canPin) return;
  const { status } = spawnSync('taskset', ['-p', '-c', '1', thread], { stdio: 'ignore' });
  // A thread that has ended in the meantime cannot be moved.
  if (status !== 0 && threadsOf(pid).includes(thread))
    throw new Error(`A thread of ${pid} cannot be put on another core.`);
}

const threadsOf = (pid: number): readonly string[] => listProc(`${pid}/task`);

interface Start {
  /** The core it has to itself; absent: any. */
  readonly core?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** A file for its output; absent: the output is discarded. */
  readonly output?: string;
  /** Whether its standard error is discarded too. */
  readonly quiet?: boolean;
}

/** Starts a program and waits until its port answers. */
async function start(
  command: readonly string[],
  port: number,
  { core, env, folder = ROOT, output, quiet = false }: Start,
): Promise<Running> {
  const [program = '', ...rest] =
    canPin && core !== undefined ? ['taskset', '-c', core, ...command] : command;
  const printed = output === undefined ? 'ignore' : openSync(output, 'a');
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', printed, quiet ? 'ignore' : 'inherit'],
  });
  if (printed !== 'ignore') closeSync(printed);
  await listening(child, port);
  if (child.pid === undefined) throw new Error(`${command.join(' ')} did not start.`);
  return { host: '127.0.0.1', port, secure: false, pid: child.pid, stop: () => void child.kill('SIGKILL') };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`A process of the bench ended with ${child.exitCode}.`);
    try {
      // The first process to listen may be another one than the one that serves.
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`Nothing listens on ${port}.`);
}

const node = [process.execPath, '--disable-warning=ExperimentalWarning'];

export const startUpstream = (port: number): Promise<Running> =>
  start([...node, join(LOAD, 'upstream.ts'), String(port)], port, { core: '1' });

export const startBareProxy = (port: number, upstream: number): Promise<Running> =>
  start([...node, join(LOAD, 'bare-proxy.ts'), String(port), `http://127.0.0.1:${upstream}`], port, {
    core: '0',
  });

/** Settings of a gateway in addition to its defaults. */
export interface Settings {
  /** Fields of its configuration. */
  readonly config?: ConfigInput;
  /** Whether its output goes to a file or is discarded. */
  readonly printing?: boolean;
  /**
   * Where it may run: on `any` core, or its `main` thread on the measured one and the others beside the load.
   */
  readonly core?: 'any' | 'main';
  /**
   * The program, if it is not the gateway's own: it receives its port in PORT and reads the same
   * configuration.
   */
  readonly program?: readonly string[];
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it is stopped by a signal, so that it stops its own children, instead of being killed. */
  readonly gently?: boolean;
}

/** The gateway as users run it, in a folder of its own, which is deleted with it. */
export async function startGateway(
  port: number,
  upstream: number,
  settings: Settings = {},
): Promise<Running> {
  const { config = {}, env = {}, printing = false, core, gently = false } = settings;
  const { program = [join(ROOT, 'src/cli/gateway.js'), 'start'] } = settings;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const address = `http://127.0.0.1:${upstream}`;
  const written: ConfigInput = {
    keys: [{ name: 'bench', key: KEY }],
    ...config,
    vendors: {
      openai: { apiKey: 'sk-bench', baseUrl: `${address}/v1` },
      anthropic: { apiKey: 'sk-bench', baseUrl: address },
      google: { apiKey: 'sk-bench', baseUrl: address },
    },
  };
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(written));
  const running = await start([...node, ...program], port, {
    folder,
    env: { ...env, PORT: String(port) },
    ...(core !== 'any' && { core: '0' }),
    ...(printing && { output: join(folder, 'output') }),
  });
  if (core === 'main') putThreadsAside(running.pid);
  return {
    ...running,
    stop() {
      if (gently) process.kill(running.pid, 'SIGTERM');
      else running.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const RIVALS = join(ROOT, 'bench/results/rivals');

/** Whether Portkey's gateway is there: the first time it is installed from npm, beside the results. */
export function portkeyInstalled(): boolean {
  if (existsSync(join(RIVALS, PORTKEY_PROGRAM))) return true;
  mkdirSync(RIVALS, { recursive: true });
  const what = `@portkey-ai/gateway@${PORTKEY_VERSION}`;
  try {
    execFileSync('npm', ['install', '--no-save', '--prefix', RIVALS, '--ignore-scripts', what], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    console.error(`${what} could not be installed: it is not measured.`);
    return false;
  }
}

export function startPortkey(port: number): Promise<Running> {
  const shim = ['--import', join(LOAD, 'portkey-fetch.ts')];
  return start([...node, ...shim, join(RIVALS, PORTKEY_PROGRAM), `--port=${port}`, '--headless'], port, {
    core: '0',
    // It reports every Google stream as invalid JSON.
    quiet: true,
    env: { TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1', NODE_ENV: 'production' },
  });
}

/**
 * CPU time that a process has used with all its threads, in microseconds (Linux, "Scheduler Statistics":
 * schedstat's first field is nanoseconds on a CPU), and that of the processes it has started.
 */
export function cpuOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) {
    nanoseconds += nanosecondsOf(pid, thread);
    for (const child of readProc(`${pid}/task/${thread}/children`).split(' ')) {
      if (Number(child) > 0) nanoseconds += cpuOf(Number(child)) * 1000;
    }
  }
  return nanoseconds / 1000;
}

/** The same of its main thread alone, whose id is that of the process. */
export function mainCpuOf(pid: number): number {
  return nanosecondsOf(pid, String(pid)) / 1000;
}

function nanosecondsOf(pid: number, thread: string): number {
  return Number(readProc(`${pid}/task/${thread}/schedstat`).split(' ')[0]);
}

/** Memory of a process now and at its peak, in bytes. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readProc(`${pid}/status`);
  const field = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** Resets its peak memory (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  if (existsSync(`/proc/${pid}/clear_refs`)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function readProc(file: string): string {
  try {
    return readFileSync(join('/proc', file), 'utf8');
  } catch {
    return '';
  }
}

function listProc(folder: string): readonly string[] {
  try {
    return readdirSync(join('/proc', folder));
  } catch {
    return [];
  }
}
