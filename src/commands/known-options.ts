/** Options nobody knows: citty lets them pass, and a limit that is misspelt would be none. */

import type { ArgsDef } from 'citty';
import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { Refusal } from './refusal.ts';

/** @throws Refusal where something was said on the command line that is not among `known`. */
export function refuseUnknown(said: { readonly _: readonly string[] }, known: ArgsDef): void {
  const names = new Set(Object.keys(known).map(spelling));
  for (const name of Object.keys(said)) {
    if (name !== '_' && !names.has(spelling(name))) throw new Refusal(`There is no option --${name}.`);
  }
  const places = Object.values(known).filter(({ type }) => type === 'positional').length;
  const extra = said._[places];
  if (extra !== undefined)
    throw new Refusal(`What is ${extra}? Options take their values as --option=value.`);
}

/** The format of this name, or undefined where none was given. @throws Refusal where there is no such format. */
export function formatNamed(name: string | undefined): FormatName | undefined {
  const format = FORMAT_NAMES.find((one) => one === name);
  if (name !== undefined && format === undefined)
    throw new Refusal(`There is no format ${name}: it is one of ${FORMAT_NAMES.join(', ')}.`);
  return format;
}

/** `--budget-day` is `--budgetDay` too. */
function spelling(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
