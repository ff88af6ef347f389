/**
 * Checks of options that citty does not make: it accepts unknown options, options without a value, of several values the
 * last one, and cannot see those that npm swallowed. Also the kinds of values that several commands take.
 */

import type { ArgsDef } from 'citty';
import type { z } from 'zod';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { isRunByNpm, NPM_SCRIPT } from '../lib/command-line.ts';
import { CommandError } from './command-error.ts';

/** What citty parsed: the positional arguments under `_`, and each option by its name. */
interface ParsedArgs {
  readonly _: readonly string[];
  readonly [name: string]: unknown;
}

/**
 * Checks a command line against the options that a command declares.
 * @throws CommandError for an unknown option, an option without a value or with two, an extra argument, or an option that npm
 * swallowed.
 */
export function checkOptions(args: ParsedArgs, declared: ArgsDef): void {
  refuseSwallowedByNpm(declared, process.env);
  checkGiven(declared, process.argv);
  refuseUnknown(args, Object.keys(declared));
  // A shell also produces this from a variable that is not set: `--key "$TEAM"` would report the usage of all keys.
  for (const [name, { type }] of Object.entries(declared)) {
    // citty takes `--no-models` for `models: false`.
    if (type !== 'boolean' && args[name] === false)
      throw new CommandError(`Unknown option --no-${name}. See --help.`);
    if (type === 'string' && args[name] === '') throw new CommandError(`The option --${name} has no value.`);
  }
  const positionals = Object.values(declared).filter(({ type }) => type === 'positional').length;
  const extra = args._[positionals];
  if (extra !== undefined)
    throw new CommandError(
      `Unexpected argument ${extra}. Write options as --option=value${isRunByNpm(process.env) ? ', after a separate --' : ''}.`,
    );
}

function refuseUnknown(args: ParsedArgs, names: readonly string[]): void {
  const known = new Set(['_', ...names, ...names.map(toCamelCase)]);
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const meant = names.find((name) => toLetters(name) === toLetters(unknown));
  const advice = meant === undefined ? 'See --help.' : `Did you mean --${meant}?`;
  throw new CommandError(`Unknown option --${unknown}. ${advice}`);
}

/**
 * npm keeps options before `--` as settings of its own and passes them to the script as variables (npm documentation,
 * "npm run-script", "config"): `npm run gateway keys create team --models X` would create a key for all models.
 */
function refuseSwallowedByNpm(declared: ArgsDef, environment: NodeJS.ProcessEnv): void {
  if (!isRunByNpm(environment)) return;
  for (const [name, { type }] of Object.entries(declared)) {
    const swallowed = environment[`npm_config_${name.replaceAll('-', '_').toLowerCase()}`];
    // npm has a setting `key` of its own, which holds a certificate's key (npm documentation, "config").
    if (type === 'positional' || swallowed === undefined || swallowed.startsWith('-----BEGIN')) continue;
    const command = environment[NPM_SCRIPT] === 'start' ? 'npm start' : 'npm run gateway COMMAND';
    throw new CommandError(
      `npm swallowed --${name}. Put options after a separate --: ${command} -- --${name}`,
    );
  }
}

/**
 * Of `--model-limits A --model-limits B` the key would have B alone, and nobody would notice. Nor would they notice that
 * `--key $TEAM --simulated`, with a variable that is not set, reports the usage of a key named `--simulated`.
 */
function checkGiven(declared: ArgsDef, words: readonly string[]): void {
  const end = words.indexOf('--');
  const given = words.slice(0, end < 0 ? undefined : end);
  for (const [name, { type }] of Object.entries(declared)) {
    if (type !== 'string') continue;
    const spellings = [`--${name}`, `--${toCamelCase(name)}`];
    if (given.some((word, at) => spellings.includes(word) && given[at + 1]?.startsWith('--')))
      throw new CommandError(`The option --${name} has no value.`);
    const count = given.filter((word) => spellings.includes(word.split('=', 1)[0] ?? '')).length;
    if (count > 1) throw new CommandError(`The option --${name} is given more than once.`);
  }
}

/** citty takes `--budgetDay` for `--budget-day`, but no other spelling: it would ignore `--budgetday=5`. */
function toCamelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toLetters(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

/** The format of a name; undefined if no name was given. @throws CommandError if there is no such format. */
export function parseFormat(name: string | undefined, exitCode?: number): FormatName | undefined {
  const format = FORMAT_NAMES.find((one) => one === name);
  if (name !== undefined && format === undefined)
    throw new CommandError(`Unknown format ${name}. Use one of ${FORMAT_NAMES.join(', ')}.`, exitCode);
  return format;
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration such as `90s`, `30m`, `12h`, `30d` or `2w`, in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(count) * size;
}

/** A whole number from `min` to `max`. @throws CommandError that names the option. */
export function parseWholeNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new CommandError(`--${option}: ${text} is not a whole number from ${min} to ${max}.`);
  return value;
}

/**
 * Option values as `schema` parses them.
 * @param subject what the message calls the value if it is not one of several options.
 * @throws CommandError that names the first option that is not valid.
 */
export function parseOptions<S extends z.ZodType>(values: unknown, schema: S, subject = ''): z.output<S> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [option, ...inner] = (issue?.path ?? [])
    .filter((part) => typeof part === 'string')
    .map((part) => part.replaceAll('_', '-'));
  const field = option === undefined ? subject : [`--${option}:`, ...inner].join(' ');
  throw new CommandError(`${field} ${issue?.message ?? 'is not valid'}`);
}
