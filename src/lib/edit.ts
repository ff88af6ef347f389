/** Texts that take the place of some bytes. */

import { bytesOfText, concatBytes } from './bytes.ts';
import type { Span } from './json-bytes.ts';

/** A text that takes the place of some bytes, of JSON as a rule. */
export interface Edit extends Span {
  readonly text: string;
}

/** Copies the bytes with `text` in place of the value at the span. */
export function spliced(bytes: Uint8Array, { start, end }: Span, text: string): Uint8Array {
  return concatBytes([bytes.subarray(0, start), bytesOfText(text), bytes.subarray(end)]);
}
