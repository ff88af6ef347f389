/** Verifies a token of an identity provider, and says who its caller is. */

import { GatewayError } from '../../lib/errors.ts';
import type { KeyLimits, ModelLimits } from '../../store/key-limits.ts';
import type { Stored } from '../../store/stored-scope.ts';
import { grouped, type KnownGroup, modelHolders, type Principal, rightsOf } from '../principal.ts';
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

/** A provider, and who of those it knows may come in. */
export interface Identity extends KeySource {
  /** For whom tokens must be meant: one of these. */
  readonly audience: string | readonly string[];
  readonly algorithms?: readonly (typeof ALGORITHMS)[number][];
  /** The claim that names the caller. */
  readonly subject: string;
  /** What claims must be, or have among them. */
  readonly require?: Readonly<Record<string, Required>>;
  /** The group that callers are of: its name, or the claim that has it. */
  readonly group?: string | { readonly claim: string };
  /** Of each caller, as a key has them. */
  readonly models?: readonly string[];
  readonly stored?: Stored;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
}

type Jose = typeof import('jose');

/** By how many seconds clocks may differ. */
const TOLERANCE = 30;

/** Of how many keys each is tried where a token does not say which is its own: to try one takes 0.1 ms. */
const MOST_KEYS = 10;

/** For how long a token counts without another look at the keys, in milliseconds: one that is withdrawn ends it. */
const LONGEST = 3_600_000;

/** Who brings a token, and until when it says so. */
interface Verified {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export function verifierOf(
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
  const opens = { ...rightsOf(identity), limits: identity.limits ?? {} };

  /** @returns when a token expires, in seconds since 1970, once it was verified. */
  async function expiryOf(token: string): Promise<number> {
    try {
      return (await jose.jwtVerify(token, keyFor, options)).payload.exp ?? 0;
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
      // It does not say which: any of the first ones may be it.
      let tried = 0;
      for await (const key of error) {
        try {
          return (await jose.jwtVerify(token, key, options)).payload.exp ?? 0;
        } catch (other) {
          if (!(other instanceof jose.errors.JWSSignatureVerificationFailed)) throw other;
        }
        tried += 1;
        if (tried === MOST_KEYS) break;
      }
      throw new jose.errors.JWSSignatureVerificationFailed();
    }
  }

  /** Who is of the group that his token names, or all are that come by it; of several, of the first that there is. */
  function inGroup(principal: Principal, claims: Claims): Principal {
    const { group } = identity;
    if (group === undefined) return principal;
    const named = typeof group === 'string' ? [group] : groupsNamed(claimAt(claims, group.claim));
    const known = named.map((each) => groups.get(each)).find((each) => each !== undefined);
    if (known !== undefined) return grouped(principal, known);
    throw invalidToken('it names none of the groups that are known here.');
  }

  return async (token) => {
    const expiry = await expiryOf(token).catch((error: unknown) => {
      throw error instanceof GatewayError ? error : refused(jose, error);
    });
    const claims = claimsIn(token);
    const notMet = claimNotMet(claims, require);
    if (notMet !== undefined) throw invalidToken(`its claim ${notMet} is not one that may come in here.`);
    if (isUnproven(subject, claims)) throw invalidToken('its e-mail address has not been verified.');
    const caller = callerName(name, claimAt(claims, subject));
    if (caller === undefined) throw invalidToken(`it has no claim ${subject}, which names its caller.`);
    return {
      principal: inGroup({ name: caller, ...opens, ...modelHolders(caller, identity.modelLimits) }, claims),
      until: Math.min((expiry + TOLERANCE) * 1_000, Date.now() + LONGEST),
    };
  };
}

/**
 * Why a token is refused. More than that its signature is not right is told of no other: claims are looked at when the
 * signature was found to be right.
 */
function refused({ errors }: Jose, error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return invalidToken('it has expired.');
  // Among others a key of the provider's that cannot be used: too short a one, or half of one.
  if (!(error instanceof errors.JWTClaimValidationFailed))
    return invalidToken('its signature is not one of its issuer.', error);
  if (error.claim === 'aud') return invalidToken('it is meant for another audience.');
  if (error.claim === 'nbf') return invalidToken('it is not valid yet.');
  if (error.claim === 'exp') return invalidToken('it does not say when it expires.');
  return invalidToken(`its claim ${error.claim} is not right.`);
}

export function invalidToken(why: string, cause?: unknown): GatewayError {
  return new GatewayError('unauthenticated', `The token is not valid: ${why}`, { cause });
}
