/**
 * The public keys of an issuer: asked for when they are wanted, kept for a while, and asked for again where a token names
 * one that is not among them, as after a rotation.
 */

import type { JWTVerifyGetKey } from 'jose';
import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import { askProvider, discover, NoKeys } from './ask-provider.ts';

type Jose = typeof import('jose');

/** Where keys come from. */
export interface KeySource {
  /** What the identity is called. */
  readonly name: string;
  readonly issuer: string;
  /** Where the keys are; absent: the issuer tells. */
  readonly jwks?: string;
}

/** Keys as they were at some time, by performance.now(). */
export interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

export interface KeySet {
  /** The key of a token. @throws GatewayError `overloaded` where there are no keys to look among, JWKSNoMatchingKey */
  readonly keyFor: JWTVerifyGetKey;
  /** What is known now. */
  known(): KnownKeys | undefined;
  /** Asks for the keys, unless they are known. */
  prepare(): void;
}

/** For how long keys count without a look, as the provider may have withdrawn one; in milliseconds. */
const MAX_AGE = 600_000;

/** How long a provider is left alone between two questions: where there are keys, and where there are none yet. */
const COOL_DOWN = 30_000;
const COOL_DOWN_WITHOUT = 1_000;

/** How long it may take to answer. */
const PATIENCE = 5_000;

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 2;

/**
 * @param tell told when the keys cannot be had, and when they can again.
 * @param before what another one has known of the same source.
 */
export function openKeySet(
  { createLocalJWKSet, errors }: Jose,
  { name, issuer, jwks }: KeySource,
  agent: Dispatcher,
  tell: LogProblem,
  before: KnownKeys | undefined,
): KeySet {
  let known = before;
  /** When it was asked last. */
  let tried = before?.at ?? Number.NEGATIVE_INFINITY;
  let isTroubled = false;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    tried = performance.now();
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const found = await askProvider(agent, jwks ?? (await discover(agent, issuer, signal)), signal);
      known = { find: keysOf(found), at: tried };
      if (isTroubled) tell(`The identity provider ${name} can be asked for its keys again.`);
      isTroubled = false;
    } catch (error) {
      if (!(error instanceof NoKeys)) throw error;
      if (!isTroubled) tell(`The identity provider ${name} cannot be asked for its keys: ${error.message}`);
      isTroubled = true;
    }
  }

  function keysOf(found: object): JWTVerifyGetKey {
    if (!('keys' in found) || !Array.isArray(found.keys)) throw new NoKeys('it has no list of keys.');
    try {
      return createLocalJWKSet({ keys: found.keys });
    } catch {
      throw new NoKeys('what it has is no list of keys.');
    }
  }

  /** Asks, unless that was just done: then all wait for the same answer, or there is none. */
  async function renew(): Promise<void> {
    const pause = known === undefined ? COOL_DOWN_WITHOUT : COOL_DOWN;
    if (asking === undefined && performance.now() - tried < pause) return;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
  }

  function unavailable(): GatewayError {
    return new GatewayError(
      'overloaded',
      'This token cannot be verified now: its identity provider cannot be asked for its keys. Try again shortly.',
      { retryAfter: RETRY_AFTER },
    );
  }

  return {
    async keyFor(header, token) {
      if (known === undefined || performance.now() - known.at >= MAX_AGE) await renew();
      // Where it cannot be asked, the keys count that it had last.
      const first = known;
      if (first === undefined) throw unavailable();
      try {
        return await first.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await renew();
        // Whether it has such a key now nobody can say.
        if (isTroubled) throw unavailable();
        if (known === first || known === undefined) throw error;
        return known.find(header, token);
      }
    },
    known: () => known,
    prepare() {
      if (known === undefined) void renew();
    },
  };
}
