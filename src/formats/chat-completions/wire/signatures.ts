/** Signatures in `extra_content.<origin>.thought_signature`, as Google's OpenAI-compatible endpoint writes them. */

import type { Signature } from '../../../conversation/prompt.ts';
import { SIGNATURE_ORIGINS } from '../../../conversation/signature.ts';
import { asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';

/** The signature in an `extra_content`; undefined if it has none. */
export function parseExtraContent(extraContent: Json | undefined): Signature | undefined {
  const fields = asObject(extraContent);
  if (fields === undefined) return undefined;
  for (const origin of SIGNATURE_ORIGINS) {
    const value = signatureIn(fields[origin]);
    if (value) return { origin, value };
  }
  return undefined;
}

/** What LiteLLM writes between a call's own id and Google's signature of it (its page on thought signatures). */
const IN_ID = '__thought__';

/**
 * The signature of a call in a dialogue: in its `extra_content`, or as LiteLLM has it, for Gemini alone, in
 * `provider_specific_fields` of the call or its function, or in the id, for clients that keep no other fields.
 */
export function parseCallSignature({
  id,
  function: fn,
  extra_content,
  provider_specific_fields,
}: JsonObject): Signature | undefined {
  const written = parseExtraContent(extra_content);
  if (written) return written;
  const value =
    signatureIn(provider_specific_fields) ||
    signatureIn(asObject(fn)?.['provider_specific_fields']) ||
    (typeof id === 'string' && id.includes(IN_ID) && id.split(IN_ID)[1]);
  return value ? { origin: 'google', value } : undefined;
}

function signatureIn(fields: Json | undefined): string | undefined {
  return asText(asObject(fields)?.['thought_signature']);
}

/** `{ extra_content }` with a signature, to be spread; `{}` without one. */
export function renderExtraContent(signature: Signature | undefined): JsonObject {
  if (signature === undefined) return {};
  return { extra_content: { [signature.origin]: { thought_signature: signature.value } } };
}
