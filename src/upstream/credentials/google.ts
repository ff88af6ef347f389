/**
 * Fetches access tokens of Google for Vertex AI: with a service account's key, workload identity federation, a user's
 * own credentials, or the metadata server ("How Application Default Credentials works", Google Cloud documentation).
 */

import type { GoogleAuthOptions } from 'google-auth-library';
import { fetch } from 'undici';
import { bearerToken, type Fetch, type GoogleCloud, UNKNOWN_LIFETIME } from './cloud.ts';
import { withTokenAgent } from './token-agent.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Fetches a token, which is sent with each request. The file is read again each time, because it may have been
 * replaced.
 */
export function googleToken({ file, proxy }: GoogleCloud): Fetch {
  return (signal) =>
    withTokenAgent(proxy, signal, async (agent) => {
      const { GoogleAuth, gcpMetadata } = await import('google-auth-library');
      const clientOptions: NonNullable<GoogleAuthOptions['clientOptions']> = {
        transporterOptions: {
          fetchImplementation: (url, init) => fetch(url, { ...init, dispatcher: agent }),
        },
      };
      const auth = new GoogleAuth({ scopes: SCOPE, clientOptions });
      // A pod often starts before its metadata server. The library would remember for good that there is none.
      gcpMetadata.resetIsAvailableCache();
      // The only way to read a file without a deprecation warning on the console: the one of the environment variable.
      const client = await (file === undefined
        ? auth.getClient()
        : auth._getApplicationCredentialsFromFilePath(file, clientOptions));
      const headers = await client.getRequestHeaders();
      const token = headers.get('authorization')?.replace(/^Bearer /, '');
      if (!token) throw new Error('Google answered without an access token.');
      // The project that pays, if a user's own credentials name one.
      const payer = headers.get('x-goog-user-project');
      return bearerToken(
        token,
        client.credentials.expiry_date ?? Date.now() + UNKNOWN_LIFETIME,
        payer === null ? {} : { 'x-goog-user-project': payer },
      );
    });
}
