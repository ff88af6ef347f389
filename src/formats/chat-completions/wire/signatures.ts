/** Signatures in `extra_content.<origin>.thought_signature`, as Google's OpenAI-compatible endpoint writes them. */

import type { Signature } from '../../../conversation/prompt.ts';
import { SIGNATURE_ORIGINS } from '../../../conversation/signature.ts';
import { asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';

/** The signature in an `extra_content`; undefined if it has none. */
export function parseExtraContent(extraContent: Json | undefined): Signature | undefined {
  const fields = asObject(extraContent);
  if (fields === undefined) return undefined;
  for (const origin of SIGNATURE_ORIGINS) {
    const value = asText(asObject(fields[origin])?.['thought_signature']);
    if (value) return { origin, value };
  }
  return undefined;
}

/** `{ extra_content }` with a signature, to be spread; `{}` without one. */
export function renderExtraContent(signature: Signature | undefined): JsonObject {
  if (signature === undefined) return {};
  return { extra_content: { [signature.origin]: { thought_signature: signature.value } } };
}
