/** Verifies a token of an identity provider, and finds out who its caller is. */

import type { JWTVerifyOptions } from 'jose';
import { GatewayError } from '../../lib/errors.ts';
import type { KeyLimits, ModelLimits } from '../../store/keys/key-limits.ts';
import type { Stored } from '../../store/stored-scope.ts';
import { type KnownGroup, type Principal, toPrincipal, withGroup } from '../principal.ts';
import { ALGORITHMS } from './algorithms.ts';
import {
  type Claims,
  callerName,
  claimAt,
  claimNotMet,
  claimsIn,
  groupsNamed,
  isUnproven,
  type Required,
} from './claims.ts';
import type { KeySet, KeySource } from './key-set.ts';

/** An identity provider, and which of its users may come in. */
export interface Identity extends KeySource {
  /** The accepted audiences. */
  readonly audience: string | readonly string[];
  readonly algorithms?: readonly (typeof ALGORITHMS)[number][];
  /** The claim that names the caller. */
  readonly subject: string;
  /** The values that claims must have, or have among theirs. */
  readonly require?: Readonly<Record<string, Required>>;
  /** The group of the callers: its name, or the claim that has it. */
  readonly group?: string | { readonly claim: string };
  /** The rights and limits of each caller, as those of a key. */
  readonly models?: readonly string[];
  readonly stored?: Stored;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
  readonly tagLimits?: KeyLimits;
}

type Jose = typeof import('jose');

/** The accepted difference between clocks, in seconds. */
const TOLERANCE = 30;

/** How many keys are tried if a token does not say which is its own. Each attempt takes 0.1 ms. */
const MAX_KEYS_TRIED = 10;

/** How long a token is accepted without another look at the keys, in milliseconds: a withdrawn key ends it. */
const MAX_CACHED = 3_600_000;

/** A verified token. */
interface Verified {
  readonly principal: Principal;
  /** Until when it is accepted, in milliseconds since 1970. */
  readonly until: number;
}

export function makeVerifier(
  jose: Jose,
  identity: Identity,
  { keyFor }: KeySet,
  groups: ReadonlyMap<string, KnownGroup>,
): (token: string) => Promise<Verified> {
  const { name, issuer, audience, algorithms = ALGORITHMS, subject, require = {} } = identity;
  const options = {
    issuer,
    audience: [audience].flat(),
    algorithms: [...algorithms],
    requiredClaims: ['exp'],
    clockTolerance: TOLERANCE,
  };
  /** The claims that decide who comes in, and as whom. */
  const deciding = [subject, ...Object.keys(require), ...groupClaims(identity.group)];

  return async (token) => {
    const expiry = await findExpiry(jose, token, keyFor, options).catch((error: unknown) => {
      throw error instanceof GatewayError ? error : refused(jose, error);
    });
    const claims = claimsIn(token);
    const notMet = claimNotMet(claims, require);
    if (notMet !== undefined) throw invalidToken(`its claim ${notMet} does not have a required value.`);
    if (deciding.some((path) => isUnproven(path, claims)))
      throw invalidToken('its e-mail address has not been verified.');
    const caller = callerName(name, claimAt(claims, subject));
    if (caller === undefined) throw invalidToken(`it has no claim ${subject}, which names its caller.`);
    return {
      principal: inGroup(groups, identity.group, toPrincipal({ ...identity, name: caller }), claims),
      until: Math.min((expiry + TOLERANCE) * 1_000, Date.now() + MAX_CACHED),
    };
  };
}

/** Verifies a token. @returns when it expires, in seconds since 1970. @throws errors of jose */
async function findExpiry(
  jose: Jose,
  token: string,
  keyFor: KeySet['keyFor'],
  options: JWTVerifyOptions,
): Promise<number> {
  try {
    return (await jose.jwtVerify(token, keyFor, options)).payload.exp ?? 0;
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
    return tryKeys(jose, token, error, options);
  }
}

/** The same for a token that does not say which key is its own, so that the first ones are tried. */
async function tryKeys(
  { jwtVerify, errors }: Jose,
  token: string,
  keys: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<number> {
  let tried = 0;
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload.exp ?? 0;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
    tried += 1;
    if (tried === MAX_KEYS_TRIED) break;
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function groupClaims(group: Identity['group']): readonly string[] {
  return group === undefined || typeof group === 'string' ? [] : [group.claim];
}

/** Applies the group that the identity or a claim names; if a claim names several, the first one that exists. */
function inGroup(
  groups: ReadonlyMap<string, KnownGroup>,
  group: Identity['group'],
  principal: Principal,
  claims: Claims,
): Principal {
  if (group === undefined) return principal;
  const named = typeof group === 'string' ? [group] : groupsNamed(claimAt(claims, group.claim));
  const known = named.map((each) => groups.get(each)).find((each) => each !== undefined);
  if (known !== undefined) return withGroup(principal, known);
  throw invalidToken('it names no group that is known here.');
}

/**
 * Why a token is refused. Without a valid signature nothing else is said: claims are examined only after the signature
 * was verified.
 */
function refused({ errors }: Jose, error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return invalidToken('it has expired.');
  // Among others, a key of the provider that cannot be used: too short, or incomplete.
  if (!(error instanceof errors.JWTClaimValidationFailed))
    return invalidToken('its signature does not match any key of its issuer.', error);
  if (error.claim === 'aud') return invalidToken('it is meant for another audience.');
  if (error.claim === 'nbf') return invalidToken('it is not valid yet.');
  if (error.claim === 'exp') return invalidToken('it does not say when it expires.');
  return invalidToken(`its claim ${error.claim} is not valid.`);
}

export function invalidToken(why: string, cause?: unknown): GatewayError {
  return new GatewayError('unauthenticated', `The token is not valid: ${why}`, { cause });
}
