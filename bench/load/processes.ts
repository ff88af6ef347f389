/** Processes to be measured, started on a core of their own if the system supports it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Address } from './client.ts';
import { threadsOf, treeOf } from './observe.ts';

/** The only key of the measured gateway. */
export const KEY = 'gw-a-key-that-is-only-for-benches-0123456789';

const LOAD = import.meta.dirname;
const ROOT = join(LOAD, '../..');

/** Seconds for a program to listen: Python programs need many on a busy machine. */
const PATIENCE = 120;

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

interface Start {
  /** The core it has to itself; absent: any. */
  readonly core?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** A file in its folder for its output; absent: the output is discarded. */
  readonly output?: string;
  /** Whether its standard error is discarded too. */
  readonly quiet?: boolean;
}

/** Starts a program and waits until its port answers. Stopping it also stops what it has started. */
export async function start(
  command: readonly string[],
  port: number,
  { core, env, folder = ROOT, output, quiet = false }: Start,
): Promise<Running> {
  const [program = '', ...rest] =
    canPin && core !== undefined ? ['taskset', '-c', core, ...command] : command;
  const printed = output === undefined ? 'ignore' : openSync(join(folder, output), 'a');
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', printed, quiet ? 'ignore' : 'inherit'],
  });
  if (printed !== 'ignore') closeSync(printed);
  const { pid } = child;
  let stopped = false;
  child.once('exit', (code, signal) => {
    if (!stopped) console.error(`${command.join(' ')}: ended with ${code ?? signal} by itself.`);
  });
  const stop = (): void => {
    stopped = true;
    for (const process of pid === undefined ? [] : treeOf(pid)) killed(process);
  };
  try {
    await listening(child, port, command.join(' '));
    if (pid === undefined) throw new Error(`${command.join(' ')} did not start.`);
  } catch (error) {
    stop();
    throw error;
  }
  return { host: '127.0.0.1', port, secure: false, pid, stop };
}

/** @param files their names and contents: a folder of its own, which is deleted when the program stops. */
export async function startAmong(
  files: Readonly<Record<string, string>>,
  command: readonly string[],
  port: number,
  options: Start,
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const running = await start(command, port, { ...options, folder }).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    ...running,
    stop() {
      running.stop();
      remove();
    },
  };
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function listening(child: ChildProcess, port: number, command: string): Promise<void> {
  const until = performance.now() + PATIENCE * 1000;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`${command}: ended with ${child.exitCode}.`);
    try {
      // The first process to listen may be another one than the one that serves.
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`${command}: nothing listens on ${port}.`);
}

export const node = [process.execPath, '--disable-warning=ExperimentalWarning'];

export const startUpstream = (port: number): Promise<Running> =>
  start([...node, join(LOAD, 'upstream.ts'), String(port)], port, { core: '1' });

/** @param ca a file with the authority of the vendor's certificate, if it speaks TLS. */
export const startBareProxy = (port: number, upstream: number, ca?: string): Promise<Running> =>
  start([...node, join(LOAD, 'bare-proxy.ts'), String(port), addressOf(upstream, ca)], port, {
    core: '0',
    ...(ca !== undefined && { env: { NODE_EXTRA_CA_CERTS: ca } }),
  });

const addressOf = (upstream: number, ca: string | undefined): string =>
  ca === undefined ? `http://127.0.0.1:${upstream}` : `https://localhost:${upstream}`;

/** Settings of a gateway in addition to its defaults. */
export interface Settings {
  /** Fields of its configuration. */
  readonly config?: ConfigInput;
  /** A file with the authority of the vendors' certificate, if they speak TLS. */
  readonly ca?: string;
  /** Whether the vendors are asked by HTTP/2. */
  readonly http2?: boolean;
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
}

/** The program that npm and the image have. The scripts of the benches build it first. */
export const BUILT = join(ROOT, 'dist/gateway.js');

/**
 * The gateway as users run it, in a folder of its own, which is deleted with it.
 * @throws Error if it is not built.
 */
export async function startGateway(
  port: number,
  upstream: number,
  settings: Settings = {},
): Promise<Running> {
  const { config = {}, env = {}, ca, http2 = false, printing = false, core } = settings;
  const { program = [BUILT, 'start'] } = settings;
  if (program.includes(BUILT) && !existsSync(BUILT)) throw new Error(`${BUILT} is missing: npm run build`);
  const address = addressOf(upstream, ca);
  const over = ca === undefined ? {} : { tls: { caFile: ca }, http2 };
  const vendor = { apiKey: 'sk-bench', baseUrl: address, ...over };
  const written: ConfigInput = {
    keys: [{ name: 'bench', key: KEY }],
    ...config,
    vendors: {
      openai: { ...vendor, baseUrl: `${address}/v1` },
      anthropic: vendor,
      google: vendor,
    },
  };
  const files = { 'gateway.config.json': JSON.stringify(written) };
  const running = await startAmong(files, [...node, ...program], port, {
    env: { ...env, PORT: String(port) },
    ...(core !== 'any' && { core: '0' }),
    ...(printing && { output: 'output' }),
  });
  if (core === 'main') putThreadsAside(running.pid);
  return running;
}
