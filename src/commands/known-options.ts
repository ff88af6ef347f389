/** Options nobody knows: citty lets them pass, and a limit that is misspelt would be none. */

import type { ArgsDef } from 'citty';
import { Refusal } from './with-store.ts';

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

/** `--budget-day` is `--budgetDay` too. */
function spelling(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
