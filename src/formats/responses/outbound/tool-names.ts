/**
 * Tool names and call ids as OpenAI takes them: names of letters, digits, `_` and `-`, at most 64 (API reference,
 * function tool `name`), and `call_id` of at most 64 characters.
 */

import { fingerprint } from '../../safe-names.ts';

const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_ID = 64;

/** `name` where it fits; else one that does, always the same, and another for every other name. */
export function safeName(name: string): string {
  if (FITS.test(name)) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${mark(name)}`;
}

/** `id` where it is short enough; else a short one, always the same. */
export function safeCallId(id: string): string {
  return id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 9)}_${mark(id)}`;
}

/** 8 hexadecimal digits. */
function mark(text: string): string {
  return fingerprint(text).toString(16).padStart(8, '0');
}
