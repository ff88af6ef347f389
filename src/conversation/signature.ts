/**
 * Signatures travel through clients that know nothing of them, in a field that some other vendor's format has for
 * its own. So that one never opens a block it was not made for, a signature that is not the field's own is sealed
 * with its origin: `google#AbC…`. `#` is in no base64 alphabet, so nothing a vendor sends looks sealed.
 */

import type { Signature, SignatureOrigin } from './prompt.ts';

const ORIGINS: readonly SignatureOrigin[] = ['anthropic', 'google', 'openai', 'other'];

/** The text to put into a field that `home`'s signatures fill as they are. */
export function seal(signature: Signature, home: SignatureOrigin): string {
  return signature.origin === home ? signature.value : `${signature.origin}#${signature.value}`;
}

/** The signature that stood in a field of `home`'s. */
export function unseal(text: string, home: SignatureOrigin): Signature {
  const cut = text.indexOf('#');
  const origin = cut < 0 ? undefined : ORIGINS.find((name) => name === text.slice(0, cut));
  return origin === undefined ? { origin: home, value: text } : { origin, value: text.slice(cut + 1) };
}
