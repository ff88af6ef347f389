/**
 * Requests signed for AWS ("Signature Version 4", AWS documentation), with credentials from where all of AWS's programs
 * have them: the environment, a profile, a service account of Kubernetes, the container's or the machine's role.
 */

import { hash } from 'node:crypto';
import type { HttpRequest } from '@smithy/core/protocols';
import type { Dispatcher } from 'undici';
import type { AwsCloud, Fetch, Headers, Outgoing } from './cloud.ts';
import { withTokenAgent } from './token-agent.ts';

export function awsPass({ region, service, profile, proxy }: AwsCloud): Fetch {
  return async (signal) => {
    const [{ defaultProvider }, { SignatureV4 }, { Hash }, { HttpResponse }] = await Promise.all([
      import('@aws-sdk/credential-provider-node'),
      import('@smithy/signature-v4'),
      import('@smithy/core/serde'),
      import('@smithy/core/protocols'),
    ]);
    const credentials = await withTokenAgent(proxy, signal, (agent) => {
      const requestHandler = {
        handle: async (request: HttpRequest) => ({
          response: new HttpResponse(await answerOf(agent, request)),
        }),
      };
      const named = profile === undefined ? {} : { profile };
      // Read anew each time: its files may have been replaced.
      return defaultProvider({ ...named, ignoreCache: true, clientConfig: { region, requestHandler } })();
    });
    const { expiration, sessionToken, secretAccessKey } = credentials;
    const signer = new SignatureV4({ region, service, credentials, sha256: Hash.bind(null, 'sha256') });
    return {
      secret: sessionToken ?? secretAccessKey,
      expires: expiration?.getTime() ?? Number.POSITIVE_INFINITY,
      async headersFor(request) {
        const given = signable(request);
        const { headers } = await signer.sign({ ...given, query: queryOf(request) });
        return without(headers, given.headers);
      },
    };
  };
}

/** How AWS's library asks for credentials that are had by the network: as the gateway asks for anything. */
async function answerOf(agent: Dispatcher, request: HttpRequest) {
  const { protocol, hostname, port, path, method, headers, body } = request;
  const { statusCode, ...answer } = await agent.request({
    origin: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`,
    path: pathWith(path, request.query),
    method: method === 'GET' ? 'GET' : 'POST',
    headers,
    body,
  });
  const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
  const whole = Buffer.from(await answer.body.arrayBuffer());
  return { statusCode, headers: Object.fromEntries(told), body: whole };
}

function pathWith(path: string, query: HttpRequest['query']): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((each): [string, string] => [name, each]),
  );
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

/**
 * What a signature is of: where a request goes, its body, and of its headers the least that may be, since any other may
 * change on the way ("Create a signed AWS API request": the host, the type of what is sent, and all of AWS's own).
 */
function signable({ method, origin, path, headers, body }: Outgoing) {
  const { protocol, hostname, host } = new URL(origin);
  const signed: Record<string, string> = { host, 'x-amz-content-sha256': hash('sha256', body) };
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === 'content-type' || name.startsWith('x-amz-')) signed[name] = value;
  }
  return { method, protocol, hostname, path: path.replace(/\?.*/s, ''), headers: signed };
}

function queryOf({ path }: Outgoing): Record<string, string[]> {
  const at = path.indexOf('?');
  const query: Record<string, string[]> = {};
  if (at < 0) return query;
  for (const [name, value] of new URLSearchParams(path.slice(at))) {
    query[name] = [...(query[name] ?? []), value];
  }
  return query;
}

/** What signing has added, and the digest of the body; the host is every request's own. */
function without(signed: Headers, given: Headers): Headers {
  const names = Object.keys(signed).filter(
    (name) => name === 'x-amz-content-sha256' || !Object.hasOwn(given, name),
  );
  return Object.fromEntries(names.map((name) => [name, signed[name] ?? '']));
}
