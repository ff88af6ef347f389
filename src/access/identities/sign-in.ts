/**
 * Sign-in of people by an identity provider: OpenID Connect's code flow with PKCE (RFC 7636), by oauth4webapi. The
 * provider's client may be public, or have a secret.
 */

import type * as OAuth from 'oauth4webapi';
import { codeBehind } from '../../lib/error-code.ts';
import type { VendorProxy } from '../../upstream/agent.ts';
import { fetchBy, withTokenAgent } from '../../upstream/credentials/token-agent.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';
import { claimAt, isUnproven } from './claims.ts';

/** What a person may do: an administrator everything, a viewer look. */
export type Role = 'admin' | 'viewer';

export interface SignInOptions {
  /** Exactly as in the provider's tokens (`iss`). */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  readonly scope: string;
  /** The address that the provider sends the browser back to. */
  readonly redirectUri: string;
  /** The claim of the ID token that decides, and its values for each role. */
  readonly roles: {
    readonly claim: string;
    readonly admin: readonly string[];
    readonly viewer: readonly string[];
  };
  /** The proxy on the way to the provider; absent if there is none. */
  readonly proxy?: VendorProxy;
}

/** What the browser has to bring back. */
export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person who has signed in. */
export interface Person {
  readonly name: string;
  readonly role: Role;
}

/** Why somebody could not sign in, in words that reveal nothing secret. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
}

/** Loaded when somebody first signs in. */
type Library = typeof OAuth;

type ProviderRequest = OAuth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>;

/** Milliseconds for each request to the provider. */
const TIMEOUT = 10_000;

/** Milliseconds for which the provider's description of itself holds. */
const DESCRIBED = 60_000;

export function openSignIn({
  issuer,
  clientId,
  clientSecret,
  scope,
  redirectUri,
  roles,
  proxy,
}: SignInOptions) {
  const client: OAuth.Client = { client_id: clientId };
  const options = (oauth: Library) => ({
    [oauth.customFetch]: (url: string, request: ProviderRequest) => fetchWhole(proxy, url, request),
    // A provider on this machine, as in tests, may be asked without TLS.
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer).hostname),
  });
  const discover = askedSeldom(async () => {
    const oauth = await import('oauth4webapi');
    const at = new URL(issuer);
    const response = await oauth.discoveryRequest(at, { algorithm: 'oidc', ...options(oauth) });
    return oauth.processDiscoveryResponse(at, response);
  });

  return {
    /** Begins: the address to send the browser to. @throws SignInFailed */
    async begin(): Promise<{ readonly url: string; readonly pending: Pending }> {
      const oauth = await import('oauth4webapi');
      try {
        const { authorization_endpoint: endpoint } = await discover();
        if (endpoint === undefined)
          throw new SignInFailed('The identity provider names no authorization endpoint.');
        const pending = {
          state: oauth.generateRandomState(),
          nonce: oauth.generateRandomNonce(),
          verifier: oauth.generateRandomCodeVerifier(),
        };
        const url = new URL(endpoint);
        for (const [name, value] of Object.entries({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        }))
          url.searchParams.set(name, value);
        return { url: url.href, pending };
      } catch (error) {
        throw asFailure(oauth, error);
      }
    },
    /** Ends, with the address that the browser came back to. @throws SignInFailed */
    async end(callback: URL, { state, nonce, verifier }: Pending): Promise<Person> {
      const oauth = await import('oauth4webapi');
      const clientAuth = clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
      try {
        const server = await discover();
        const parameters = oauth.validateAuthResponse(server, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          clientAuth,
          parameters,
          redirectUri,
          verifier,
          options(oauth),
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, options(oauth));
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        if (claims === undefined) throw new SignInFailed('The identity provider sent no ID token.');
        if (isUnproven(roles.claim, claims))
          throw new SignInFailed('The identity provider has not verified your e-mail address.');
        const role = roleIn(claims, roles);
        if (role === undefined)
          throw new SignInFailed(
            `Your account may not use this console: its claim ${roles.claim} names no role here.`,
          );
        return { name: personName(claims), role };
      } catch (error) {
        throw asFailure(oauth, error);
      }
    },
  };
}

/** The name that the audit trail has. An address that anybody could have given would blame whoever it belongs to. */
function personName(claims: OAuth.IDToken): string {
  const { email, preferred_username: username, sub } = claims;
  const proven = isUnproven('email', claims) ? undefined : email;
  return [proven, username].find((each) => typeof each === 'string') ?? sub;
}

/** Fetches an answer and its body, as Node's own fetch would without a proxy. */
async function fetchWhole(
  proxy: VendorProxy | undefined,
  url: string,
  { method, headers, redirect, body }: ProviderRequest,
): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT);
  return await withTokenAgent(proxy, signal, async (agent) => {
    const answer = await fetchBy(agent, url, { method, headers, redirect, ...(body && { body }), signal });
    const text = await answer.text();
    // A status such as 204 may have no body, not even an empty one.
    return new Response(text === '' ? null : text, { status: answer.status, headers: [...answer.headers] });
  });
}

/**
 * Asks for something once at a time, and keeps what it gets for DESCRIBED milliseconds: whoever reaches the admin listener
 * could otherwise have the provider asked as often as they like.
 */
function askedSeldom<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (asked !== undefined && performance.now() < until) return asked;
    until = Number.POSITIVE_INFINITY;
    asked = ask();
    asked.then(
      () => {
        until = performance.now() + DESCRIBED;
      },
      () => {
        asked = undefined;
      },
    );
    return asked;
  };
}

/** The role that a claim gives; the higher one if it gives both. */
function roleIn(claims: OAuth.IDToken, { claim, admin, viewer }: SignInOptions['roles']): Role | undefined {
  const values = [claimAt(claims, claim)].flat().map(String);
  if (values.some((value) => admin.includes(value))) return 'admin';
  return values.some((value) => viewer.includes(value)) ? 'viewer' : undefined;
}

/**
 * A code of an error, such as `access_denied`. The characters are those of RFC 6749, 4.1.2.1: the code comes back in an
 * address that anybody can write, and goes into the log.
 */
const ERROR_CODE = /^[ !#-[\]-~]{1,100}$/;

function asFailure(oauth: Library, error: unknown): SignInFailed {
  if (error instanceof SignInFailed) return error;
  // The second is the answer to the code, such as `invalid_client` for a wrong secret (RFC 6749, 5.2).
  if (
    (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) &&
    ERROR_CODE.test(error.error)
  )
    return new SignInFailed(`The identity provider refused: ${error.error}.`, { cause: error });
  // An error of fetch has its code in the cause; those of the library have one of their own.
  const code = codeBehind(error) || codeBehind(error instanceof Error ? error.cause : undefined);
  return new SignInFailed(`The identity provider could not be asked, or its answer is not valid${code}.`, {
    cause: error,
  });
}
