/** Processes to be measured: started on a core of their own where the system can say so, and watched. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

/** The one way to authenticate at the gateway under measure. */
export const KEY = 'gw-a-key-that-is-only-for-benches-0123456789';

const LOAD = import.meta.dirname;
const ROOT = join(LOAD, '../..');
const PORTKEY = '@portkey-ai/gateway@1.15.2';

export interface Measured {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

const canPin = cpus().length > 1 && existsSync('/usr/bin/taskset');

/** Puts this process, and what it starts without saying otherwise, on the core that is not measured. */
export function stepAside(): void {
  if (canPin) execFileSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)], { stdio: 'ignore' });
}

/**
 * Starts a program and waits until its port answers.
 * @param core the core it has for itself.
 */
async function start(
  command: readonly string[],
  port: number,
  core: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const [program = '', ...rest] = canPin ? ['taskset', '-c', core, ...command] : command;
  const child = spawn(program, rest, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await listening(child, port);
  if (child.pid === undefined) throw new Error(`${command.join(' ')} did not start.`);
  return { port, pid: child.pid, stop: () => void child.kill('SIGKILL') };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`A process of the bench ended with ${child.exitCode}.`);
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`Nothing listens on ${port}.`);
}

const node = [process.execPath, '--disable-warning=ExperimentalWarning'];

export const startUpstream = (port: number): Promise<Measured> =>
  start([...node, join(LOAD, 'upstream.ts'), String(port)], port, '1');

export const startBareProxy = (port: number, upstream: number): Promise<Measured> =>
  start([...node, join(LOAD, 'bare-proxy.ts'), String(port), `http://127.0.0.1:${upstream}`], port, '0');

/** The gateway as users run it, in a folder of its own. */
export const startGateway = (port: number, upstream: number): Promise<Measured> => {
  const address = `http://127.0.0.1:${upstream}`;
  return start([...node, join(ROOT, 'src/cli.js'), 'start'], port, '0', {
    PORT: String(port),
    GATEWAY_API_KEY: KEY,
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${address}/v1`,
    ANTHROPIC_API_KEY: 'sk-bench',
    ANTHROPIC_BASE_URL: address,
    GEMINI_API_KEY: 'sk-bench',
    GEMINI_BASE_URL: address,
  });
};

/** Portkey's gateway, installed from npm beside the results the first time; undefined where that cannot be done. */
export async function startPortkey(port: number): Promise<Measured | undefined> {
  const folder = join(ROOT, 'bench/results/rivals');
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('npm', ['install', '--no-save', '--prefix', folder, '--ignore-scripts', PORTKEY], {
        stdio: 'ignore',
      });
    } catch {
      console.error(`${PORTKEY} could not be installed: it is not measured.`);
      return undefined;
    }
  }
  const shim = ['--import', join(LOAD, 'portkey-fetch.ts')];
  return start([...node, ...shim, program, `--port=${port}`, '--headless'], port, '0', {
    TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1',
    NODE_ENV: 'production',
  });
}

/** CPU time a process has used, in microseconds (proc(5), fields 14 and 15, in ticks of 10 ms). */
export function cpuOf(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Memory of a process now and at its highest, in bytes. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readProc(pid, 'status');
  const field = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
