/**
 * The public keys of an issuer. They are fetched when they are needed and kept for a while. If a token names a key that
 * is not among them, as after a rotation, they are fetched again.
 */

import type { JWTVerifyGetKey } from 'jose';
import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import { askProvider, discover, NoKeys } from './ask-provider.ts';

type Jose = typeof import('jose');

/** Where keys come from. */
export interface KeySource {
  /** The name of the identity. */
  readonly name: string;
  readonly issuer: string;
  /** The address of the keys; absent: the issuer's configuration has it. */
  readonly jwks?: string;
}

/** Keys, and when they were fetched, by performance.now(). */
export interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

export interface KeySet {
  /** The key of a token. @throws GatewayError `overloaded` if there are no keys to look in; JWKSNoMatchingKey */
  readonly keyFor: JWTVerifyGetKey;
  /** The keys that are known now. */
  known(): KnownKeys | undefined;
  /** Fetches the keys, unless they are known. */
  prepare(): void;
}

/** How long keys are used without another fetch, in milliseconds: the provider may have withdrawn one. */
const MAX_AGE = 600_000;

/** The shortest time between two fetches in milliseconds: if keys are known, and if none are. */
const COOL_DOWN = 30_000;
const COOL_DOWN_WITHOUT = 1_000;

/** Milliseconds that a fetch may take. */
const FETCH_TIMEOUT = 5_000;

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 2;

/**
 * @param log called when the keys cannot be fetched, and when they can again.
 * @param before the keys that an earlier set knew of the same source.
 */
export function openKeySet(
  jose: Jose,
  { name, issuer, jwks }: KeySource,
  agent: Dispatcher,
  log: LogProblem,
  before: KnownKeys | undefined,
): KeySet {
  let known = before;
  /** When they were fetched last. */
  let tried = before?.at ?? Number.NEGATIVE_INFINITY;
  let isTroubled = false;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    tried = performance.now();
    try {
      const signal = AbortSignal.timeout(FETCH_TIMEOUT);
      const found = await askProvider(agent, jwks ?? (await discover(agent, issuer, signal)), signal);
      known = { find: pickKeys(jose, found), at: tried };
      if (isTroubled) log(`The keys of the identity provider ${name} can be fetched again.`);
      isTroubled = false;
    } catch (error) {
      if (!(error instanceof NoKeys)) throw error;
      if (!isTroubled) log(`The keys of the identity provider ${name} cannot be fetched: ${error.message}`);
      isTroubled = true;
    }
  }

  /** Fetches the keys. All callers wait for the same fetch; shortly after a fetch there is none. */
  async function renew(): Promise<void> {
    const pause = known === undefined ? COOL_DOWN_WITHOUT : COOL_DOWN;
    if (asking === undefined && performance.now() - tried < pause) return;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
  }

  /** The keys after another fetch; undefined if there are none but the first ones. */
  async function findNewer(first: KnownKeys): Promise<KnownKeys | undefined> {
    await renew();
    // Whether the provider has such a key now is unknown.
    if (isTroubled) throw unavailable();
    return known === first ? undefined : known;
  }

  return {
    async keyFor(header, token) {
      if (known === undefined || performance.now() - known.at >= MAX_AGE) await renew();
      // If the provider cannot be reached, its last known keys count.
      const first = known;
      if (first === undefined) throw unavailable();
      try {
        return await first.find(header, token);
      } catch (error) {
        if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error;
        const newer = await findNewer(first);
        if (newer === undefined) throw error;
        return newer.find(header, token);
      }
    },
    known: () => known,
    prepare() {
      if (known === undefined) void renew();
    },
  };
}

/** @throws NoKeys if there is no valid list of keys. */
function pickKeys({ createLocalJWKSet }: Jose, found: object): JWTVerifyGetKey {
  if (!('keys' in found) || !Array.isArray(found.keys)) throw new NoKeys('it has no list of keys.');
  try {
    return createLocalJWKSet({ keys: found.keys });
  } catch {
    throw new NoKeys('its list of keys is not valid.');
  }
}

function unavailable(): GatewayError {
  return new GatewayError(
    'overloaded',
    'This token cannot be verified now: the keys of its identity provider cannot be fetched. Try again shortly.',
    { retryAfter: RETRY_AFTER },
  );
}
