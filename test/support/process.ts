/**
 * A gateway for tests in its own process: its output, its resources and what it leaves behind can be seen from outside.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import { BUILT_PROGRAM } from './built-program.ts';
import { KEY } from './gateway.ts';
import { readStat } from './process-tree.ts';
import { eventually } from './raw.ts';

export interface GatewayProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The directory in which it was started: its configuration and everything it keeps. */
  readonly directory: string;
  /** Its output so far, standard output and standard error together. */
  output(): string;
  /** The whole lines of it. What is longer than a pipe takes at once arrives in parts. */
  lines(): readonly string[];
  /** Standard output and standard error, separately. */
  written(): { readonly stdout: string; readonly stderr: string };
  /** Whether it still runs. */
  alive(): boolean;
  /** Resident memory, in bytes. */
  memory(): number;
  /** Processor time used so far, in milliseconds; a busy machine adds nothing to it. */
  cpu(): number;
  /** How many sockets it has open, the listening ones included. */
  sockets(): number;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code when it has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Ends it, whatever it is doing, and removes its directory. */
  close(): Promise<void>;
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for Node itself. */
  readonly execArgv?: readonly string[];
  /** Shell words before the program, e.g. `ulimit -n 256;`. */
  readonly shell?: string;
  /** The program; absent: the built one. */
  readonly program?: string;
  /** Starts without KEY, as a first start does. */
  readonly keyless?: boolean;
}

/** Starts `gateway start` with a configuration and adds one unrestricted key, KEY. Its chain runs as the test's does. */
export async function spawnGateway(
  input: ConfigInput = {},
  { env = {}, execArgv = [], shell, program = BUILT_PROGRAM, keyless = false }: ProcessOptions = {},
): Promise<GatewayProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const config = {
    port: 0,
    sandbox: { pace: 'none' },
    ...input,
    keys: [...(keyless ? [] : [{ name: 'test', key: KEY }]), ...(input.keys ?? [])],
  };
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(config));
  const command = [process.execPath, ...execArgv, program, 'start'];
  const { PATH, GATEWAY_CHAIN } = process.env;
  const child = spawn(
    ...(shell === undefined ? split(command) : split(['sh', '-c', `${shell} exec "$@"`, 'sh', ...command])),
    { cwd: directory, env: { PATH, GATEWAY_CHAIN, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      written[name] += chunk;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const url = await firstUrl(child, () => output);
  const pid = child.pid ?? 0;
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    port: Number(new URL(url).port),
    pid,
    directory,
    output: () => output,
    lines: () => output.split('\n').slice(0, -1),
    written: () => ({ ...written }),
    alive: running,
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    cpu: () => cpuTime(pid),
    sockets: () => openSockets(pid),
    signal: (name) => child.kill(name),
    ended,
    async close() {
      if (running()) child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The file in which a first start without a terminal leaves its key. */
export function firstKeyFile(directory: string): string {
  return join(directory, '.gateway', 'first-key.txt');
}

/** The key that a first start has made. */
export async function firstKeyOf({ directory, output }: GatewayProcess): Promise<string> {
  await eventually(() => output().includes('Console: '), 'it serves');
  return /gw_[\w-]+/.exec(readFileSync(firstKeyFile(directory), 'utf8'))?.[0] ?? '';
}

function split(command: readonly string[]): [program: string, args: string[]] {
  const [program = '', ...args] = command;
  return [program, args];
}

function firstUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((found, failed) => {
    const look = (): void => {
      const match = /https?:\/\/[\d.]+:\d+/.exec(output());
      if (match === null) return;
      found(match[0]);
      // To search a string that has grown by pieces, V8 first copies all of it.
      child.stdout?.off('data', look);
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => failed(new Error(`The gateway ended with ${code}:\n${output()}`)));
  });
}

/** From /proc, which counts in hundredths of a second. */
function cpuTime(pid: number): number {
  const fields = readStat(pid);
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith('socket:');
    } catch {
      return false; // closed between the two reads
    }
  }).length;
}
