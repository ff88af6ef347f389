/** Names of tools as Anthropic accepts them: `^[a-zA-Z0-9_-]{1,128}$`. */

import { flat } from '../../../lib/flat-text.ts';
import { fingerprint } from '../../safe-names.ts';
import { replaceUnsafe } from '../wire/ids.ts';

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** Returns the name if Anthropic accepts it, otherwise one that it accepts. Different names stay different. */
export function safeName(name: string): string {
  return NAME.test(name) ? name : fitText(name, 110);
}

/**
 * Makes a text of letters that are accepted everywhere.
 * @param length the number of characters that are kept. A fingerprint follows them, which tells the text from all others.
 */
export function fitText(text: string, length: number): string {
  return flat(`${replaceUnsafe(text).slice(0, length)}_${fingerprint(text).toString(36)}`);
}
