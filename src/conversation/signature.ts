/**
 * Signatures travel through clients that do not know them, in a field that another vendor's format has for its own. A
 * signature of another vendor is sealed there with its origin, `google#AbC…`, so that it is never taken for one of the
 * field's vendor. No base64 alphabet has `#`, so nothing that a vendor sends looks sealed.
 */

import { flat } from '../lib/flat-text.ts';
import type { Json } from '../lib/json.ts';
import type { Signature, SignatureOrigin } from './prompt.ts';

/** Every origin of a signature. */
export const SIGNATURE_ORIGINS: readonly SignatureOrigin[] = [
  'google',
  'anthropic',
  'openai',
  'x-ai',
  'meta',
  'deepseek',
  'other',
];

/**
 * Stands in a signature's place if nothing proves the thoughts of an answer. Some clients send back only signed
 * thoughts (the AI SDK does), and models of chat-completions need to read again what they thought before a call.
 */
export const UNSIGNED = 'none#';

/** The text for a field of the vendor `home`. Its own signatures stand there as they are. */
export function seal(signature: Signature, home: SignatureOrigin): string {
  return signature.origin === home ? signature.value : flat(`${signature.origin}#${signature.value}`);
}

/**
 * The signature that a client has sent back in a field of the vendor `home`; undefined if there is none. Some clients
 * join the signatures of adjacent thoughts.
 */
export function unsealReturned(field: Json | undefined, home: SignatureOrigin): Signature | undefined {
  const text = typeof field === 'string' ? field.replaceAll(UNSIGNED, '') : '';
  return text === '' ? undefined : unseal(text, home);
}

/** Whether a field of the vendor `home` holds none of its signatures, or a sealed one that came through another format. */
export function isForeignSignature(field: Json | undefined, home: SignatureOrigin): boolean {
  const signature = unsealReturned(field, home);
  return signature === undefined || signature.value !== field;
}

/** The signature that a field of the vendor `home` holds. */
export function unseal(text: string, home: SignatureOrigin): Signature {
  const cut = text.indexOf('#');
  const origin = cut < 0 ? undefined : SIGNATURE_ORIGINS.find((name) => name === text.slice(0, cut));
  return origin === undefined ? { origin: home, value: text } : { origin, value: flat(text.slice(cut + 1)) };
}
