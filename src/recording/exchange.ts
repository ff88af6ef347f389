/** One exchange with a vendor: what is sent is what was given, but for whose key it bears. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ANTHROPIC_VERSION, credentialOf } from '../vendors/headers.ts';
import type { Vendor } from '../vendors/vendor.ts';
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

/** A caller's headers as the vendor gets them: without the caller's credentials, with the vendor's key. */
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
    [vendor.auth]: credentialOf(vendor),
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

/** Sends a request; a redirect is an answer like any other. @throws Error what undici says. */
export function ask(
  agent: Dispatcher,
  vendor: Vendor,
  { path, headers, body, signal }: Sending,
  waits: Waits,
): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: vendor.origin,
    path,
    method: 'POST',
    headers,
    body,
    signal,
    headersTimeout: waits.firstByte,
    bodyTimeout: waits.idle,
  });
}
