/** Bodies and answers that are arriving and not complete: how much callers and vendors can make a process hold. */

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { FREQUENT_GC } from '../support/frequent-gc.ts';
import { KEY } from '../support/gateway.ts';
import { bodyOf, eventually, type RawClient, rawClient, statusOf } from '../support/raw.ts';
import { openStage, type Stage, ways } from './stage.ts';

const MB = 1024 * 1024;
/** Nothing is cut for taking too long, however busy the machine is. */
const timeouts = { requestBody: 600_000 };
const others = Array.from({ length: 20 }, (_, at) => ({
  name: `other-${at}`,
  key: `key-${at}-of-these-tests`,
}));

let stage: Stage;
afterEach(async () => {
  await stage.expectUnharmed();
  await stage.close();
});

const paths = [
  ['chat-completions', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
  ['generate-content', '/v1beta/models/gemini-2.5-flash:generateContent'],
] as const;

/** A POST that sends this much of its body, and never the end. */
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

describe.each(paths)('H-01 request bodies that are arriving, %s', (_, path) => {
  const limits = { bodyBytes: 4 * MB, pendingBytes: 16 * MB, pendingBytesPerKey: 8 * MB };

  test('H-01 are bounded per key: more is refused, and room is freed again', async () => {
    stage = await openStage({ limits, timeouts });
    const all = [begin(path, 3.5 * MB), begin(path, 3.5 * MB), begin(path, 3.5 * MB)];
    const answer = await Promise.race(all.map(({ over }) => over));
    expect(statusOf(answer)).toBe(429);
    expect(bodyOf(answer)).toContain('bytes of requests and answers on their way');
    expect(all.filter(({ socket }) => socket.destroyed)).toHaveLength(1);
    // A caller with a small request is served meanwhile.
    const [native] = ways;
    expect((await stage.ask(native, false)).status).toBe(200);
    for (const { socket } of all) socket.destroy();
    const whole = async (): Promise<number> => {
      const client = begin(path, 4 * MB, KEY);
      const status = statusOf(await client.until((text) => text.includes('\r\n\r\n')));
      client.socket.destroy();
      return status;
    };
    // White space alone is not JSON.
    await expect.poll(whole).toBe(400);
  });

  test('H-01 are bounded in all: the largest is cut with an error, and a later caller is not', async () => {
    stage = await openStage({ limits: { ...limits, pendingBytes: 8 * MB }, timeouts, keys: others });
    const large = begin(path, 3.9 * MB);
    const small: RawClient[] = [];
    // Until the large one is read, smaller ones may be the largest.
    for (const { key } of others) {
      small.push(begin(path, 1.9 * MB, key));
      const isCut = await Promise.race([large.over, sleep(1_000, undefined)]);
      if (isCut !== undefined) break;
    }
    expect(statusOf(await large.over)).toBe(503);
    expect(small.at(-1)?.text()).toBe('');
    for (const { socket } of small) socket.destroy();
  });
});

describe('H-02 compressed bodies', () => {
  test('H-02 count at their decompressed size, plus the window of their decompressor', async () => {
    const limits = { bodyBytes: 4 * MB, pendingBytes: 16 * MB, pendingBytesPerKey: 8 * MB };
    stage = await openStage({ limits, timeouts });
    // 3.9 MB of white space are 4 KB on the wire, and their end does not come.
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
  /** A vendor's JSON answer, chunked byte by byte, whose end does not come. */
  const inBytes = (size: number): string => `1\r\n \r\n`.repeat(size);

  test('H-03 take as much memory as their bytes, however small the pieces are', async () => {
    stage = await openStage({}, FREQUENT_GC);
    const [, translated] = ways;
    // The first answers of a process allocate memory that stays allocated.
    await stage.ask(translated, false);
    const before = stage.gateway.memory();
    const sockets: Socket[] = [];
    stage.respondWith((_, { socket }) => {
      if (socket === null) return;
      sockets.push(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let piece = 0; piece < 15; piece += 1) socket.write(inBytes(100_000));
    });
    const answer = stage.ask(translated, false);
    let most = 0;
    await eventually(() => {
      most = Math.max(most, stage.gateway.memory() - before);
      return sockets.some(({ writableLength }) => writableLength === 0);
    }, 'all of it is read');
    for (let look = 0; look < 20; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      most = Math.max(most, stage.gateway.memory() - before);
    }
    // Kept as separate pieces, 1.5 million of them took 260 MB.
    expect(most).toBeLessThan(120 * MB);
    for (const socket of sockets) socket.destroy();
    await answer.catch(() => undefined);
  });
});
