/**
 * Function names as Gemini takes them: letters, digits, `_`, `.`, `:` and `-`, with a letter or `_` first, at most 128
 * characters (REST reference, FunctionDeclaration.name). OpenAI's names may begin with a digit or `-`, and other
 * vendors allow still more.
 */

import { fingerprint } from '../../safe-names.ts';

const FITS = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** The name itself if Gemini takes it; else one that it takes, which is always the same and differs for each name. */
export function safeName(name: string): string {
  if (FITS.test(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 110);
  return `${/^[A-Za-z_]/.test(plain) ? '' : '_'}${plain}_${fingerprint(name).toString(36)}`;
}

/**
 * What Gemini calls the module of the caller's functions. At times it writes it before the name of one, and no client
 * has a tool of that name (diegosouzapw/OmniRoute#9273).
 */
const MODULE = /^default_api[.:]/;

/** The name of the function that a call means, as it was sent to Gemini. */
export function stripModule(name: string): string {
  return name.replace(MODULE, '');
}
