/**
 * Signs requests for AWS ("Signature Version 4", AWS documentation). The credentials come from AWS's default chain: the
 * environment, a profile, a Kubernetes service account, or the role of the container or the machine.
 */

import { createHash } from 'node:crypto';
import type { HttpRequest } from '@smithy/core/protocols';
import type { Dispatcher } from 'undici';
import type { LogProblem } from '../../lib/diagnostics.ts';
import type { Payload } from '../payload.ts';
import type { AwsCloud, Fetch, Headers, Outgoing } from './cloud.ts';
import { withTokenAgent } from './token-agent.ts';

/**
 * Fetches AWS credentials, which sign each request.
 * @param log called with what AWS's library warns of.
 */
export function awsToken({ region, service, profile, proxy }: AwsCloud, log: LogProblem): Fetch {
  const logger = loggerInto(log);
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
          response: new HttpResponse(await readAnswer(agent, request)),
        }),
      };
      const named = profile === undefined ? {} : { profile };
      // Read again each time, because its files may have been replaced.
      const clientConfig = { region, requestHandler };
      return defaultProvider({ ...named, logger, ignoreCache: true, clientConfig })().catch(tellOfContainer);
    });
    const { expiration, sessionToken, secretAccessKey } = credentials;
    const signer = new SignatureV4({ region, service, credentials, sha256: Hash.bind(null, 'sha256') });
    return {
      secret: sessionToken ?? secretAccessKey,
      expires: expiration?.getTime() ?? Number.POSITIVE_INFINITY,
      async headersFor(request) {
        const given = signable(request, await digest(request.body));
        const { headers } = await signer.sign({ ...given, query: parseQuery(request) });
        return without(headers, given.headers);
      },
    };
  };
}

/**
 * The logger of AWS's library, which writes to the console without one: each warning once, in one line. Only warnings
 * are for people.
 */
function loggerInto(log: LogProblem) {
  const told = new Set<string>();
  return {
    debug() {},
    info() {},
    error() {},
    warn(text: string) {
      // The first sentence says what it is about; the next one may have a time.
      const [about = ''] = text.split('.');
      if (told.has(about)) return;
      told.add(about);
      log(`The library for AWS credentials warns: ${text.trim().split(/\s+/).join(' ')}`);
    },
  };
}

/**
 * Replaces the error of a container whose service for credentials refuses or is away. AWS's library asks the address
 * once more then, as one that may only be `localhost`, and what it throws is about that (`fromContainerMetadata` of
 * `@smithy/credential-provider-imds`).
 */
function tellOfContainer(error: unknown): never {
  if (
    !(error instanceof Error) ||
    !error.message.endsWith('is not a valid container metadata service hostname')
  )
    throw error;
  const { name } = error;
  const message = 'the address in AWS_CONTAINER_CREDENTIALS_FULL_URI gave none, or could not be reached.';
  throw Object.assign(new Error(message), { name });
}

/** Sends the requests for credentials that AWS's library makes, through the gateway's own agent. */
async function readAnswer(agent: Dispatcher, request: HttpRequest) {
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
 * The part of a request that is signed: its target, its body, and as few of its headers as AWS allows ("Create a signed
 * AWS API request": the host, the content type and AWS's own), because others may change on the way.
 */
function signable({ method, origin, path, headers }: Outgoing, digest: string) {
  const { protocol, hostname, host } = new URL(origin);
  const signed: Record<string, string> = { host, 'x-amz-content-sha256': digest };
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === 'content-type' || name.startsWith('x-amz-')) signed[name] = value;
  }
  return { method, protocol, hostname, path: path.replace(/\?.*/s, ''), headers: signed };
}

/** The hash of a body, in hexadecimal. */
async function digest(body: Payload): Promise<string> {
  const hash = createHash('sha256');
  for await (const slice of body.slices()) hash.update(slice);
  return hash.digest('hex');
}

function parseQuery({ path }: Outgoing): Record<string, string[]> {
  const at = path.indexOf('?');
  const query: Record<string, string[]> = {};
  if (at < 0) return query;
  for (const [name, value] of new URLSearchParams(path.slice(at))) {
    query[name] = [...(query[name] ?? []), value];
  }
  return query;
}

/** The headers that signing added, and the digest of the body. The host is part of every request anyway. */
function without(signed: Headers, given: Headers): Headers {
  const names = Object.keys(signed).filter(
    (name) => name === 'x-amz-content-sha256' || !Object.hasOwn(given, name),
  );
  return Object.fromEntries(names.map((name) => [name, signed[name] ?? '']));
}
