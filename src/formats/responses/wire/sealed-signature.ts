/**
 * Another vendor's signature in `encrypted_content` of a reasoning item. What it was on is marked before the value,
 * inside the seal, in a way only this folder reads: no mark is a thought's signature; `r.` is redacted thinking; `c.`
 * belongs to the tool call that follows, `p.` to the text or call before. The values are base64, which has no dot.
 */

import type { Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { broughtBack, seal } from '../../../conversation/signature.ts';
import type { Json } from '../../../lib/json.ts';

export type Mark = 'r' | 'c' | 'p';

/** A signature, and what it was on. OpenAI's own are never marked. */
export function sealed(signature: Signature, mark?: Mark): string {
  const { origin, value } = signature;
  const isMarked = mark !== undefined && origin !== 'openai';
  return seal(isMarked ? { origin, value: `${mark}.${value}` } : signature, 'openai');
}

export interface Unsealed {
  readonly signature: Signature;
  readonly mark?: Mark;
}

/** A signature and what it was on, where an item's `encrypted_content` is one. OpenAI's own are never marked. */
export function unsealed(text: Json | undefined): Unsealed | undefined {
  const signature = broughtBack(text, 'openai');
  if (signature === undefined) return undefined;
  const mark = signature.origin === 'openai' ? undefined : markOf(signature.value);
  if (mark === undefined) return { signature };
  return { signature: { ...signature, value: signature.value.slice(2) }, mark };
}

/** `encrypted_content` for a thinking part; undefined where it has nothing to be proved by. */
export function encryptedContent({
  signature,
  redacted,
}: Pick<ThinkingPart, 'signature' | 'redacted'>): string | undefined {
  return redacted ? sealed(redacted, 'r') : signature && sealed(signature);
}

function markOf(value: string): Mark | undefined {
  if (value[1] !== '.') return undefined;
  const first = value[0];
  return first === 'r' || first === 'c' || first === 'p' ? first : undefined;
}
