/** The line for somebody who has called the program wrongly: it says what is missing. */

import type { ArgsDef, CommandDef } from 'citty';
import { commandLine } from '../lib/command-line.ts';
import type { Environment } from '../lib/environment.ts';
import { isAlike } from '../lib/similar-names.ts';

/** A command that a command line names. */
interface Named {
  readonly command: CommandDef;
  /** The words that lead to it: `keys create`. */
  readonly words: readonly string[];
  /** The first word that names no command below it. */
  readonly rest: string | undefined;
}

/** Whether an error is citty's own for a command line that it does not understand. */
export function isUsageError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'CLIError';
}

/**
 * The line for a command line that is not understood.
 * @returns undefined if it is only the name of a command that has commands below it, for which the help is the answer.
 */
export async function describeUsageError(
  main: CommandDef,
  given: readonly string[],
  error: Error,
  environment: Environment,
): Promise<string | undefined> {
  const { command, words, rest } = await findCommand(main, given);
  const path = words.join(' ');
  const below = Object.keys((await resolve(command.subCommands)) ?? {});
  if (below.length > 0) {
    const commands = `Commands: ${below.join(', ')}.`;
    if (rest !== undefined) {
      const meant = below.find((name) => isAlike(rest.toLowerCase(), name));
      const advice = meant === undefined ? '' : `Did you mean ${[...words, meant].join(' ')}? `;
      return `Unknown command ${[...words, rest].join(' ')}. ${advice}${commands}`;
    }
    // Only the name of the option: its value may be a key.
    const option = given[words.length]?.split('=')[0];
    return option === undefined ? undefined : `Name a command before ${option}. ${commands}`;
  }
  const args: ArgsDef = (await resolve(command.args)) ?? {};
  const missing = Object.entries(args).filter(([, { type, required }]) => type === 'positional' && required);
  const names = missing.map(([name]) => name.toUpperCase()).join(' ');
  const usage = commandLine(environment, `${path} ${names}`.trim());
  return `${error.message.replace('Missing required positional argument:', 'Missing')}. Usage: ${usage}; options: ${commandLine(environment, path, '--help')}`;
}

async function findCommand(main: CommandDef, given: readonly string[]): Promise<Named> {
  let command = main;
  const words: string[] = [];
  for (const word of given) {
    if (word.startsWith('-')) break;
    const below = (await resolve(command.subCommands)) ?? {};
    if (Object.keys(below).length === 0) break;
    if (!Object.hasOwn(below, word)) return { command, words, rest: word };
    const next = await resolve(below[word]);
    if (next === undefined) break;
    command = next;
    words.push(word);
  }
  return { command, words, rest: undefined };
}

/** citty takes a value, a promise of it, or a function that returns either. */
async function resolve<T>(
  value: T | Promise<T> | (() => T | Promise<T>) | undefined,
): Promise<T | undefined> {
  return value instanceof Function ? value() : value;
}
