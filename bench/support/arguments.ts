/** The command line of a bench; an unknown option is rejected in one line, before anything is measured. */

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** sysexits EX_USAGE. */
export const EX_USAGE = 64;

/** Ends the process with a line that gives the reason. */
export function refuse(reason: string): never {
  console.error(reason);
  process.exit(EX_USAGE);
}

/** The values of `options`; those with a number as default are positive numbers. */
export function argumentsOf<const O extends ParseArgsOptionsConfig>(options: O) {
  const known = Object.entries(options).map(
    ([name, { type }]) => `--${name}${type === 'string' ? '=…' : ''}`,
  );
  const { values } = parsed(options, known);
  for (const [name, { default: usual }] of Object.entries(options)) {
    if (![usual].flat().every(isNumber)) continue;
    for (const value of [Object(values)[name]].flat()) {
      if (!isNumber(value)) refuse(`--${name}: ${value} is no number above 0`);
    }
  }
  return values;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && Number(value) > 0 && Number.isFinite(Number(value));
}

function parsed<const O extends ParseArgsOptionsConfig>(options: O, known: readonly string[]) {
  try {
    return parseArgs({ options });
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('. ');
    return refuse(`${reason}. There is: ${known.join(' ')}`);
  }
}
