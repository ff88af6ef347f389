/**
 * A Redis that is reachable and useless: it refuses, is slow, or is no longer the primary. Keys stay within their
 * limits.
 */

import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLimits } from '../../src/access/limits/open-limits.ts';
import { openRedis } from '../../src/access/limits/redis.ts';
import { Spending } from '../../src/access/limits/spending.ts';
import { sharedWindow } from '../../src/access/limits/window.ts';
import { charging } from '../../src/accounting/usage/consumption.ts';
import { recording } from '../../src/accounting/usage/make-record.ts';
import { ask, startVendor, statusOf, type TestVendor } from '../access/limits/support.ts';
import { startGateway, vendorsAtUrl } from '../support/gateway.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

const LIMITED = 'gw-test-key-with-limits';
const limits = { requestsPerMinute: 3, tokensPerMinute: 1_000, concurrentRequests: 5, budgetDay: 100 };

describe.skipIf(!hasRedis())('P-14 Redis', () => {
  let vendor: TestVendor;
  let redis: TestRedis;
  const closing: (() => unknown)[] = [];
  beforeEach(async () => {
    vendor = await startVendor();
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await redis.close();
    await vendor.close();
  });

  /** A gateway whose limits are at `url`, as one of this many processes on its machine. */
  async function gatewayAt(url: string, workers = 1): Promise<string> {
    const shared = await openLimits({ redisUrl: url, workers });
    const gateway = await startGateway(
      { vendors: vendorsAtUrl(vendor.url), keys: [{ name: 'limited', key: LIMITED, limits }] },
      undefined,
      (made) => ({ ...made, limits: shared, record: recording(charging(shared.charge)) }),
    );
    closing.push(gateway.close, shared.close);
    return gateway.url;
  }

  async function admin(...command: readonly [string, ...string[]]): Promise<void> {
    const client = new Redis(redis.url);
    await client.call(...command);
    client.disconnect();
  }

  /** Expects as many answers as the limit, and then none: by the count of this process alone. */
  async function expectKept(url: string): Promise<void> {
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push(await statusOf(ask(url, LIMITED)));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  }

  test('that is unreachable: each of several processes of a machine has an even share until it is back', async () => {
    const url = await gatewayAt(redis.url, 3);
    await redis.stop();
    await expect.poll(() => statusOf(ask(url, LIMITED))).toBe(429);
    // A third of the limit, and one request before it was known to be unreachable.
    expect(vendor.received.length).toBeLessThanOrEqual(2);
    await redis.start();
    await expect.poll(() => statusOf(ask(url, LIMITED))).toBe(200);
  });

  test('that refuses all writes, since its memory is full', async () => {
    const url = await gatewayAt(redis.url);
    await admin('CONFIG', 'SET', 'maxmemory', '1');
    await expectKept(url);
  });

  test('that refuses: each of several processes of a machine has an even share', async () => {
    const url = await gatewayAt(redis.url, 3);
    await admin('CONFIG', 'SET', 'maxmemory', '1');
    await expect.poll(() => statusOf(ask(url, LIMITED))).toBe(429);
    // A third of the limit, and one request before it was known to refuse.
    expect(vendor.received.length).toBeLessThanOrEqual(2);
  });

  test('that has become a replica, which accepts no writes; and has been made the primary again', async () => {
    const url = await gatewayAt(redis.url);
    await admin('REPLICAOF', '127.0.0.1', '1');
    await expectKept(url);
    await admin('REPLICAOF', 'NO', 'ONE');
    // Shared counts apply again, and contain none of those requests.
    await expect.poll(() => statusOf(ask(url, LIMITED))).toBe(200);
  });

  test('that takes longer than it may: nobody waits for it, and limits are kept', async () => {
    const dawdling = await startRelay(redis.url, (data, client) =>
      setTimeout(() => client.writable && client.write(data), 400),
    );
    closing.push(dawdling.close);
    const url = await gatewayAt(dawdling.url);
    const began = performance.now();
    await expectKept(url);
    // Ten commands one after another, had each been waited for, and two more for every request.
    expect(performance.now() - began).toBeLessThan(5 * 4_000);
  });

  test('that answers all commands too late: its connection is given up until it is fast enough', async () => {
    let delay = 0;
    const relay = await startRelay(redis.url, (data, client) =>
      // Less than the longest silence, and more than a command may take.
      setTimeout(() => client.writable && client.write(data), delay),
    );
    closing.push(relay.close);
    const troubles: string[] = [];
    const recovered: string[] = [];
    const shared = await openRedis(
      relay.url,
      (message) => void troubles.push(message),
      (message) => void recovered.push(message),
    );
    closing.push(shared.close);
    expect(shared.isShared()).toBe(true);
    delay = 150;
    await expect
      .poll(async () => {
        await shared.redis.get('limited').catch(() => undefined);
        return shared.isShared();
      })
      .toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(shared.isShared()).toBe(false);
    // On a busy machine, so late that its connection seems to hang.
    expect(troubles).toEqual([
      expect.stringMatching(/^Redis cannot be reached \((?:All answers take longer than 100|Nothing came)/),
    ]);
    delay = 0;
    await expect.poll(() => shared.isShared()).toBe(true);
    expect(recovered).toHaveLength(1);
  });

  test('that still loads its data: a start does not wait for it, and says so', async () => {
    let isLoading = true;
    const relay = await startRelay(redis.url, (data, client) =>
      client.write(isLoading ? data.toString('latin1').replace('loading:0', 'loading:1') : data, 'latin1'),
    );
    closing.push(relay.close);
    const troubles: string[] = [];
    const recovered: string[] = [];
    const shared = await openRedis(
      relay.url,
      (message) => void troubles.push(message),
      (message) => void recovered.push(message),
    );
    closing.push(shared.close);
    expect(shared.isShared()).toBe(false);
    expect(troubles).toEqual([
      expect.stringMatching(/^Redis cannot be reached \(it is still loading its data\)/),
    ]);
    isLoading = false;
    await expect.poll(() => shared.isShared()).toBe(true);
    expect(recovered).toEqual(['Redis can be reached again, so limits are shared again.']);
    expect(troubles).toHaveLength(1);
  });

  test('whose connection breaks when it has carried out what it was sent: nothing is counted twice', async () => {
    let breaks = false;
    const relay = await startRelay(redis.url, (data, client) => {
      if (breaks) client.destroy();
      else client.write(data);
      breaks = false;
    });
    closing.push(relay.close);
    const recovered: string[] = [];
    const shared = await openRedis(
      relay.url,
      () => undefined,
      (message) => void recovered.push(message),
    );
    closing.push(shared.close);
    const requests = sharedWindow('requests', 60, shared.redis, shared.onFault);
    const spending = new Spending('spent', { now: Date.now, redis: shared.redis });
    breaks = true;
    await requests.add('limited', 1);
    await expect.poll(() => recovered).toHaveLength(1);
    expect(await requests.add('limited', 1)).toMatchObject({ count: 2 });
    breaks = true;
    spending.charge('limited', 5, Date.now());
    await expect.poll(() => recovered).toHaveLength(2);
    expect(await spending.get('limited')).toMatchObject({ day: 5, month: 5 });
  });
});

/** A relay that passes requests on. @param answer passes an answer on, or does something else. */
async function startRelay(
  target: string,
  answer: (data: string | Buffer, client: Socket) => void,
): Promise<{ readonly url: string; close(): void }> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const real = connectTo(Number(port), '127.0.0.1');
    for (const socket of [client, real]) {
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => {
        client.destroy();
        real.destroy();
      });
    }
    client.on('data', (data) => real.write(data));
    real.on('data', (data) => answer(data, client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('not listening on a port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
