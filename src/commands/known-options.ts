/** Options nobody knows, and options without a value: citty lets both pass, and what is misspelt or empty would be unsaid. */

import type { ArgsDef } from 'citty';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { Refusal } from './refusal.ts';

/** @throws Refusal where something was said on the command line that is not among `known`, or a value is missing. */
export function refuseUnknown(
  said: { readonly _: readonly string[]; readonly [name: string]: unknown },
  known: ArgsDef,
): void {
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
    throw new Refusal(`Unexpected argument ${extra}. Options take their values as --option=value.`);
}

/** The format of this name, or undefined where none was given. @throws Refusal where there is no such format. */
export function formatNamed(name: string | undefined): FormatName | undefined {
  const format = FORMAT_NAMES.find((one) => one === name);
  if (name !== undefined && format === undefined)
    throw new Refusal(`There is no format ${name}. Use one of ${FORMAT_NAMES.join(', ')}.`);
  return format;
}

/** `--budget-day` is `--budgetDay` too. */
function spelling(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
