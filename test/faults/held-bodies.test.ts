/** Bodies and answers that are on their way and not whole: what callers and vendors can make a process hold by them. */

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { call } from '../support/caller.ts';
import { KEY } from '../support/gateway.ts';
import { bodyOf, eventually, type RawClient, rawClient, statusOf } from '../support/raw.ts';
import { openStage, requestOf, type Stage, ways } from './stage.ts';

const MB = 1024 * 1024;
const SECOND = { name: 'second', key: 'second-key-of-these-tests' };
const THIRD = { name: 'third', key: 'third-key-of-these-tests' };

let stage: Stage;
afterEach(async () => {
  await stage.expectUnharmed([SECOND.key, THIRD.key]);
  await stage.close();
});

const paths = [
  ['chat-completions', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
  ['generate-content', '/v1beta/models/gemini-2.5-flash:generateContent'],
] as const;

/** A POST whose body does not come to its end: so much of it. */
function begin(
  path: string,
  size: number,
  key = KEY,
  body = Buffer.alloc(size, ' '),
  headers: readonly string[] = [],
): RawClient {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${4 * MB}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
  const client = rawClient(stage.gateway.port, head);
  client.socket.write(body);
  return client;
}

const isTaken = ({ socket }: RawClient): Promise<void> =>
  eventually(() => socket.writableLength === 0, 'it is read');

describe.each(paths)('H-01 request bodies on their way, %s', (_, path) => {
  const limits = { bodyBytes: 4 * MB, pendingBytes: 16 * MB, pendingBytesPerKey: 8 * MB };

  test('H-01 are bounded for a key: what goes beyond is refused, and room comes back', async () => {
    stage = await openStage({ limits });
    const all = [begin(path, 3.5 * MB), begin(path, 3.5 * MB)];
    await Promise.all(all.map(isTaken));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const refused = begin(path, 3.5 * MB);
    const answer = await refused.over;
    expect(statusOf(answer)).toBe(429);
    expect(bodyOf(answer)).toContain('bytes of requests and answers on their way');
    expect(all.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    // Who asks for little is served meanwhile.
    const [native] = ways;
    expect((await call(stage.gateway.url, native.path, requestOf(native, false))).status).toBe(200);
    for (const { socket } of all) socket.destroy();
    const later = begin(path, 3.5 * MB);
    await isTaken(later);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(later.text()).toBe('');
    later.socket.destroy();
  });

  test('H-01 are bounded in all: what holds most is cut and told why, and what came later is not', async () => {
    stage = await openStage({ limits: { ...limits, pendingBytes: 8 * MB }, keys: [SECOND, THIRD] });
    const large = begin(path, 3.9 * MB);
    await isTaken(large);
    const others = [begin(path, 2 * MB, SECOND.key), begin(path, 2 * MB, THIRD.key)];
    expect(statusOf(await large.over)).toBe(503);
    await Promise.all(others.map(isTaken));
    expect(others.map((other) => other.text())).toEqual(['', '']);
    for (const { socket } of others) socket.destroy();
  });
});

describe('H-02 compressed bodies', () => {
  test('H-02 count as what they become, and what their decompressor remembers', async () => {
    const limits = { bodyBytes: 4 * MB, pendingBytes: 16 * MB, pendingBytesPerKey: 8 * MB };
    stage = await openStage({ limits });
    // 3.9 MB of white space is 4 KB on the wire, of which the end does not come.
    const zipped = gzipSync(Buffer.alloc(3.9 * MB, ' ')).subarray(0, -20);
    const path = '/v1/chat/completions';
    const first = begin(path, 0, KEY, zipped, ['Content-Encoding: gzip']);
    const refused = begin(path, 0, KEY, zipped, ['Content-Encoding: gzip']);
    const answers = await Promise.race([first.over, refused.over]);
    expect(statusOf(answers)).toBe(429);
    for (const { socket } of [first, refused]) socket.destroy();
  });
});

describe('H-03 whole answers that are collected', () => {
  /** A vendor's answer of JSON, chunked by single bytes, of which the end does not come. */
  const inBytes = (size: number): string => `1\r\n \r\n`.repeat(size);

  test('H-03 take what their bytes take, however small the pieces are', { timeout: 60_000 }, async () => {
    stage = await openStage();
    const [, translated] = ways;
    // The first answers of a process take room that stays its own.
    await call(stage.gateway.url, translated.path, requestOf(translated, false));
    const before = stage.gateway.memory();
    const sockets: Socket[] = [];
    stage.respondWith((_, { socket }) => {
      if (socket === null) return;
      sockets.push(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let piece = 0; piece < 15; piece += 1) socket.write(inBytes(100_000));
    });
    const answer = call(stage.gateway.url, translated.path, requestOf(translated, false));
    let most = 0;
    await eventually(
      () => {
        most = Math.max(most, stage.gateway.memory() - before);
        return sockets.some(({ writableLength }) => writableLength === 0);
      },
      'all of it is read',
      40_000,
    );
    for (let look = 0; look < 20; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      most = Math.max(most, stage.gateway.memory() - before);
    }
    // As pieces that are kept, 1.5 million of them took 260 MB.
    expect(most).toBeLessThan(120 * MB);
    for (const socket of sockets) socket.destroy();
    await answer.catch(() => undefined);
  });
});
