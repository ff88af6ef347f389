import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Connection, paceConnection } from '../../../src/server/websocket/connection.ts';
import { getPort } from '../../../src/upstream/net/bind.ts';
import { soon } from '../../support/soon.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a client that reads slowly counts as alive while data waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = createServer();
  const acceptor = new WebSocketServer({ noServer: true });
  const accepted = new Promise<{ socket: WebSocket; raw: Socket; connection: Connection }>((resolve) => {
    server.on('upgrade', (request, raw, head) => {
      if (!(raw instanceof Socket)) throw new TypeError('It is a socket.');
      acceptor.handleUpgrade(request, raw, head, (socket) =>
        resolve({ socket, raw, connection: paceConnection(socket, raw, 60_000) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${getPort(server)}`);
  await new Promise((resolve) => client.once('open', resolve));
  const { socket, raw, connection } = await accepted;
  const closed = new Promise<string>((resolve) => client.once('close', () => resolve('closed')));
  const read = new Promise<number>((resolve) =>
    client.once('message', (data) => resolve(String(data).length)),
  );
  client.pause();
  const size = 50_000_000;
  connection.send('x'.repeat(size));
  expect(raw.writableLength).toBeGreaterThan(0);
  // Its messages are not read either until it has read what was sent.
  expect(socket.isPaused).toBe(true);
  for (let look = 0; look < 3; look += 1) vi.advanceTimersByTime(30_000);
  client.resume();
  expect(await Promise.race([read, closed])).toBe(size);

  // Nothing waits any more: now it is pinged, and no answer means that it is gone.
  await soon(() => expect(raw.writableLength).toBe(0));
  expect(socket.isPaused).toBe(false);
  client.pause();
  for (let look = 0; look < 2; look += 1) vi.advanceTimersByTime(30_000);
  client.resume();
  expect(await closed).toBe('closed');
  expect(vi.getTimerCount()).toBe(0);
  server.close();
});
