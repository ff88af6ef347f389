/**
 * Forwards calls to the gateway's own port, so that the console of the admin listener can ask models too. The gateway
 * authenticates them there as any other call: this adds no right, and no path beyond those of models.
 */

import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { H3 } from 'h3';
import { type Address, formatUrl } from '../../../upstream/net/bind.ts';
import { isEveryAddress } from '../../../upstream/net/loopback.ts';
import { cutOff } from '../cut-off.ts';
import { getNodeExchange } from '../node-exchange.ts';

const PATHS = ['/v1/**', '/v1beta/**', '/console/models.json'];

/** Adds the paths. @param gateway where the gateway listens for callers, as soon as it does */
export function addCallForwarding(app: H3, gateway: Promise<Address>): void {
  const url = gateway.then(({ host, port }) =>
    formatUrl({ host: isEveryAddress(host) ? 'localhost' : host, port }),
  );
  for (const path of PATHS) {
    app.all(path, async (event) => {
      const { message, response } = getNodeExchange(event);
      forward(message, response, await url);
      // The promise never settles, since h3 would write its value after the answer.
      return new Promise<never>(() => undefined);
    });
  }
}

function forward(message: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers } = message;
  const onward = request(url + (message.url ?? '/'), { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    // A client must not take a body that was cut for a complete one.
    answer.on('close', () => {
      if (!answer.complete) cutOff(response);
    });
  });
  onward.on('error', () => (response.headersSent ? cutOff(response) : fail(response)));
  response.on('close', () => onward.destroy());
  message.pipe(onward);
}

function fail(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'The gateway cannot be reached.', code: 'unreachable' } }));
}
