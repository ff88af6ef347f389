/**
 * An OpenID Connect provider for tests: it signs in whoever comes at once, as the person that the test says, and holds its
 * client to the code flow with PKCE.
 */

import { createHash, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SignInRoutes } from '../../src/server/http/admin/sign-in-routes.ts';
import { type Key, makeProviderKey } from '../access/identities/provider.ts';
import { json, startUpstream } from './upstream.ts';

export interface SignInProvider {
  readonly issuer: string;
  /** The claims of whoever signs in from now on. */
  person: Record<string, unknown>;
  /** What the ID token says besides or instead, such as a wrong nonce. */
  instead: Record<string, unknown>;
  /** The key that signs; another one than is published makes a forged token. */
  signer: Key;
  /** How often its description was asked for. */
  described: number;
  /** How often a token was asked for. */
  granted: number;
  /** What a token waits for. */
  held: Promise<void> | undefined;
  close(): Promise<void>;
}

/** The client that the provider knows. */
export const CLIENT = { clientId: 'console', clientSecret: 'the-secret-of-the-console' } as const;

/** Signs people in to the console at an address: operators may do everything, and staff may look. */
export function signInBy({ issuer }: SignInProvider): (url: string) => SignInRoutes {
  return (url) => ({
    url,
    issuer,
    ...CLIENT,
    scope: 'openid email',
    roles: { claim: 'roles', admin: ['operators'], viewer: ['staff'] },
  });
}

export async function startSignInProvider(): Promise<SignInProvider> {
  const key = await makeProviderKey();
  /** The parameters of the requests for authorization, by the code that answered each. */
  const begun = new Map<string, URLSearchParams>();
  const server = await startUpstream(async ({ url, body }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const { issuer } = provider;
    if (pathname === '/.well-known/openid-configuration') {
      provider.described += 1;
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    }
    if (pathname === '/keys') return json(response, { keys: [key.jwk] });
    if (pathname === '/authorize') {
      const code = randomBytes(8).toString('hex');
      begun.set(code, searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href });
      return response.end();
    }
    provider.granted += 1;
    await provider.held;
    const given = new URLSearchParams(body.toString());
    const asked = begun.get(given.get('code') ?? '');
    begun.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      pathname === '/token' &&
      asked?.get('code_challenge_method') === 'S256' &&
      asked.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === given.get('redirect_uri') &&
      given.get('client_id') === CLIENT.clientId &&
      given.get('client_secret') === CLIENT.clientSecret;
    if (!isRight) return json(response, { error: 'invalid_grant' }, 400);
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: 'alice',
      iat: now,
      exp: now + 60,
      nonce: asked.get('nonce'),
    };
    const token = await new SignJWT({ ...claims, ...provider.person, ...provider.instead })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .sign(provider.signer.privateKey);
    return json(response, { access_token: 'unused', token_type: 'Bearer', id_token: token });
  });
  const provider: SignInProvider = {
    issuer: server.url,
    person: {},
    instead: {},
    signer: key,
    described: 0,
    granted: 0,
    held: undefined,
    close: server.close,
  };
  return provider;
}
