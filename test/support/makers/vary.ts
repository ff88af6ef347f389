/**
 * Puts a refusal into other words. Vendors differ in how they say the same, they change it, and services before them wrap
 * it or say nothing at all; so a gateway must not depend on words. The choice depends on a seed and on what is refused, so
 * that a dialogue that is played again is refused in the same words: ids and times differ from run to run.
 */

import { createHash } from 'node:crypto';
import { Refused } from '../../../src/sandbox/exchange.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { SENTENCES } from './sentences.ts';
import { type Family, NAMELESS, SHAPES } from './shapes.ts';

/** Puts the refusals of a sandbox into the words that a seed chooses. */
export function inOtherWords(seed: number): NonNullable<SandboxOptions['reword']> {
  return (refused, vendor) => vary(refused, vendor === 'compatible' ? 'openai' : vendor, seed);
}

/**
 * @param refused a refusal in the vendor's own words
 * @returns the refusal as it is, if it is not about the content of a request; otherwise in one of four cases as it is, in
 *   one without a word of what it is about, and in two in the words of another service
 */
function vary(refused: Refused, family: Family, seed: number): Refused {
  const { subject } = refused;
  if (subject === undefined) return refused;
  const dice = createHash('sha256')
    .update(`${seed}\n${subject.thing}\n${subject.path.join('.')}`)
    .digest();
  const chosen = <T>(list: readonly T[], at: number): T | undefined =>
    list[dice.readUInt16BE(at) % list.length];
  const way = dice.readUInt8(0) % 4;
  if (way === 0) return refused;
  const nameless = chosen(NAMELESS[family], 2);
  const shape = chosen(SHAPES[family], 4);
  const sentence = chosen(SENTENCES[subject.thing](subject.path, subject.id), 6);
  const said = way === 1 || shape === undefined || sentence === undefined ? nameless : shape(sentence);
  if (said === undefined) return refused;
  return new Refused(dice.readUInt8(8) % 3 === 0 ? 422 : 400, said, subject, refused.headers);
}
