/** A vendor for tests: a real HTTP server that keeps every request and answers as the test says. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { getPort } from '../../src/upstream/net/bind.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface TestUpstream {
  readonly url: string;
  /** Every request so far, complete. */
  readonly received: Received[];
  /** Resolves with performance.now() when the connection of the next answer closes. */
  closed(): Promise<number>;
  close(): Promise<void>;
}

export type Respond = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

/** Starts a vendor; `respond` is called with each request after its body has arrived. */
export async function startUpstream(respond: Respond): Promise<TestUpstream> {
  const received: Received[] = [];
  const waiting: ((time: number) => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.once('close', () => waiting.shift()?.(performance.now()));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const whole = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      received.push(whole);
      respond(whole, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    received,
    closed: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Sends a whole JSON answer. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
