/** What a vendor's error may say that no caller should read. */

import { amended, type GatewayError } from './errors.ts';

/**
 * Keys, by the shapes that vendors give them, whatever stands where a credential does, and what xAI calls its keys; the
 * clouds' tokens (Google's `ya29.`) and signed ones (JWT), and of AWS the ids of keys, signatures, and session tokens in
 * the request that it tells it would have signed.
 */
const SECRET =
  /\bya29\.[\w.-]{16,}|(?<![\w-])ey[JA][\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b|\bSignature=[0-9a-f]{64}\b|(?<=\bx-amz-security-token[":=\s]{1,4})[\w+/=%]{16,}|\bTeam: [\w-]{1,64}, API key ID: [\w-]{1,64}|\b(?:sk|rk|gsk|xai|pplx|gw|r8|hf)[-_][\w-]{16,}|\bAIza[\w-]{20,}|\bBearer +[\w.~+/=-]{8,}|:\/\/[^\s/@"':]{1,256}:[^\s/@"']{1,256}@/gi;

/** Addresses of machines that are nobody's business: private, loopback and link-local (RFC 1918, 3927, 6890). */
const ADDRESS =
  /\b(?:10\.\d{1,3}|127\.\d{1,3}|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b(?::\d{1,5})?/g;

const HIDDEN = '[hidden]';

/** A key that is shorter is a word (`ollama`, `none`), and hides nothing. */
const MIN_KEY = 12;

/** A vendor's text without credentials: `key`, wherever it stands, and whatever looks like one. */
export function withoutSecrets(text: string, key: string): string {
  const keyless = key.length < MIN_KEY ? text : text.replaceAll(key, HIDDEN);
  return keyless.replaceAll(SECRET, (found) => (found.startsWith('://') ? `://${HIDDEN}@` : HIDDEN));
}

/** An error as it may be told: without credentials, and without addresses of a private network. */
export function tellable(error: GatewayError, key: string): GatewayError {
  const message = withoutSecrets(error.message, key).replaceAll(ADDRESS, HIDDEN);
  if (message === error.message) return error;
  return amended(error, { message });
}
