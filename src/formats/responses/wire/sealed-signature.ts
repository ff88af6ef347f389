/**
 * Another vendor's signature in the `encrypted_content` of a reasoning item. A mark before the value, inside the seal,
 * says what the signature is on; only this folder reads it. No mark: a thought. `r.`: redacted thinking. `c.`: the tool
 * call that follows. `i.`: the image that follows. `m.`: the message that follows. `p.`: the text or the call before. The
 * values are base64, which has no dot.
 */

import type { Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { seal, unsealReturned } from '../../../conversation/signature.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { Json } from '../../../lib/json.ts';

const MARKS = ['r', 'c', 'i', 'm', 'p'] as const;

/** What a signature is on: redacted thinking, the call, image or message that follows, or the previous part. */
export type Mark = (typeof MARKS)[number];

/** Seals a signature together with its mark. OpenAI's own signatures are never marked. */
export function sealSignature(signature: Signature, mark?: Mark): string {
  const { origin, value } = signature;
  const isMarked = mark !== undefined && origin !== 'openai';
  return seal(isMarked ? { origin, value: `${mark}.${value}` } : signature, 'openai');
}

/** A signature as it was before `sealSignature`, and its mark. */
export interface Unsealed {
  readonly signature: Signature;
  readonly mark?: Mark;
}

/** Opens the `encrypted_content` of an item; undefined if it holds no signature. */
export function unsealSignature(text: Json | undefined): Unsealed | undefined {
  const signature = unsealReturned(text, 'openai');
  if (signature === undefined) return undefined;
  const mark = signature.origin === 'openai' ? undefined : parseMark(signature.value);
  if (mark === undefined) return { signature };
  return { signature: { ...signature, value: flat(signature.value.slice(2)) }, mark };
}

/** The `encrypted_content` for a thinking part; undefined if the part has no signature. */
export function renderEncryptedContent({
  signature,
  redacted,
}: Pick<ThinkingPart, 'signature' | 'redacted'>): string | undefined {
  return redacted ? sealSignature(redacted, 'r') : signature && sealSignature(signature);
}

function parseMark(value: string): Mark | undefined {
  if (value[1] !== '.') return undefined;
  return MARKS.find((mark) => mark === value[0]);
}
