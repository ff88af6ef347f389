/** How long connections to vendors are kept without a request. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openAgent } from '../../src/upstream/agent.ts';
import { bind, formatUrl } from '../../src/upstream/net/bind.ts';

const HOST = '127.0.0.1';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/**
 * Asks a server twice, with a pause in which it does not close the connection, and says nothing of how long it would keep
 * it.
 * @returns how many connections it took.
 */
async function connections(publicHosts: ReadonlySet<string>, pause: number): Promise<number> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('data', () => socket.write(ANSWER));
    socket.on('error', () => undefined);
  });
  const origin = formatUrl({ host: HOST, port: await bind(server, { host: HOST, port: 0 }) });
  const agent = openAgent({ connect: 1_000, publicHosts });
  const ask = async (): Promise<void> => {
    const { body } = await agent.request({ origin, path: '/', method: 'POST', body: '{}' });
    expect(await body.text()).toBe('{}');
  };
  try {
    await ask();
    await sleep(pause);
    await ask();
    return count;
  } finally {
    await agent.destroy();
    server.close();
    await once(server, 'close');
  }
}

test('a connection outlives a pause of a dialogue at a well-known vendor, and not at any other server', async () => {
  const counts = await Promise.all([
    connections(new Set([HOST]), 6_000),
    connections(new Set(), 6_000),
    connections(new Set(), 0),
  ]);
  expect(counts).toEqual([1, 2, 1]);
});
