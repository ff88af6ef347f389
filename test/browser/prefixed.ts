/** A proxy that serves what is at an address below a path of its own, as `location /below/ { proxy_pass …/; }` of nginx does. */

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { getPort } from '../../src/upstream/net/bind.ts';

/** @returns where it serves `origin`, without a slash at its end. It is closed after the test. */
export async function prefixed(origin: string): Promise<string> {
  const server = createServer((incoming, response) => {
    const { url = '/', method, headers } = incoming;
    if (!url.startsWith('/below/')) {
      response.writeHead(404).end();
      return;
    }
    const onward = request(origin + url.slice('/below'.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${getPort(server)}/below`;
}
