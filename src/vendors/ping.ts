/** Signs of life in a stream: bytes that say nothing but that the vendor is still there. */

import { asBuffer } from '../as-buffer.ts';

/** No sign of life is longer, and hardly a word of an answer is shorter. */
const LONGEST = 128;

const COLON = 0x3a;
const LETTER_P = 0x70;

/** Comments (`: OPENROUTER PROCESSING`) and events named `ping` (Anthropic), and nothing beside them. */
const PINGS = /^(?:(?::[^\r\n]*|event: ping\r?\ndata:[^\r\n]*)?\r?\n)+$/;

/** Whether a piece of a stream is signs of life and nothing else. Cheap for what is not. */
export function isPing(chunk: Uint8Array): boolean {
  if (chunk.byteLength > LONGEST || (chunk[0] !== COLON && chunk[7] !== LETTER_P)) return false;
  return PINGS.test(asBuffer(chunk).toString('latin1'));
}
