/** Where signatures stand in chat-completions: `extra_content.<origin>.thought_signature`, Google's own way. */

import type { Signature, SignatureOrigin } from '../../../conversation/prompt.ts';
import { asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';

const ORIGINS: readonly SignatureOrigin[] = ['google', 'anthropic', 'openai', 'other'];

/** The signature in an `extra_content`, or undefined where there is none. */
export function parseExtraContent(extraContent: Json | undefined): Signature | undefined {
  const fields = asObject(extraContent);
  if (fields === undefined) return undefined;
  for (const origin of ORIGINS) {
    const value = asText(asObject(fields[origin])?.['thought_signature']);
    if (value) return { origin, value };
  }
  return undefined;
}

/** `{ extra_content }` for a signature, else nothing: to be spread. */
export function renderExtraContent(signature: Signature | undefined): JsonObject {
  if (signature === undefined) return {};
  return { extra_content: { [signature.origin]: { thought_signature: signature.value } } };
}
