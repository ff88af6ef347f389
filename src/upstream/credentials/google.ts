/**
 * Access tokens of Google for Vertex AI: by a service account's key, by workload identity federation, by a user's own, or
 * from the metadata server ("How Application Default Credentials works", Google Cloud documentation).
 */

import type { GoogleAuthOptions } from 'google-auth-library';
import { fetch } from 'undici';
import { bearerOf, type Fetch, type GoogleCloud, UNTOLD } from './cloud.ts';
import { withTokenAgent } from './token-agent.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Reads the file anew each time: it may have been replaced. */
export function googlePass({ file, proxy }: GoogleCloud): Fetch {
  return (signal) =>
    withTokenAgent(proxy, signal, async (agent) => {
      const { GoogleAuth, gcpMetadata } = await import('google-auth-library');
      const clientOptions: NonNullable<GoogleAuthOptions['clientOptions']> = {
        transporterOptions: {
          fetchImplementation: (url, init) => fetch(url, { ...init, dispatcher: agent }),
        },
      };
      const auth = new GoogleAuth({ scopes: SCOPE, clientOptions });
      // A pod is often up before its metadata server is, and that there is none would be remembered for good.
      gcpMetadata.resetIsAvailableCache();
      // By the one way to read a file that is not told on the console to be deprecated: that of its own variable.
      const client = await (file === undefined
        ? auth.getClient()
        : auth._getApplicationCredentialsFromFilePath(file, clientOptions));
      const headers = await client.getRequestHeaders();
      const token = headers.get('authorization')?.replace(/^Bearer /, '');
      if (!token) throw new Error('There is no access token in what Google has answered.');
      // Which project pays, where a user's own credentials say so.
      const payer = headers.get('x-goog-user-project');
      return bearerOf(
        token,
        client.credentials.expiry_date ?? Date.now() + UNTOLD,
        payer === null ? {} : { 'x-goog-user-project': payer },
      );
    });
}
