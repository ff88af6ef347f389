/** Callers who bring a token of an identity provider instead of a key. */

import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { openTtlCache } from '../../lib/ttl-cache.ts';
import { hashKey } from '../../store/keys/key-secret.ts';
import type { KnownGroup, Principal } from '../principal.ts';
import { type KeySet, type KeySource, type KnownKeys, openKeySet } from './key-set.ts';
import { issuerIn, looksLikeToken } from './token.ts';
import { type Identity, invalidToken, makeVerifier } from './verify-token.ts';

export interface Identities {
  /**
   * The principal of a token: at once if the token was seen before. Undefined if it is not a token, or not one of a
   * known provider.
   * @throws by its promise: GatewayError `unauthenticated`, or `overloaded` if the token cannot be verified now.
   */
  find(credential: string): Principal | Promise<Principal> | undefined;
  /** The keys that are known, by their source. */
  known(): ReadonlyMap<string, KnownKeys>;
  close(): void;
}

export interface IdentitiesOptions {
  readonly agent: Dispatcher;
  readonly log: LogProblem;
  /** The groups that callers may belong to. */
  readonly groups: ReadonlyMap<string, KnownGroup>;
  /** The identities of the configuration before; keys that they know need not be fetched again. */
  readonly before: Identities | undefined;
}

/**
 * Opens the identities of a configuration; undefined if it has none. The library that verifies tokens is loaded only if
 * there are some.
 */
export async function openIdentities(
  settings: readonly Identity[],
  { agent, log, groups, before }: IdentitiesOptions,
): Promise<Identities | undefined> {
  if (settings.length === 0) return undefined;
  const jose = await import('jose');
  /** Verified tokens by their hashes, so that one that comes again is neither verified nor waited for. */
  const remembered = openTtlCache<Principal>(() => Date.now());
  const earlier = before?.known();
  let isOpen = true;
  // A fetch that is aborted at the end is not worth a report.
  const tellOpen: LogProblem = (message) => {
    if (isOpen) log(message);
  };
  const sets = new Map<string, KeySet>();
  const verifiers = new Map(
    settings.map((identity) => {
      const place = describePlace(identity);
      const set = openKeySet(jose, identity, agent, tellOpen, earlier?.get(place));
      sets.set(place, set);
      // So the first caller does not wait, and problems are reported at the start.
      set.prepare();
      return [identity.issuer, makeVerifier(jose, identity, set, groups)];
    }),
  );

  return {
    find(credential) {
      if (!looksLikeToken(credential)) return undefined;
      const hash = hashKey(credential);
      const found = remembered.get(hash);
      if (found !== undefined) return found;
      const verify = verifiers.get(issuerIn(credential) ?? '');
      return verify?.(credential).then(({ principal, until }) => {
        remembered.set(hash, principal, until);
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

function describePlace({ issuer, jwks = '' }: KeySource): string {
  return `${issuer}\n${jwks}`;
}

/** The error for a token of an unknown issuer. */
export function unknownIssuer(): GatewayError {
  return invalidToken('its issuer is not known here.');
}
