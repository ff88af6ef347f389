/** The names of formats that a program gives, which JavaScript does not check. */

import { FORMAT_NAMES, type FormatName } from '../conversation/format-name.ts';

/** Checks names of formats. @throws TypeError if there is no such format. */
export function checkFormats(...names: readonly FormatName[]): void {
  for (const name of names)
    if (!FORMAT_NAMES.includes(name))
      throw new TypeError(`Unknown format "${name}". Use one of ${FORMAT_NAMES.join(', ')}.`);
}
