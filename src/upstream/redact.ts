/**
 * What a vendor may send, other than an answer, that no caller should read: credentials, and addresses of private
 * networks. The values are searched after JSON's escapes are decoded, since `\\u0073k-` means the same as `sk-`.
 */

import { isIPv6 } from 'node:net';
import { amended, type GatewayError } from '../lib/errors.ts';
import { MAX_FOREIGN } from '../lib/foreign-text.ts';
import { asText, tryParseJson } from '../lib/json.ts';
import { closingQuote } from '../lib/json-bytes.ts';
import { isPrivateAddress } from './addresses.ts';

/**
 * Credentials: keys in the shapes that vendors give them, whatever follows `Bearer` or stands before the `@` of a URL,
 * xAI's names of its keys, the clouds' tokens (Google's `ya29.`) and signed ones (JWT); and AWS's key ids, signatures,
 * and the session tokens in the canonical request that its errors show.
 */
const SECRET =
  /\bya29\.[\w.-]{16,}|(?<![\w-])ey[JA][\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b|\bSignature=[0-9a-f]{64}\b|(?<=\bx-amz-security-token[":=\s]{1,4})[\w+/=%]{16,}|\bTeam: [\w-]{1,64}, API key ID: [\w-]{1,64}|\b(?:sk|rk|gsk|xai|pplx|gw|r8|hf)[-_][\w-]{16,}|\bAIza[\w-]{20,}|\bBearer +[\w.~+/=-]{8,}|:\/\/[^\s/@"':]{1,256}:[^\s/@"']{1,256}@/gi;

/** Addresses of private networks, loopback and link-local (RFC 1918, 3927, 6890). */
const ADDRESS =
  /\b(?:10\.\d{1,3}|127\.\d{1,3}|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b(?::\d{1,5})?/g;

/**
 * Anything that may be an IPv6 address, with or without brackets and a port. Whether it is a private one is checked
 * afterwards.
 */
const ADDRESS_6 =
  /(?<![\w:.])\[?(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4})?(?:%[\w.-]{1,16})?(?:\](?::\d{1,5})?)?(?![\w:])/gi;

/**
 * Matches every text in which one of the expressions above matches. Headers are usually plain: one search takes the
 * place of three.
 */
const MAY_HOLD = /[.:]|[\w-]{16}|bearer/i;

const HIDDEN = '[hidden]';

/** The shortest key that is hidden. A shorter one is a word (`ollama`, `none`), and hides nothing. */
const MIN_KEY = 12;

/** Hides credentials in a vendor's text: `key` itself, and whatever looks like one. */
export function withoutSecrets(text: string, key: string): string {
  const keyless = key.length < MIN_KEY ? text : withoutHalf(text.replaceAll(key, HIDDEN), key);
  return keyless.replaceAll(SECRET, (found) => (found.startsWith('://') ? `://${HIDDEN}@` : HIDDEN));
}

/** A text that was cut may end with the beginning of the key. */
function withoutHalf(text: string, key: string): string {
  if (text.length < MAX_FOREIGN / 2) return text;
  for (let length = key.length - 1; length >= MIN_KEY / 2; length -= 1) {
    if (text.endsWith(key.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  }
  return text;
}

/** Hides credentials and addresses of private networks in a vendor's text. @param key the vendor's key. */
export function hidden(text: string, key: string): string {
  const isPlain = text.length < MAX_FOREIGN / 2 && !MAY_HOLD.test(text);
  if (isPlain && (key.length < MIN_KEY || !text.includes(key))) return text;
  return withoutSecrets(text, key)
    .replaceAll(ADDRESS_6, (found) => (isPrivate(found) ? HIDDEN : found))
    .replaceAll(ADDRESS, HIDDEN);
}

function isPrivate(found: string): boolean {
  const [address = ''] = found.replace('[', '').split(/[%\]]/);
  return isIPv6(address) && isPrivateAddress(address);
}

/**
 * Hides the same in JSON text, however its strings are escaped. The rest of it stays the same, byte for byte.
 * @param text JSON, or one line of JSON that spans several.
 */
export function hiddenInJson(text: string, key: string): string {
  return hidden(text.includes('\\') ? withStrings(text, (string) => hidden(string, key)) : text, key);
}

/** Rewrites each string of JSON text that contains an escape and that `change` alters. */
function withStrings(text: string, change: (string: string) => string): string {
  let made = '';
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = closingQuote(text, start) + 1;
    if (end > text.length) break;
    const token = text.slice(start, end);
    const value = token.includes('\\') ? asText(tryParseJson(token)) : undefined;
    const changed = value === undefined ? undefined : change(value);
    if (changed !== undefined && changed !== value) {
      made += text.slice(copied, start) + JSON.stringify(changed);
      copied = end;
    }
    start = text.indexOf('"', end);
  }
  return made + text.slice(copied);
}

/** Makes the function that hides credentials and private addresses in a vendor's header. */
export function hiding(key: string): (value: string, name: string) => string {
  return (value, name) => {
    // Nearly every answer has these two, and digits are all that the HTTP parser accepts as a length.
    const isPlain = name === 'content-length' || value === 'application/json';
    return isPlain ? value : hidden(value, key);
  };
}

/** Hides credentials and private addresses in the headers of an error. */
function hiddenInHeaders(headers: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) shown[name] = hidden(headers[name] ?? '', key);
  return shown;
}

/** Hides credentials and private addresses in all fields of an error; returns the error itself if it has none. */
export function withoutSecretsIn(error: GatewayError, key: string): GatewayError {
  const { param, code } = error;
  const message = hidden(error.message, key);
  const told = {
    message,
    ...(param !== undefined && { param: hidden(param, key) }),
    ...(code !== undefined && { code: hidden(code, key) }),
    headers: hiddenInHeaders(error.headers, key),
  };
  const isSame = message === error.message && told.param === param && told.code === code;
  const hasSameHeaders = Object.entries(told.headers).every(([name, value]) => value === error.headers[name]);
  return isSame && hasSameHeaders ? error : amended(error, told);
}
