/**
 * An identity provider for tests: it serves its discovery document and its keys, and signs tokens with them.
 */

import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { json, type Respond, startUpstream } from '../../support/upstream.ts';

export type IdentityInput = NonNullable<ConfigInput['identities']>[number];

/** A key of the provider, and what the provider publishes of it. */
export interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: Record<string, unknown>;
}

export interface Provider {
  readonly issuer: string;
  /** The keys it publishes from now on. */
  publish(...keys: readonly { readonly jwk: Record<string, unknown> }[]): void;
  /** What it does instead of answering; undefined: it answers. */
  instead(respond: Respond | undefined): void;
  /** Holds its answers back until the returned function is called. */
  hold(): () => void;
  /** How often its keys were requested. */
  asked(): number;
  /** The requested paths. */
  paths(): readonly string[];
  /** A token signed with its first key, for the audience `gateway` and valid for five minutes. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** The same token signed with another key. */
  tokenOf(key: Key, claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  readonly key: Key;
  /** Its entry in a configuration. */
  identity(more?: Partial<IdentityInput>): IdentityInput;
  close(): Promise<void>;
}

let made = 0;

export async function makeProviderKey(alg = 'ES256'): Promise<Key> {
  made += 1;
  const kid = `key-${made}`;
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, publicKey, jwk };
}

export async function startProvider(alg?: string): Promise<Provider> {
  const key = await makeProviderKey(alg);
  let published: readonly Record<string, unknown>[] = [key.jwk];
  let instead: Respond | undefined;
  let held: Promise<void> | undefined;
  const server = await startUpstream((...exchange) => {
    if (held === undefined) answer(...exchange);
    else void held.then(() => answer(...exchange));
  });
  const answer: Respond = (received, response, request) => {
    if (instead !== undefined) instead(received, response, request);
    else if (received.url === '/.well-known/openid-configuration')
      json(response, { issuer: server.url, jwks_uri: `${server.url}/keys` });
    else if (received.url === '/keys') json(response, { keys: published });
    else json(response, {}, 404);
  };

  function tokenOf(
    { privateKey, kid, alg: signedBy }: Key,
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    // Undefined claims are left out of a token.
    const said = { iss: server.url, aud: 'gateway', sub: 'alice', iat: now, exp: now + 300, ...claims };
    return new SignJWT(JSON.parse(JSON.stringify(said)))
      .setProtectedHeader(JSON.parse(JSON.stringify({ alg: signedBy, kid, ...header })))
      .sign(privateKey);
  }

  return {
    issuer: server.url,
    key,
    publish(...keys) {
      published = keys.map(({ jwk }) => jwk);
    },
    instead(respond) {
      instead = respond;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    asked: () => server.received.filter(({ url }) => url === '/keys').length,
    paths: () => server.received.map(({ url }) => url),
    token: (claims, header) => tokenOf(key, claims, header),
    tokenOf,
    identity: (more = {}) => ({ name: 'okta', issuer: server.url, audience: 'gateway', ...more }),
    close: server.close,
  };
}
