/** One exchange with a vendor. What is sent is what was given, apart from the credentials. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ANTHROPIC_VERSION } from '../../formats/messages/dialects.ts';
import { wordSet } from '../../lib/words.ts';
import type { CloudTokens } from '../../upstream/credentials/cloud-tokens.ts';
import { credentialFor } from '../../upstream/credentials/sent-credential.ts';
import { Payload } from '../../upstream/payload.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import { isCredential } from './secrets.ts';

/** Hop-by-hop headers (RFC 9110, 7.6.1), and those that the next hop sets itself. */
const OF_THIS_HOP = wordSet(`
  connection content-length expect host keep-alive proxy-authenticate proxy-connection te trailer
  transfer-encoding upgrade
`);

/** @returns the headers without those of this hop, which include the ones that `connection` names */
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

/**
 * @returns a caller's headers as the vendor receives them, without the caller's credentials and still without the
 *   vendor's
 */
export function headersTo(vendor: Vendor, caller: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(endToEnd(caller))) {
    if (value !== undefined && !isCredential(name)) kept[name] = value;
  }
  return {
    ...kept,
    // The recording should be readable, and compression would also hold events of a stream back.
    'accept-encoding': 'identity',
    ...vendor.headers,
  };
}

/**
 * @param anthropic whether the request is in Anthropic's format
 * @returns the headers that a client would send, for a request that has no client
 */
export function headersOfNobody(stream: boolean, anthropic: boolean): IncomingHttpHeaders {
  return {
    accept: stream ? 'text/event-stream' : 'application/json',
    'content-type': 'application/json',
    'user-agent': 'gateway',
    ...(anthropic && { 'anthropic-version': ANTHROPIC_VERSION }),
  };
}

/** A request to send. */
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

/** An answer, and a credential that the vendor received and no configuration contains. */
export interface Answering {
  readonly answer: Dispatcher.ResponseData;
  readonly secret?: string;
}

/**
 * Sends a request. A redirect is treated like any other answer.
 * @param cloudTokens gets a token if the vendor has no key
 * @returns the answer, with its body still to be read
 * @throws Error from undici if the exchange fails; GatewayError if no credentials can be had
 */
export async function ask(
  agent: Dispatcher,
  cloudTokens: CloudTokens,
  vendor: Vendor,
  { path, headers, body, signal }: Sending,
  waits: Waits,
): Promise<Answering> {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const { headers: own, ...shown } = await credentialFor(cloudTokens, vendor, {
    method: 'POST',
    path,
    headers: flat,
    body: new Payload([body]),
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
