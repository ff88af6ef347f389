/**
 * Tool names and call ids as OpenAI takes them: names of letters, digits, `_` and `-`, at most 64 (API reference,
 * function tool `name`), and call ids of at most 64 characters.
 */

import { fingerprint } from '../../safe-names.ts';

const VALID_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_ID = 64;

/** Returns `name` if it is valid; otherwise a valid one, always the same, and a different one for every other name. */
export function safeName(name: string): string {
  if (VALID_NAME.test(name)) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${hashSuffix(name)}`;
}

/** Returns `id` if it is short enough; otherwise a short one, always the same. */
export function safeCallId(id: string): string {
  return id.length <= MAX_ID ? id : `${id.slice(0, MAX_ID - 9)}_${hashSuffix(id)}`;
}

/** 8 hexadecimal digits. */
function hashSuffix(text: string): string {
  return fingerprint(text).toString(16).padStart(8, '0');
}
