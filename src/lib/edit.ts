/** Texts that take the place of some bytes. */

import type { Span } from './json-bytes.ts';

/** A text that takes the place of some bytes, of JSON as a rule. */
export interface Edit extends Span {
  readonly text: string;
}
