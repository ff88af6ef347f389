/** What a verified token says of its caller: a name, and whether he is one of those who may come in. */

import { hash } from 'node:crypto';

/** The claims of a token: whatever JSON can say. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a claim may be asked to be: one of these. */
export type Required = string | number | boolean | readonly (string | number | boolean)[];

/** Characters of a caller's name at most, and of those the ones of a hash, where it had to be shortened. */
const LONGEST_NAME = 200;
const HASH_LENGTH = 32;

/** Stands before the hash, and is in no name that is as the provider wrote it: so the two are never the same. */
const CUT = '…';

/** What can be stored and shown: no control or formatting characters, and no halves of a character. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const NOT_PLAIN = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Lists that are written as one text (RFC 6749, 3.3; `scp` at Microsoft and Okta). */
const SPACED = new Set(['scope', 'scp']);

/**
 * The claims of a token that was verified. A number that a double does not hold as it stands is its digits as a text:
 * two callers of 2^53 and beyond would else be one.
 * @throws SyntaxError where the token has no JSON.
 */
export function claimsIn(token: string): Claims {
  const [, payload = ''] = token.split('.', 2);
  const claims: unknown = JSON.parse(
    new TextDecoder().decode(Buffer.from(payload, 'base64url')),
    (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && !isExact(value, source) ? source : value,
  );
  return isClaims(claims) ? claims : {};
}

/** Whether a number is as it was written, be it with zeros behind its point. */
function isExact(value: number, source: string): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && /^-?\d+(?:\.0+)?$/.test(source);
  return String(value) === source;
}

/** What the names of all callers of an identity begin with; no name of a stored key has a slash in it. */
export function namePrefix(identity: string): string {
  return `${identity}/`;
}

/**
 * What a caller is called in usage, logs and limits; undefined where the claim is no name.
 * @param value the claim. One that is too long, or cannot be written down, has a hash of all of it in its name.
 */
export function callerName(identity: string, value: unknown): string | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return undefined;
  const said = String(value);
  const name = namePrefix(identity) + said;
  if (name.length <= LONGEST_NAME && PLAIN.test(said) && !said.includes(CUT)) return name;
  const beginning = name
    .slice(0, LONGEST_NAME - HASH_LENGTH - CUT.length)
    .replaceAll(NOT_PLAIN, '_')
    .replaceAll(CUT, '_');
  return beginning + CUT + hash('sha256', said, 'hex').slice(0, HASH_LENGTH);
}

/** What follows the name of an e-mail address where it is said whether that was verified (OpenID Connect Core 1.0, 5.1). */
const VERIFIED = '_verified';

/**
 * Whether it is only the caller who says that an address is his: where a claim says whether it was verified, only true
 * and "true" do. Names of claims may have others before them (`user.email`, `https://example.com/email`).
 */
export function isUnproven(subject: string, claims: Claims): boolean {
  if (!/(?:^|[./])email$/.test(subject)) return false;
  return [subject + VERIFIED, `email${VERIFIED}`]
    .map((path) => claimAt(claims, path))
    .some((verified) => verified !== undefined && verified !== true && verified !== 'true');
}

/** The groups that a claim names: a text or a number, or a list of them. What else is in it names none. */
export function groupsNamed(claim: unknown): readonly string[] {
  return [claim]
    .flat()
    .flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** The first claim that is not as it must be; undefined where all are. */
export function claimNotMet(
  claims: Claims,
  required: Readonly<Record<string, Required>>,
): string | undefined {
  return Object.keys(required).find((path) => {
    const wanted = [required[path]].flat();
    return !valuesOf(path, claimAt(claims, path)).some((value) => wanted.some((one) => one === value));
  });
}

function valuesOf(path: string, claim: unknown): readonly unknown[] {
  if (typeof claim === 'string' && SPACED.has(path)) return claim.split(' ');
  return Array.isArray(claim) ? claim : [claim];
}

/**
 * A claim by its name, or one within another by both with a dot between: `realm_access.roles`. Names may have dots
 * themselves (`kubernetes.io`, addresses).
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (!isClaims(inner)) continue;
    const found = claimAt(inner, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isClaims(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
