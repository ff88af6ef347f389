/** The program's commands for tests, each in its own process. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { BUILT_PROGRAM } from './built-program.ts';

/** The program of the sources, for tests of the modules that it loads, or that reach into them. */
export const SOURCE_PROGRAM = resolve(import.meta.dirname, '../../src/cli/gateway.js');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<CommandResult>;
}

/** Starts `gateway <words>` in `directory`. */
export function startCommand(
  directory: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = BUILT_PROGRAM,
): RunningCommand {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<CommandResult>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Runs `gateway <words>` in `directory`, until it ends. */
export function runCommand(...command: Parameters<typeof startCommand>): Promise<CommandResult> {
  return startCommand(...command).ended;
}
