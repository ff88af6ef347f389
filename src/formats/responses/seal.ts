/**
 * Another vendor's signature in `encrypted_content` of a reasoning item. What it was on is marked before the value,
 * inside the seal, in a way only this folder reads: no mark is a thought's signature; `r.` is redacted thinking; `c.`
 * belongs to the tool call that follows, `p.` to the text or call before. The values are base64, which has no dot.
 */

import type { Part, Signature } from '../../conversation/prompt.ts';
import { seal, unseal } from '../../conversation/signature.ts';

export type Mark = 'r' | 'c' | 'p';

export function sealed(signature: Signature, mark?: Mark): string {
  const value = mark === undefined ? signature.value : `${mark}.${signature.value}`;
  return seal({ ...signature, value }, 'openai');
}

/** A signature and what it was on. OpenAI's own are never marked. */
export function unsealed(text: string): { readonly signature: Signature; readonly mark?: Mark } {
  const signature = unseal(text, 'openai');
  const mark = signature.origin === 'openai' ? undefined : markOf(signature.value);
  if (mark === undefined) return { signature };
  return { signature: { ...signature, value: signature.value.slice(2) }, mark };
}

/** `encrypted_content` for a thinking part; undefined where it has nothing to be proved by. */
export function encryptedContent(
  part: Pick<Part & { kind: 'thinking' }, 'signature' | 'redacted'>,
): string | undefined {
  if (part.redacted) return sealed(part.redacted, part.redacted.origin === 'openai' ? undefined : 'r');
  return part.signature && sealed(part.signature);
}

function markOf(value: string): Mark | undefined {
  if (value[1] !== '.') return undefined;
  const first = value[0];
  return first === 'r' || first === 'c' || first === 'p' ? first : undefined;
}
