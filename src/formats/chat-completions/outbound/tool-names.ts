/** Names of tools and ids of calls that fit the rules of a service. The same name or id always gives the same result. */

import { flat } from '../../../lib/flat-text.ts';
import { fingerprint } from '../../safe-names.ts';
import type { Dialect } from '../dialect.ts';

const STRICT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NINE_CHARACTERS = /^[A-Za-z0-9]{9}$/;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A tool's name as the dialect takes it; a changed name ends in a digest of the original. */
export function toolNameFor(name: string, dialect: Dialect): string {
  if (dialect.toolNames === 'any' || STRICT_NAME.test(name)) return name;
  return flat(`${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest(name, 8)}`);
}

/** A call's id as the dialect takes it. A call and its result get the same id. */
export function callIdFor(id: string, dialect: Dialect): string {
  if (dialect.callIds === 'nine') return NINE_CHARACTERS.test(id) ? id : digest(id, 9);
  // OpenAI: 'string too long. Expected a string with maximum length 40'.
  if (dialect.callIds === 'forty' && id.length > 40) return flat(`call_${digest(id, 24)}`);
  return id;
}

/** A digest of `length` letters and digits: the text's fingerprint, extended to that length. */
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
