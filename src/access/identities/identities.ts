/** Callers who bring a token of an identity provider in the place of a key. */

import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
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
import { type KeySet, type KeySource, type KnownKeys, openKeySet } from './key-set.ts';
import { openRemembered } from './remembered.ts';
import { issuerIn, looksLikeToken } from './token.ts';

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

export interface Identities {
  /**
   * Who brings a token: at once where it has come before. Undefined where it is none, or no provider's that is known.
   * @throws by its promise: GatewayError `unauthenticated`, or `overloaded` where nobody can say.
   */
  find(credential: string): Principal | Promise<Principal> | undefined;
  /** The keys that are known, by what they are of. */
  known(): ReadonlyMap<string, KnownKeys>;
  close(): void;
}

export interface IdentitiesOptions {
  readonly agent: Dispatcher;
  readonly tell: LogProblem;
  /** Those that callers may be of. */
  readonly groups: ReadonlyMap<string, KnownGroup>;
  /** Those of an earlier configuration: keys that they know need not be asked for. */
  readonly before: Identities | undefined;
}

type Jose = typeof import('jose');

/** By how many seconds clocks may differ. */
const TOLERANCE = 30;

/** Of how many keys each is tried where a token does not say which is its own: to try one takes 0.1 ms. */
const MOST_KEYS = 10;

/** For how long a token counts without another look at the keys, in milliseconds: one that is withdrawn ends it. */
const LONGEST = 3_600_000;

/** Loads what verifies tokens only where there is a provider. */
export async function openIdentities(
  settings: readonly Identity[],
  { agent, tell, groups, before }: IdentitiesOptions,
): Promise<Identities | undefined> {
  if (settings.length === 0) return undefined;
  const jose = await import('jose');
  const remembered = openRemembered();
  const earlier = before?.known();
  let isOpen = true;
  // What is broken off at the end is no trouble.
  const tellOpen: LogProblem = (message) => {
    if (isOpen) tell(message);
  };
  const sets = new Map<string, KeySet>();
  const verifiers = new Map(
    settings.map((identity) => {
      const place = placeOf(identity);
      const set = openKeySet(jose, identity, agent, tellOpen, earlier?.get(place));
      sets.set(place, set);
      // The first caller need not wait, and what is wrong is told at the start.
      set.prepare();
      return [identity.issuer, verifierOf(jose, identity, set, groups)];
    }),
  );

  return {
    find(credential) {
      if (!looksLikeToken(credential)) return undefined;
      const found = remembered.of(credential);
      if (found !== undefined) return found;
      const verify = verifiers.get(issuerIn(credential) ?? '');
      return verify?.(credential).then(({ principal, until }) => {
        remembered.add(credential, principal, until);
        return principal;
      });
    },
    known: () =>
      new Map(
        [...sets].flatMap(([place, set]) => {
          const known = set.known();
          return known === undefined ? [] : [[place, known] as const];
        }),
      ),
    close() {
      isOpen = false;
    },
  };
}

function placeOf({ issuer, jwks = '' }: KeySource): string {
  return `${issuer}\n${jwks}`;
}

/** Who brings a token, and until when it says so. */
interface Verified {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly until: number;
}

function verifierOf(
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

function invalidToken(why: string, cause?: unknown): GatewayError {
  return new GatewayError('unauthenticated', `The token is not valid: ${why}`, { cause });
}

/** A token of nobody that is known here. */
export function unknownIssuer(): GatewayError {
  return invalidToken('its issuer is none of those that are known here.');
}
