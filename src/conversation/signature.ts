/**
 * Signatures travel through clients that know nothing of them, in a field that some other vendor's format has for
 * its own. So that one never opens a block it was not made for, a signature that is not the field's own is sealed
 * with its origin: `google#AbC…`. `#` is in no base64 alphabet, so nothing a vendor sends looks sealed.
 */

import type { Json } from '../lib/json.ts';
import type { Signature, SignatureOrigin } from './prompt.ts';

const ORIGINS: readonly SignatureOrigin[] = ['anthropic', 'google', 'openai', 'other'];

/**
 * What an answer has in a signature's place where nothing proves its thoughts: clients bring back only what is signed
 * (the AI SDK does), and models of chat-completions want to read again what they thought before a call.
 */
export const UNSIGNED = 'none#';

/** The text to put into a field that `home`'s signatures fill as they are. */
export function seal(signature: Signature, home: SignatureOrigin): string {
  return signature.origin === home ? signature.value : `${signature.origin}#${signature.value}`;
}

/** The signature that a client has brought back in a field of `home`'s, if any: some join those of thoughts in a row. */
export function broughtBack(field: Json | undefined, home: SignatureOrigin): Signature | undefined {
  const text = typeof field === 'string' ? field.replaceAll(UNSIGNED, '') : '';
  return text === '' ? undefined : unseal(text, home);
}

/** The signature that stood in a field of `home`'s. */
export function unseal(text: string, home: SignatureOrigin): Signature {
  const cut = text.indexOf('#');
  const origin = cut < 0 ? undefined : ORIGINS.find((name) => name === text.slice(0, cut));
  return origin === undefined ? { origin: home, value: text } : { origin, value: text.slice(cut + 1) };
}
