/** Where signatures stand in chat-completions: `extra_content.<origin>.thought_signature`, Google's own way. */

import type { Signature, SignatureOrigin } from '../../conversation/prompt.ts';
import { asObject, asText, type Json, type JsonObject } from '../../json.ts';

const ORIGINS: readonly SignatureOrigin[] = ['google', 'anthropic', 'openai', 'other'];

/** The signature in an `extra_content`, or undefined where there is none. */
export function signatureIn(extraContent: Json | undefined): Signature | undefined {
  const fields = asObject(extraContent);
  if (fields === undefined) return undefined;
  for (const origin of ORIGINS) {
    const value = asText(asObject(fields[origin])?.['thought_signature']);
    if (value) return { origin, value };
  }
  return undefined;
}

/** A signature as an `extra_content`. */
export function extraContent(signature: Signature): JsonObject {
  return { [signature.origin]: { thought_signature: signature.value } };
}

/**
 * Whose signature an item of OpenRouter's `reasoning_details` is, by its `format` (OpenRouter docs, "Reasoning
 * Tokens"): `anthropic-claude-v1`, `google-gemini-v1`, `openai-responses-v1`, `xai-responses-v1`, ...
 */
export function originOf(format: Json | undefined): SignatureOrigin {
  const text = asText(format) ?? '';
  if (text.startsWith('anthropic')) return 'anthropic';
  if (text.startsWith('google')) return 'google';
  return text.startsWith('openai') || text.startsWith('azure') ? 'openai' : 'other';
}

/** The `format` of a reasoning detail with a signature of `origin`. */
export function detailFormat(origin: SignatureOrigin): string {
  if (origin === 'anthropic') return 'anthropic-claude-v1';
  if (origin === 'google') return 'google-gemini-v1';
  return origin === 'openai' ? 'openai-responses-v1' : 'unknown';
}
