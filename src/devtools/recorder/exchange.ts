/** One exchange with a vendor: what is sent is what was given, but for whose key it bears. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ANTHROPIC_VERSION } from '../../formats/messages/dialects.ts';
import type { CloudTokens } from '../../upstream/credentials/cloud-tokens.ts';
import { credentialFor } from '../../upstream/credentials/sent-credential.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import { isCredential } from './secrets.ts';

/** Headers of one hop (RFC 9110, 7.6.1), and those that the next hop has of its own. */
const OF_THIS_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers without those of this hop; what `connection` names are of this hop too. */
export function endToEnd<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  const nominated = new Set(
    String(headers['connection'] ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_THIS_HOP.has(name) && !nominated.has(name)),
  );
}

/** A caller's headers as the vendor gets them, but for what it is shown: without the caller's credentials. */
export function headersTo(vendor: Vendor, caller: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(endToEnd(caller))) {
    if (value !== undefined && !isCredential(name)) kept[name] = value;
  }
  return {
    ...kept,
    // What is recorded is to be read; a compressed stream would also hold events back.
    'accept-encoding': 'identity',
    ...vendor.headers,
  };
}

/** The headers that a client would send, where there is none. */
export function headersOfNobody(stream: boolean, anthropic: boolean): IncomingHttpHeaders {
  return {
    accept: stream ? 'text/event-stream' : 'application/json',
    'content-type': 'application/json',
    'user-agent': 'gateway',
    ...(anthropic && { 'anthropic-version': ANTHROPIC_VERSION }),
  };
}

export interface Sending {
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** How long a vendor may be silent, in milliseconds. */
export interface Waits {
  readonly firstByte: number;
  readonly idle: number;
}

/** An answer, and what the vendor was shown that stands in no configuration. */
export interface Answering {
  readonly answer: Dispatcher.ResponseData;
  readonly secret?: string;
}

/**
 * Sends a request; a redirect is an answer like any other.
 * @throws Error what undici says; GatewayError where there are no credentials to be had
 */
export async function ask(
  agent: Dispatcher,
  passes: CloudTokens,
  vendor: Vendor,
  { path, headers, body, signal }: Sending,
  waits: Waits,
): Promise<Answering> {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const { headers: own, ...shown } = await credentialFor(passes, vendor, {
    method: 'POST',
    path,
    headers: flat,
    body,
  });
  const answer = await agent.request({
    origin: vendor.origin,
    path,
    method: 'POST',
    headers: { ...headers, ...own },
    body,
    signal,
    headersTimeout: waits.firstByte,
    bodyTimeout: waits.idle,
  });
  return { answer, ...shown };
}
