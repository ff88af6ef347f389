/**
 * Decides how to get a token of Microsoft Entra ID: with a client secret, with the token that Kubernetes projects into
 * a pod, or with the managed identity of the machine. The order and the variables are those of Microsoft's libraries
 * (`DefaultAzureCredential`), without those in which a person signs in.
 */

import type { Environment } from '../../lib/environment.ts';
import type { AzureCloud } from './cloud.ts';

/** One way to get a token. */
export type AzureFlow =
  | { readonly by: 'secret'; readonly url: string; readonly clientId: string; readonly secret: string }
  | { readonly by: 'workload'; readonly url: string; readonly clientId: string; readonly file: string }
  | { readonly by: 'app-service'; readonly url: string; readonly header: string; readonly clientId?: string }
  | { readonly by: 'machine'; readonly url: string; readonly clientId?: string };

const AUTHORITY = 'https://login.microsoftonline.com';
/** Azure's metadata service, which every machine there can reach ("Azure Instance Metadata Service"). */
const METADATA = 'http://169.254.169.254';

/** @returns the way; or the end of a sentence that says what is missing or wrong. */
export function azureFlow(given: Omit<AzureCloud, 'type' | 'scope'>, env: Environment): AzureFlow | string {
  const clientId = given.clientId ?? (env['AZURE_CLIENT_ID'] || undefined);
  const secret = given.clientSecret ?? (env['AZURE_CLIENT_SECRET'] || undefined);
  const file = env['AZURE_FEDERATED_TOKEN_FILE'];
  if (secret === undefined && !file) return managedIdentity(clientId, env);
  const tenantId = given.tenantId ?? (env['AZURE_TENANT_ID'] || undefined);
  if (tenantId === undefined) return 'needs tenantId (or AZURE_TENANT_ID)';
  if (clientId === undefined) return 'needs clientId (or AZURE_CLIENT_ID)';
  const authority = (env['AZURE_AUTHORITY_HOST'] || AUTHORITY).replace(/\/+$/, '');
  const url = `${authority}/${tenantId}/oauth2/v2.0/token`;
  if (!URL.canParse(url)) return 'AZURE_AUTHORITY_HOST must be https://…';
  return secret === undefined
    ? { by: 'workload', url, clientId, file: file ?? '' }
    : { by: 'secret', url, clientId, secret };
}

/** The way of a machine that Azure itself vouches for. @param clientId which of its identities; absent: its own. */
function managedIdentity(clientId: string | undefined, env: Environment): AzureFlow {
  const identity = clientId === undefined ? {} : { clientId };
  const endpoint = env['IDENTITY_ENDPOINT'];
  const header = env['IDENTITY_HEADER'];
  if (endpoint && header) return { by: 'app-service', url: endpoint, header, ...identity };
  const host = env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] || METADATA;
  return { by: 'machine', url: `${host.replace(/\/+$/, '')}/metadata/identity/oauth2/token`, ...identity };
}
