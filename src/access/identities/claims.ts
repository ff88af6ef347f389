/** Reads the claims of a verified token: the caller's name, and whether the caller may come in. */

import { hash } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';

/** The claims of a token: any JSON values. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a claim must be: one of these. */
export type Required = string | number | boolean | readonly (string | number | boolean)[];

/** The most characters of a caller's name, and how many of them are a hash if it had to be shortened. */
const MAX_NAME_LENGTH = 200;
const HASH_LENGTH = 32;

/** Stands before the hash. No unchanged name has it, so a shortened name never equals an unchanged one. */
const CUT = '…';

/** Text that can be stored and shown: no control or formatting characters, and no lone surrogates. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const NOT_PLAIN = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Claims that are lists in one text, separated by spaces (RFC 6749, 3.3; `scp` at Microsoft and Okta). */
const SPACED = new Set(['scope', 'scp']);

/**
 * The claims of a verified token. A number that a double cannot hold exactly becomes a text of its digits: otherwise
 * two callers with numbers of 2^53 and above would be the same.
 * @throws SyntaxError if the token's payload is not JSON.
 */
export function claimsIn(token: string): Claims {
  const [, payload = ''] = token.split('.', 2);
  const claims: unknown = JSON.parse(
    new TextDecoder().decode(Buffer.from(payload, 'base64url')),
    (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && !isExact(value, source) ? source : value,
  );
  return isRecord(claims) ? claims : {};
}

/** Whether a number equals its text, apart from zeros after the decimal point. */
function isExact(value: number, source: string): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && /^-?\d+(?:\.0+)?$/.test(source);
  return String(value) === source;
}

/** The prefix of the names of all callers of an identity. No name of a stored key has a slash in it. */
export function namePrefix(identity: string): string {
  return `${identity}/`;
}

/**
 * The caller's name in usage, logs and limits; undefined if the claim is not a name.
 * @param value the claim. If it is too long or cannot be stored, the name contains a hash of all of it.
 */
export function callerName(identity: string, value: unknown): string | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return undefined;
  const said = String(value);
  const name = namePrefix(identity) + said;
  if (name.length <= MAX_NAME_LENGTH && PLAIN.test(said) && !said.includes(CUT)) return name;
  const beginning = name
    .slice(0, MAX_NAME_LENGTH - HASH_LENGTH - CUT.length)
    .replaceAll(NOT_PLAIN, '_')
    .replaceAll(CUT, '_');
  return beginning + CUT + hash('sha256', said, 'hex').slice(0, HASH_LENGTH);
}

/** The suffix of the claim that says whether an e-mail address was verified (OpenID Connect Core 1.0, 5.1). */
const VERIFIED = '_verified';

/**
 * Whether nobody but the caller vouches for an e-mail address: if a claim says whether it was verified, only true and
 * "true" count. The claim's name may have a prefix (`user.email`, `https://example.com/email`).
 */
export function isUnproven(path: string, claims: Claims): boolean {
  if (!/(?:^|[./])email$/.test(path)) return false;
  return [path + VERIFIED, `email${VERIFIED}`]
    .map((each) => claimAt(claims, each))
    .some((verified) => verified !== undefined && verified !== true && verified !== 'true');
}

/** The groups that a claim names: a text or a number, or a list of them. Other values are ignored. */
export function groupsNamed(claim: unknown): readonly string[] {
  return [claim]
    .flat()
    .flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** The first claim that does not have a required value; undefined if all have. */
export function claimNotMet(
  claims: Claims,
  required: Readonly<Record<string, Required>>,
): string | undefined {
  return Object.keys(required).find((path) => {
    const wanted = [required[path]].flat();
    return !readValues(path, claimAt(claims, path)).some((value) => wanted.some((one) => one === value));
  });
}

function readValues(path: string, claim: unknown): readonly unknown[] {
  if (typeof claim === 'string' && SPACED.has(path)) return claim.split(' ');
  return Array.isArray(claim) ? claim : [claim];
}

/**
 * A claim by its name, or a nested claim by a path with dots: `realm_access.roles`. Names may have dots themselves
 * (`kubernetes.io`, addresses).
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (!isRecord(inner)) continue;
    const found = claimAt(inner, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
