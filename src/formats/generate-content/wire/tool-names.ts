/**
 * Function names as Gemini takes them: letters, digits, `_`, `.`, `:` and `-`, a letter or `_` first, at most 128
 * (REST reference, FunctionDeclaration.name). OpenAI's may begin with a digit or `-`, and others are freer still.
 */

import { fingerprint } from '../../safe-names.ts';

const FITS = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** `name` where it fits; else one that does, always the same, and another for every other name. */
export function safeName(name: string): string {
  if (FITS.test(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 110);
  return `${/^[A-Za-z_]/.test(plain) ? '' : '_'}${plain}_${fingerprint(name).toString(36)}`;
}

/**
 * What Gemini calls the module that the caller's functions stand in: it says it before the name of one at times, for
 * which no client has a tool (diegosouzapw/OmniRoute#9273).
 */
const MODULE = /^default_api[.:]/;

/** The name of the function that a call means. */
export function calledName(name: string): string {
  return name.replace(MODULE, '');
}
