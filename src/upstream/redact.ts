/**
 * What a vendor may say, in anything but an answer, that no caller should read: credentials, and addresses of private
 * networks. It is looked for in values, behind JSON's escapes, since `\\u0073k-` says what `sk-` does.
 */

import { isIPv6 } from 'node:net';
import { amended, type GatewayError } from '../lib/errors.ts';
import { MAX_FOREIGN } from '../lib/foreign-text.ts';
import { asText, tryParseJson } from '../lib/json.ts';
import { isInside } from './addresses.ts';

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

/** What may be an address of IPv6, in brackets with a port or without; whether it is one, and whose, is asked then. */
const ADDRESS_6 =
  /(?<![\w:.])\[?(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4})?(?:%[\w.-]{1,16})?(?:\](?::\d{1,5})?)?(?![\w:])/gi;

const HIDDEN = '[hidden]';

/** A key that is shorter is a word (`ollama`, `none`), and hides nothing. */
const MIN_KEY = 12;

/** A vendor's text without credentials: `key`, wherever it stands, and whatever looks like one. */
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

/** A vendor's text without credentials and without addresses of private networks. @param key the vendor's key. */
export function hidden(text: string, key: string): string {
  return withoutSecrets(text, key)
    .replaceAll(ADDRESS_6, (found) => (isPrivate(found) ? HIDDEN : found))
    .replaceAll(ADDRESS, HIDDEN);
}

function isPrivate(found: string): boolean {
  const [address = ''] = found.replace('[', '').split(/[%\]]/);
  return isIPv6(address) && isInside(address);
}

/**
 * JSON text in whose strings nothing is left that `hidden` hides, however it is escaped there. All else of it stays as it
 * is, byte for byte.
 * @param text JSON, or a line of JSON that is written over several.
 */
export function hiddenInJson(text: string, key: string): string {
  return hidden(text.includes('\\') ? withStrings(text, (string) => hidden(string, key)) : text, key);
}

/** JSON text with each string that holds an escape, and is another one after `change`, written anew. */
function withStrings(text: string, change: (string: string) => string): string {
  let made = '';
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    if (end === undefined) break;
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

/** Where the string ends that begins at `start`, behind its quote; undefined where it does not end. */
function endOfString(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return undefined;
}

/** Headers of a vendor as they may be told. */
export function hiddenInHeaders(
  headers: Readonly<Record<string, string>>,
  key: string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hidden(value, key)]));
}

/** An error as it may be told: without credentials, and without addresses of a private network, in any of its fields. */
export function tellable(error: GatewayError, key: string): GatewayError {
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
