/**
 * Signatures of reasoning that only the sandbox can make and that it recognizes, just as each vendor signs with a key
 * of its own. A block that was changed on its way, or was another vendor's, does not verify.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';

export type Signer = 'openai' | 'anthropic' | 'google';

const SECRET = 'the sandbox signs with this, and nothing else does';

/** How the signatures of each vendor begin; the rest is opaque. */
const HEAD: Readonly<Record<Signer, readonly number[]>> = {
  openai: [0x80, 0, 0, 0],
  anthropic: [0x12, 0xb5, 0x01, 0x0a],
  google: [0x0a, 0x91, 0x01, 0x01],
};

const MAC_LENGTH = 32;

function mac(signer: Signer, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', `${SECRET}:${signer}`);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** @returns a signature of `content` by `signer`, in base64 (openai: base64url, like its encrypted reasoning) */
export function sign(signer: Signer, content: string): string {
  const payload = Buffer.concat([
    Buffer.from(HEAD[signer]),
    mac(signer, 'bound', content),
    mac(signer, 'filler', content),
  ]);
  return Buffer.concat([payload, mac(signer, payload)]).toString(
    signer === 'openai' ? 'base64url' : 'base64',
  );
}

/**
 * @param content what was signed; if absent, any content will do
 * @returns whether `signer` made this signature
 */
export function verify(signer: Signer, signature: string, content?: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  const head = HEAD[signer].length;
  if (bytes.length !== head + 3 * MAC_LENGTH) return false;
  const payload = bytes.subarray(0, -MAC_LENGTH);
  if (!timingSafeEqual(mac(signer, payload), bytes.subarray(-MAC_LENGTH))) return false;
  if (content === undefined) return true;
  return timingSafeEqual(mac(signer, 'bound', content), bytes.subarray(head, head + MAC_LENGTH));
}
