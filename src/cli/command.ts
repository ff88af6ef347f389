/** What every command does around its work: it checks its options, reads the configuration, and reports a mistake. */

import { readFile, writeFile } from 'node:fs/promises';
import type { ArgsDef, CommandDef, ParsedArgs } from 'citty';
import type { Config } from '../config/schema.ts';
import { ConfigError } from '../lib/config-error.ts';
import { codeBehind, errorCode } from '../lib/error-code.ts';
import { escapeControlsInLines } from '../lib/escape-controls.ts';
import { CommandError } from './command-error.ts';
import { checkOptions } from './options.ts';

/** The exit code for a configuration that is not valid (sysexits.h, EX_CONFIG). */
const EX_CONFIG = 78;

/** A command of the program. */
export interface Command<Options extends ArgsDef> {
  readonly name: string;
  readonly description: string;
  /** What it takes; anything else is refused. */
  readonly options: Options;
  /** @throws CommandError for a mistake of the user */
  run(args: ParsedArgs<Options>): Promise<void>;
}

/**
 * Makes a command. A CommandError is printed as one line on standard error and sets the exit code; any other error is
 * thrown.
 */
export function command<const Options extends ArgsDef>({
  name,
  description,
  options,
  run,
}: Command<Options>): CommandDef<Options> {
  return {
    meta: { name, description },
    args: options,
    async run({ args }) {
      try {
        checkOptions(args, options);
        await run(args);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        console.error(escapeControlsInLines(error.message));
        process.exitCode = error.exitCode;
      }
    },
  };
}

/** What sets the address of a listener, as messages name it. */
interface Setters {
  /** Absent: it is always this machine. */
  readonly host?: string;
  readonly port: string;
}

const GATEWAY: Setters = { host: 'HOST', port: 'PORT (PORT=8790 npm start)' };

/** What sets the address of the admin listener. */
export const ADMIN: Setters = { host: 'GATEWAY_ADMIN_HOST', port: 'GATEWAY_ADMIN_PORT' };

/**
 * Awaits a value. If the user can mend the reason why there is none (a mistake in the configuration, a port in use, a
 * store that does not answer), the reason is printed and the process ends; any other error is thrown.
 * @param setters of the listener that the value opens, if it opens one.
 */
export async function orExit<T>(value: Promise<T>, setters = GATEWAY): Promise<T> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof ConfigError) {
      console.error(error.message);
      process.exit(EX_CONFIG);
    }
    if (error instanceof Error && 'code' in error) {
      console.error(`Cannot start: ${error.message}${adviseOnAddress(error, setters)}`);
      process.exit(1);
    }
    const { getReason, isOfDatabase } = await import('../store/store-errors.ts');
    if (!isOfDatabase(error)) throw error;
    console.error(`Cannot start: the store cannot be read: ${getReason(error)}`);
    process.exit(1);
  }
}

/** What to do about an address on which nothing can listen; '' for any other error. */
function adviseOnAddress(error: Error, { host, port }: Setters): string {
  const code = errorCode(error);
  const call = 'syscall' in error ? error.syscall : undefined;
  if (code === 'EADDRINUSE') return `. The port is in use: stop the other process, or set ${port}.`;
  if (host !== undefined && (call === 'getaddrinfo' || code === 'EADDRNOTAVAIL'))
    return `. ${host} must be a name or an address of this machine, such as 127.0.0.1 or ::1 (without brackets), or 0.0.0.0 for all (with IPv6 ::).`;
  if (call === 'listen' && code === 'EACCES') return `. This user may not open the port: set ${port}.`;
  return '';
}

/** The configuration of the current directory and environment. If it is not valid, the process ends with exit code 78. */
export async function readConfigHere(): Promise<Config> {
  const { readConfig } = await import('../config/load.ts');
  return orExit(readConfig(process.env, process.cwd()));
}

/** The bytes of a file that the command line names. @throws CommandError if the file cannot be read. */
export function readNamedFile(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be read${codeBehind(error)}.`);
  });
}

/** Writes a file that the command line names. @throws CommandError if it cannot be written, or exists without `force`. */
export async function writeNamedFile(file: string, text: string, force = false): Promise<void> {
  await writeFile(file, text, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST')
      throw new CommandError(`${file} already exists. Use --force to overwrite it.`);
    throw new CommandError(`${file} cannot be written${codeBehind(error)}.`);
  });
}
