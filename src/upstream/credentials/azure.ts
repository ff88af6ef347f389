/** Fetches access tokens of Microsoft Entra ID. That takes one request, while Microsoft's library weighs 49 MB. */

import { readFile } from 'node:fs/promises';
import type { Dispatcher, Response } from 'undici';
import { asObject, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { withoutSecrets } from '../redact.ts';
import { type AzureFlow, azureFlow } from './azure-flow.ts';
import { type AzureCloud, bearerToken, type Fetch, UNKNOWN_LIFETIME } from './cloud.ts';
import { fetchBy, withTokenAgent } from './token-agent.ts';

/** Fetches a token, which is sent with each request. */
export function azureToken(cloud: AzureCloud): Fetch {
  return (signal) =>
    withTokenAgent(cloud.proxy, signal, async (agent) => {
      const way = azureFlow(cloud, process.env);
      if (typeof way === 'string') throw new Error(`It ${way}.`);
      const answer = await readAnswer(agent, way, cloud.scope, signal);
      const token = asText(answer['access_token']);
      if (!token) throw new Error('Microsoft answered without an access token.');
      return bearerToken(token, parseExpiry(answer));
    });
}

async function readAnswer(
  agent: Dispatcher,
  way: AzureFlow,
  scope: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (way.by === 'secret') return posted(agent, way, { client_secret: way.secret }, scope, signal);
  if (way.by === 'workload') {
    // Kubernetes writes a new token every hour.
    const assertion = (await readFile(way.file, 'utf8')).trim();
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const proof = { client_assertion_type: type, client_assertion: assertion };
    return posted(agent, way, proof, scope, signal);
  }
  const isMachine = way.by === 'machine';
  const url = new URL(way.url);
  url.searchParams.set('api-version', isMachine ? '2018-02-01' : '2019-08-01');
  // The metadata services expect the resource without a scope.
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

/**
 * @param secret a text that must not appear in an error. @throws Error whose code is Microsoft's word for the problem
 * (`invalid_client`).
 */
async function read(response: Response, secret = ''): Promise<JsonObject> {
  const answer = asObject(tryParseJson(await response.text()));
  if (response.ok && answer !== undefined) return answer;
  const code = asText(answer?.['error']) ?? `HTTP_${response.status}`;
  // The description has the problem first, and then the ids of the attempt, each as a sentence or a line of its own.
  // App Service answers with a status and a message instead.
  const description = asText(answer?.['error_description']) ?? asText(answer?.['message']) ?? '';
  const [said = ''] = description.split(/\r?\n| Trace ID/);
  throw Object.assign(new Error(withoutSecrets(`${code}${said === '' ? '' : `: ${said}`}`, secret)), {
    code,
  });
}

/** When a token expires: the answer has seconds from now or seconds since 1970, as a number or as text. */
function parseExpiry(answer: JsonObject): number {
  const within = Number(answer['expires_in']);
  const at = Number(answer['expires_on']);
  if (within > 0) return Date.now() + within * 1000;
  return at > 0 ? at * 1000 : Date.now() + UNKNOWN_LIFETIME;
}
