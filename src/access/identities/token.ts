/** Recognises tokens of identity providers: signed JWTs in compact form (RFC 7519; RFC 7515, 3.1). */

import { asText, isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';

/** A longer text is not even parsed. Node's limit for all headers together is a little lower. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/** A token begins with a JSON object: `{"`, or `{` and white space. */
const COMPACT = /^e[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a credential has the form of a token. Keys that the gateway makes never have it. */
export function looksLikeToken(credential: string): boolean {
  return credential.length <= MAX_TOKEN_LENGTH && COMPACT.test(credential);
}

/**
 * The issuer that a token names, before its signature is verified; undefined if it is not a token, or names none.
 * @param credential what looks like a token.
 */
export function issuerIn(credential: string): string | undefined {
  const [header = '', claims = ''] = credential.split('.', 2);
  if (objectIn(header) === undefined) return undefined;
  return asText(objectIn(claims)?.['iss']);
}

function objectIn(part: string): JsonObject | undefined {
  const value = tryParseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}
