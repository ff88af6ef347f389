/** Callers who bring a token of an identity provider in the place of a key. */

import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
import type { GatewayError } from '../../lib/errors.ts';
import type { KnownGroup, Principal } from '../principal.ts';
import { type KeySet, type KeySource, type KnownKeys, openKeySet } from './key-set.ts';
import { openRemembered } from './remembered.ts';
import { issuerIn, looksLikeToken } from './token.ts';
import { type Identity, invalidToken, verifierOf } from './verify-token.ts';

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

/** A token of nobody that is known here. */
export function unknownIssuer(): GatewayError {
  return invalidToken('its issuer is none of those that are known here.');
}
