/**
 * Forwards calls to the gateway's own port, so that the console of the admin listener can ask models too. The gateway
 * authenticates them there as any other call: this adds no right, and no path beyond those of models.
 */

import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { ConnectionOptions, SecureContextOptions } from 'node:tls';
import type { H3 } from 'h3';
import { type Address, formatUrl } from '../../../upstream/net/bind.ts';
import { isEveryAddress } from '../../../upstream/net/loopback.ts';
import type { ServerCertificate } from '../../../upstream/net/terminate-tls.ts';
import { cutOff } from '../cut-off.ts';
import { getNodeExchange } from '../node-exchange.ts';

const PATHS = ['/v1/**', '/v1beta/**', '/console/models.json'];

/** Where a gateway listens for callers. */
export interface CallersAddress extends Address {
  /** The certificate that it shows now. */
  certificate(): ServerCertificate | undefined;
}

/** Adds the paths. @param gateway where the gateway listens for callers, as soon as it does */
export function addCallForwarding(app: H3, gateway: Promise<CallersAddress>): void {
  for (const path of PATHS) {
    app.all(path, async (event) => {
      const { message, response } = getNodeExchange(event);
      forward(message, response, await gateway);
      // The promise never settles, since h3 would write its value after the answer.
      return new Promise<never>(() => undefined);
    });
  }
}

/** What concerns one connection only (RFC 9110, 7.6.1), apart from the framing of a request, which stays the same. */
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'] as const;
const OF_ANSWERED_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'] as const;

function forward(message: IncomingMessage, response: ServerResponse, gateway: CallersAddress): void {
  const { method } = message;
  const headers = without(OF_CONNECTION, message.headers);
  const host = isEveryAddress(gateway.host) ? 'localhost' : gateway.host;
  const tls = gateway.certificate();
  const url = formatUrl({ host, port: gateway.port, tls }) + (message.url ?? '/');
  const options = { method, headers, agent: false };
  const answered = (answer: IncomingMessage): void => {
    // The rest of a request whose body is refused is not waited for, nor is it sent on: that would fail once the gateway
    // has closed the connection, and the answer with it.
    if (!message.complete) {
      response.setHeader('connection', 'close');
      message.unpipe(onward);
    }
    // The answer gets a framing of its own: a caller of HTTP/1.0 knows no chunks (RFC 9112, 6.1).
    response.writeHead(answer.statusCode ?? 502, without(OF_ANSWERED_CONNECTION, answer.headers));
    answer.pipe(response);
    // A client must not take a body that was cut for a complete one.
    answer.on('close', () => {
      if (!answer.complete) cutOff(response);
    });
  };
  const onward =
    tls === undefined
      ? request(url, options, answered)
      : requestSecurely(url, { ...options, ...onlyShowing(tls) }, answered);
  onward.on('error', () => (response.headersSent ? cutOff(response) : fail(response)));
  // A caller who waits for it sends no body before. HTTP/1.0 does not know it (RFC 9110, 10.1.1).
  if (message.httpVersion !== '1.0') onward.on('continue', () => response.writeContinue());
  response.on('close', () => onward.destroy());
  message.pipe(onward);
}

function without<T>(names: readonly string[], headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

/** Options that accept a server with this very certificate, whatever names stand in it and whoever has signed it. */
function onlyShowing({ cert }: ServerCertificate): SecureContextOptions & ConnectionOptions {
  return { ca: cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

function fail(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'The gateway cannot be reached.', code: 'unreachable' } }));
}
