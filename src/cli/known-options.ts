/**
 * Options nobody knows, options without a value, and those that npm has kept: citty lets all of them pass, and what is
 * misspelt, empty or in the wrong place would be unsaid.
 */

import type { ArgsDef } from 'citty';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { Refusal } from './refusal.ts';

/**
 * @throws Refusal where something was said on the command line that is not among `known`, a value is missing, or npm has
 *   taken an option for itself.
 */
export function refuseUnknown(
  said: { readonly _: readonly string[]; readonly [name: string]: unknown },
  known: ArgsDef,
): void {
  refuseTakenByNpm(known, process.env);
  const names = new Set(Object.keys(known).map(spelling));
  for (const name of Object.keys(said)) {
    if (name !== '_' && !names.has(spelling(name)))
      throw new Refusal(`Unknown option --${name}. See --help.`);
  }
  // Also what a shell makes of a variable that is not set: `--key "$TEAM"` would report everybody's usage.
  for (const [name, { type }] of Object.entries(known)) {
    if (type === 'string' && said[name] === '') throw new Refusal(`The option --${name} has no value.`);
  }
  const places = Object.values(known).filter(({ type }) => type === 'positional').length;
  const extra = said._[places];
  if (extra !== undefined)
    throw new Refusal(
      `Unexpected argument ${extra}. Options take their values as --option=value${byNpm(process.env) ? ', and come after --' : ''}.`,
    );
}

/** The format of this name, or undefined where none was given. @throws Refusal where there is no such format. */
export function formatNamed(name: string | undefined): FormatName | undefined {
  const format = FORMAT_NAMES.find((one) => one === name);
  if (name !== undefined && format === undefined)
    throw new Refusal(`There is no format ${name}. Use one of ${FORMAT_NAMES.join(', ')}.`);
  return format;
}

/**
 * What stands before `--` npm keeps as a setting of its own, of which a script hears as a variable (npm documentation,
 * "npm run-script", "config"): `npm run gateway keys create team --models X` would make a key for all models.
 */
function refuseTakenByNpm(known: ArgsDef, environment: NodeJS.ProcessEnv): void {
  if (!byNpm(environment)) return;
  for (const [name, { type }] of Object.entries(known)) {
    const kept = environment[npmSetting(name)];
    // A setting `key` of npm's own is a certificate's (npm documentation, "config").
    if (type === 'positional' || kept === undefined || kept.startsWith('-----BEGIN')) continue;
    const command = environment[SCRIPT] === 'start' ? 'npm start' : 'npm run gateway COMMAND';
    throw new Refusal(`npm has kept --${name} for itself. Options come after --: ${command} -- --${name}`);
  }
}

/** The name of the script that npm runs. */
const SCRIPT = 'npm_lifecycle_event';

function byNpm(environment: NodeJS.ProcessEnv): boolean {
  const script = environment[SCRIPT];
  return script === 'gateway' || script === 'start';
}

function npmSetting(name: string): string {
  return `npm_config_${name.replaceAll('-', '_').toLowerCase()}`;
}

/** `--budget-day` is `--budgetDay` too. */
function spelling(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
