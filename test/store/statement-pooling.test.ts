/** A start at a pooler that lends its connections for single statements, as PgBouncer does in its statement mode. */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { waitForStore } from '../../src/store/wait-for-store.ts';
import { getPort } from '../../src/upstream/net/bind.ts';

/** A message of PostgreSQL's protocol ("Message Formats" of its documentation). */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ADMITTED = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const REFUSED = message(
  'E',
  Buffer.from('SFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0'),
);

test('a pooler in statement mode is not waited for, and the error says what to change', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(ADMITTED);
      socket.once('data', () => socket.end(REFUSED));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `postgres://u@127.0.0.1:${getPort(server)}/db`;
  const told: string[] = [];
  const opening = waitForStore(() => openStore({ path: '', url }, () => undefined), {
    wait: 3_600_000,
    log: (reason) => void told.push(reason),
  });
  await expect(opening).rejects.toThrow(
    /^the store PostgreSQL \(127\.0\.0\.1\/db\) cannot be opened: transaction blocks not allowed in statement pooling mode\. The pooler before it must lend its connections for transactions or sessions \(pool_mode of PgBouncer\)$/,
  );
  expect(told).toEqual([]);
});
