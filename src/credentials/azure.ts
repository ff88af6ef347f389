/**
 * Access tokens of Microsoft Entra ID: by a client's secret, by the token that Kubernetes projects into a pod, or by the
 * managed identity of the machine. The order and the variables are those of Microsoft's own libraries
 * (`DefaultAzureCredential`), of which these ways are the ones that need nobody to sign in.
 */

import { readFile } from 'node:fs/promises';
import type { Dispatcher, Response } from 'undici';
import type { Environment } from '../config/environment.ts';
import { asObject, asText, type JsonObject, tryParseJson } from '../json.ts';
import { withoutSecrets } from '../redact.ts';
import { type AzureCloud, bearerOf, type Fetch } from './cloud.ts';
import { fetchBy, withTokenAgent } from './token-agent.ts';

/** How a token is asked for. */
export type AzureWay =
  | { readonly by: 'secret'; readonly url: string; readonly clientId: string; readonly secret: string }
  | { readonly by: 'workload'; readonly url: string; readonly clientId: string; readonly file: string }
  | { readonly by: 'app-service'; readonly url: string; readonly header: string; readonly clientId?: string }
  | { readonly by: 'machine'; readonly url: string; readonly clientId?: string };

const AUTHORITY = 'https://login.microsoftonline.com';
/** Azure's metadata service, which any machine there has ("Azure Instance Metadata Service"). */
const METADATA = 'http://169.254.169.254';

/** @returns a sentence's end, where what is said cannot be all of it. */
export function azureWay(given: Omit<AzureCloud, 'type' | 'scope'>, env: Environment): AzureWay | string {
  const clientId = given.clientId ?? (env['AZURE_CLIENT_ID'] || undefined);
  const tenantId = given.tenantId ?? (env['AZURE_TENANT_ID'] || undefined);
  const secret = given.clientSecret ?? (env['AZURE_CLIENT_SECRET'] || undefined);
  const file = env['AZURE_FEDERATED_TOKEN_FILE'];
  if (secret !== undefined || file) {
    if (tenantId === undefined) return 'needs tenantId (or AZURE_TENANT_ID)';
    if (clientId === undefined) return 'needs clientId (or AZURE_CLIENT_ID)';
    const authority = (env['AZURE_AUTHORITY_HOST'] || AUTHORITY).replace(/\/+$/, '');
    const url = `${authority}/${tenantId}/oauth2/v2.0/token`;
    if (!URL.canParse(url)) return 'AZURE_AUTHORITY_HOST must be https://…';
    return secret === undefined
      ? { by: 'workload', url, clientId, file: file ?? '' }
      : { by: 'secret', url, clientId, secret };
  }
  const endpoint = env['IDENTITY_ENDPOINT'];
  const header = env['IDENTITY_HEADER'];
  const identity = clientId === undefined ? {} : { clientId };
  if (endpoint && header) return { by: 'app-service', url: endpoint, header, ...identity };
  const host = env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] || METADATA;
  return { by: 'machine', url: `${host.replace(/\/+$/, '')}/metadata/identity/oauth2/token`, ...identity };
}

export function azurePass(cloud: AzureCloud): Fetch {
  return (signal) =>
    withTokenAgent(cloud.proxy, signal, async (agent) => {
      const way = azureWay(cloud, process.env);
      if (typeof way === 'string') throw new Error(`It ${way}.`);
      const told = await answerOf(agent, way, cloud.scope, signal);
      const token = asText(told['access_token']);
      if (!token) throw new Error('There is no access token in what Microsoft has answered.');
      return bearerOf(token, endOf(told));
    });
}

async function answerOf(
  agent: Dispatcher,
  way: AzureWay,
  scope: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (way.by === 'secret') return posted(agent, way, { client_secret: way.secret }, scope, signal);
  if (way.by === 'workload') {
    // Kubernetes writes a new one every hour.
    const assertion = (await readFile(way.file, 'utf8')).trim();
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const proof = { client_assertion_type: type, client_assertion: assertion };
    return posted(agent, way, proof, scope, signal);
  }
  const isMachine = way.by === 'machine';
  const url = new URL(way.url);
  url.searchParams.set('api-version', isMachine ? '2018-02-01' : '2019-08-01');
  // These name the resource, not what of it.
  url.searchParams.set('resource', scope.replace(/\/\.default$/, ''));
  if (way.clientId !== undefined) url.searchParams.set('client_id', way.clientId);
  const headers: Record<string, string> = isMachine
    ? { metadata: 'true' }
    : { 'x-identity-header': way.by === 'app-service' ? way.header : '' };
  return read(await fetchBy(agent, url.href, { headers, signal, redirect: 'error' }));
}

async function posted(
  agent: Dispatcher,
  { url, clientId }: { readonly url: string; readonly clientId: string },
  proof: Readonly<Record<string, string>>,
  scope: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const form = { grant_type: 'client_credentials', client_id: clientId, scope, ...proof };
  const body = new URLSearchParams(form).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = { method: 'POST', headers, body, signal, redirect: 'error' } as const;
  return read(await fetchBy(agent, url, sent), proof['client_secret']);
}

/** @param secret what is not to be told. @throws Error with the word of what is wrong as its code (`invalid_client`). */
async function read(response: Response, secret = ''): Promise<JsonObject> {
  const told = asObject(tryParseJson(await response.text()));
  if (response.ok && told !== undefined) return told;
  const code = asText(told?.['error']) ?? `HTTP_${response.status}`;
  // In a sentence of its own each: what is wrong, and ids of the attempt.
  const [said = ''] = (asText(told?.['error_description']) ?? '').split(/\r?\n| Trace ID/);
  throw Object.assign(new Error(withoutSecrets(`${code}${said === '' ? '' : `: ${said}`}`, secret)), {
    code,
  });
}

/** When a token ends: in seconds from now, or since 1970; some write the number as a text. */
function endOf(told: JsonObject): number {
  const within = Number(told['expires_in']);
  const at = Number(told['expires_on']);
  if (within > 0) return Date.now() + within * 1000;
  return at > 0 ? at * 1000 : Date.now() + UNTOLD;
}

/** For how long a token is used of which nobody says when it ends, in milliseconds. */
const UNTOLD = 300_000;
