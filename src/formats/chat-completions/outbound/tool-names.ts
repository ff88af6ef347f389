/** Names of tools and ids of calls within a service's rules: made to fit, the same each time. */

import { fingerprint } from '../../safe-names.ts';
import type { Dialect } from '../dialect.ts';

const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const NINE = /^[A-Za-z0-9]{9}$/;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A tool's name as the dialect takes it. */
export function toolNameFor(name: string, dialect: Dialect): string {
  if (dialect.toolNames === 'any' || FITS.test(name)) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest(name, 8)}`;
}

/** A call's id as the dialect takes it: the same for the call and its result. */
export function callIdFor(id: string, dialect: Dialect): string {
  if (dialect.callIds === 'nine') return NINE.test(id) ? id : digest(id, 9);
  // OpenAI: 'string too long. Expected a string with maximum length 40'.
  if (dialect.callIds === 'forty' && id.length > 40) return `call_${digest(id, 24)}`;
  return id;
}

/** `length` letters and digits that a text always has (its fingerprint, run on to the length). */
function digest(text: string, length: number): string {
  let hash = fingerprint(text);
  let made = '';
  let second = hash ^ text.length;
  for (let at = 0; at < length; at++) {
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    second =
      Math.imul(second + 0x9e3779b9 + text.charCodeAt(at % Math.max(1, text.length)), 0x01000193) >>> 0;
    made += LETTERS.charAt(((hash ^ second) >>> 7) % LETTERS.length);
  }
  return made;
}
