/** What connections to a vendor over TLS have in common: the context, and the session that each begins with. */

import { createServer } from 'node:https';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openAgent } from '../../src/upstream/agent.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import { collect } from '../support/held.ts';
import { pem, startTunnel, toHere } from '../support/vendor-test.ts';

/** A vendor over TLS. @returns its port, and whether each of its connections so far resumed an earlier session. */
async function startVendor(): Promise<{ port: number; resumed: readonly boolean[] }> {
  const resumed: boolean[] = [];
  const server = createServer({ cert: pem('good.pem'), key: pem('server.key') }, (_, response) =>
    response.end('hello'),
  ).on('secureConnection', (socket) => void resumed.push(socket.isSessionReused()));
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port, resumed };
}

test.each(['directly', 'through a proxy'])(
  'U-53 connections share a TLS context and resume a session, %s',
  async (way) => {
    const { port, resumed } = await startVendor();
    const origin = `https://vendor.test:${port}`;
    const proxy = way === 'directly' ? undefined : await startTunnel(port);
    const made = vi.spyOn(tls, 'createSecureContext');
    onTestFinished(() => made.mockRestore());
    const agent = openAgent({
      connect: 5_000,
      publicHosts: new Set(),
      tls: new Map([[origin, { ca: pem('ca.pem') }]]),
      lookup: toHere,
      ...(proxy && { proxy: { url: proxy.url, except: '' } }),
    });
    onTestFinished(() => agent.destroy());
    for (const _ of [1, 2, 3]) {
      const { statusCode, body } = await agent.request({ origin, path: '/', method: 'GET', reset: true });
      expect([statusCode, await body.text()]).toEqual([200, 'hello']);
      await collect();
    }
    expect(resumed).toEqual([false, true, true]);
    // Behind a proxy, there is one for all other vendors at once.
    expect(made).toHaveBeenCalledTimes(way === 'directly' ? 1 : 2);
  },
);
