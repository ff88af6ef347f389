/** What looks like a token of an identity provider: a signed JWT in its compact form (RFC 7519, RFC 7515, 3.1). */

import { asText, isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';

/** No token is longer: what is longer is not even read. Node takes a little less for all headers together. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/** A token begins with an object in JSON: `{"`, or `{` and white space. */
const COMPACT = /^e[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a credential has the form of a token. Keys that the gateway makes never have. */
export function looksLikeToken(credential: string): boolean {
  return credential.length <= MAX_TOKEN_LENGTH && COMPACT.test(credential);
}

/** Whose token it says it is, before anybody has looked at the signature; undefined where it is none, or says nothing. */
export function issuerIn(credential: string): string | undefined {
  if (!looksLikeToken(credential)) return undefined;
  const [header = '', claims = ''] = credential.split('.', 2);
  if (objectIn(header) === undefined) return undefined;
  return asText(objectIn(claims)?.['iss']);
}

function objectIn(part: string): JsonObject | undefined {
  const value = tryParseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}
