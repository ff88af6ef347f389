/**
 * Limits that several gateways share through Redis, and that continue locally in each gateway while Redis is
 * down.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedInFlight } from '../../../src/access/limits/in-flight.ts';
import { openRedis } from '../../../src/access/limits/redis.ts';
import { sharedReservations } from '../../../src/access/limits/reservations.ts';
import { Spending } from '../../../src/access/limits/spending.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { answersInRedis } from '../../../src/pipeline/cache/answer-store.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { vendorsAtUrl } from '../../support/gateway.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';
import { ask, serveSharing, startVendor, statusOf, type TestVendor } from './support.ts';

const LIMITED = 'gw-test-key-with-limits';

/**
 * The factor by which Redis may be slower than in production. After a tenth of a second without an answer a
 * gateway counts on its own, and a busy machine is often later than that. This factor applies except where a
 * test is about the delay itself.
 */
const patience = vi.hoisted(() => ({ times: 1 }));
vi.mock('../../../src/access/limits/command-timeouts.ts', async (original) => {
  const { applyCommandTimeouts } =
    await original<typeof import('../../../src/access/limits/command-timeouts.ts')>();
  const patient: typeof applyCommandTimeouts = (redis, { command, silence }) =>
    applyCommandTimeouts(redis, { command: patience.times * command, silence: patience.times * silence });
  return { applyCommandTimeouts: patient };
});

describe.skipIf(!hasRedis())('with Redis', () => {
  const clock = useStoppedClock();
  let vendor: TestVendor;
  let redis: TestRedis;
  let troubles: string[];
  let recovered: string[];
  const closing: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    patience.times = 100;
    troubles = [];
    recovered = [];
    vendor = await startVendor();
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await redis.close();
    await vendor.close();
  });

  /** Another gateway with a key that has these limits. */
  async function another(limits: KeyLimits, redisUrl = redis.url): Promise<string> {
    const config = configSchema.parse({
      port: 0,
      vendors: vendorsAtUrl(vendor.url),
      keys: [{ name: 'limited', key: LIMITED, limits }],
      redis: { url: redisUrl },
    });
    const { url, close } = await serveSharing(config, {
      redisUrl,
      // No window ends during a test, however long a busy machine takes.
      window: 3_600,
      onTrouble: (message) => void troubles.push(message),
      onRecovered: (message) => void recovered.push(message),
    });
    closing.push(close);
    return url;
  }

  test('two gateways share a request limit', async () => {
    const [one, other] = [await another({ requestsPerMinute: 3 }), await another({ requestsPerMinute: 3 })];
    expect(await statusOf(ask(one, LIMITED))).toBe(200);
    expect(await statusOf(ask(other, LIMITED))).toBe(200);
    const last = await ask(one, LIMITED);
    expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(await statusOf(Promise.resolve(last))).toBe(200);
    expect(await statusOf(ask(other, LIMITED))).toBe(429);
    expect(await statusOf(ask(one, LIMITED))).toBe(429);
    expect(troubles).toEqual([]);
  });

  test('two gateways share a token limit', async () => {
    const [one, other] = [await another({ tokensPerMinute: 50 }), await another({ tokensPerMinute: 50 })];
    vendor.takes(40, 10);
    expect(await statusOf(ask(one, LIMITED))).toBe(200);
    // Requests to the other gateway use no tokens, so its rejections come from those used here.
    vendor.takes(0, 0);
    await soon(async () => expect(await statusOf(ask(other, LIMITED))).toBe(429));
  });

  test('two gateways share a concurrency limit', async () => {
    const [one, other] = [await another({ concurrentRequests: 1 }), await another({ concurrentRequests: 1 })];
    const release = vendor.hold();
    const running = statusOf(ask(one, LIMITED));
    await soon(() => expect(vendor.received).toHaveLength(1));
    expect(await statusOf(ask(other, LIMITED))).toBe(429);
    release();
    expect(await running).toBe(200);
    await soon(async () => expect(await statusOf(ask(other, LIMITED))).toBe(200));
  });

  test('two gateways share a budget', async () => {
    const [one, other] = [await another({ budgetDay: 1 }), await another({ budgetDay: 1 })];
    expect(await statusOf(ask(other, LIMITED))).toBe(200);
    vendor.takes(1_000_000, 0);
    expect(await statusOf(ask(one, LIMITED))).toBe(200);
    vendor.takes(0, 0);
    await soon(async () => {
      const refused = await ask(other, LIMITED);
      expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
    });
  });

  test('a request counts as concurrent while it lasts, and its slot is freed if its process dies', async () => {
    const client = await connected();
    const place = 'gateway:in-flight:team';
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const here = sharedInFlight('in-flight', client);
      await here.enter('team', 1);
      const [lease = ''] = await client.zrange(place, '0', '-1');
      // As if it were nearly a minute old.
      await client.zadd(place, `${Date.now() + 500}`, lease);
      vi.advanceTimersByTime(30_000);
      const until = async () => Number(await client.zscore(place, lease)) - Date.now();
      await soon(async () => expect(await until()).toBeGreaterThan(50_000));
      const there = sharedInFlight('in-flight', client);
      expect(await there.enter('team', 1)).toBeUndefined();
      here.close();
      await client.zadd(place, `${Date.now() - 1}`, lease);
      vi.advanceTimersByTime(30_000);
      expect(await there.enter('team', 1)).toBeDefined();
      there.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('money spent on a day is not attributed to the next day if it is reported after midnight', async () => {
    let time = Date.parse('2026-05-31T23:59:59Z');
    const client = await connected();
    const [here, there] = [1, 2].map(() => new Spending('spent', { now: () => time, redis: client }));
    there?.charge('team', 5, time);
    expect(await here?.get('team')).toMatchObject({ day: 5, month: 5 });
    const asked = here?.get('team');
    time += 1_000;
    expect(await asked).toMatchObject({ day: 0, month: 0 });
    expect(await here?.get('team')).toMatchObject({ day: 0, month: 0 });
  });

  test('every counter in Redis expires', async () => {
    const client = await connected();
    const limits = { requestsPerMinute: 9, tokensPerMinute: 900, concurrentRequests: 9, budgetMonth: 9 };
    const url = await another(limits);
    const release = vendor.hold();
    const running = statusOf(ask(url, LIMITED));
    await soon(async () => expect(await client.keys('*in-flight*')).toHaveLength(1));
    const inFlight = await client.pttl('gateway:in-flight:limited');
    release();
    expect(await running).toBe(200);
    // Requests, tokens, and the money of the day and of the month.
    await soon(async () => expect(await client.dbsize()).toBe(4));
    const left = await Promise.all((await client.keys('*')).map((key) => client.pttl(key)));
    for (const milliseconds of [inFlight, ...left]) expect(milliseconds).toBeGreaterThan(0);
  });

  test('Redis is killed: each gateway limits on its own; when Redis is back, limits are shared again', async () => {
    const limits = { requestsPerMinute: 2, concurrentRequests: 5, tokensPerMinute: 1_000, budgetDay: 100 };
    const [one, other] = [await another(limits), await another(limits)];
    expect(await statusOf(ask(one, LIMITED))).toBe(200);
    await redis.stop();
    await soon(() => expect(troubles).toHaveLength(2));
    for (const url of [one, other]) {
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      expect(await statusOf(ask(url, LIMITED))).toBe(429);
    }
    await redis.start();
    await soon(() => expect(recovered).toHaveLength(2));
    expect(await statusOf(ask(one, LIMITED))).toBe(200);
    expect(await statusOf(ask(other, LIMITED))).toBe(200);
    expect(await statusOf(ask(one, LIMITED))).toBe(429);
    expect(await statusOf(ask(other, LIMITED))).toBe(429);
    expect(troubles[0]).toMatch(/^Redis cannot be reached/);
    expect(troubles).toHaveLength(2);
    expect(recovered[1]).toBe('Redis can be reached again, so limits are shared again.');
  });

  test('a request admitted while Redis is down counts as concurrent for all once it is back', async () => {
    const limits = { concurrentRequests: 1 };
    const [one, other] = [await another(limits), await another(limits)];
    await redis.stop();
    await soon(() => expect(troubles).toHaveLength(2));
    const release = vendor.hold();
    const running = statusOf(ask(one, LIMITED));
    await soon(() => expect(vendor.received).toHaveLength(1));
    await redis.start();
    await soon(() => expect(recovered).toHaveLength(2));
    expect(await statusOf(ask(other, LIMITED))).toBe(429);
    release();
    expect(await running).toBe(200);
  });

  test('what a request held when Redis went away is free once it is back', async () => {
    const url = await another({ concurrentRequests: 1, budgetDay: 100 });
    const admin = new Redis(redis.url);
    const release = vendor.hold();
    const running = statusOf(ask(url, LIMITED));
    await soon(() => expect(vendor.received).toHaveLength(1));
    const held = (): Promise<number> => admin.exists('gateway:in-flight:limited', 'gateway:reserved:limited');
    expect(await held()).toBe(2);
    // Away, with all that it holds.
    await admin.config('SET', 'requirepass', 'another');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await soon(() => expect(troubles).not.toEqual([]));
    release();
    expect(await running).toBe(200);
    await admin.config('SET', 'requirepass', '');
    // A minute later it would be free in any case.
    await vi.waitFor(async () => expect(await held()).toBe(0), { timeout: 20_000 });
    admin.disconnect();
  });

  test('an answer that arrived while the process was busy is not late', async () => {
    patience.times = 1;
    const { redis: client, close } = await openRedis(
      redis.url,
      (message) => void troubles.push(message),
      () => undefined,
    );
    closing.push(async () => close());
    const asked = client.ping();
    // Longer than the timeout of a command and the longest silence of a connection.
    const busy = performance.now() + 600;
    while (performance.now() < busy);
    expect(await asked).toBe('PONG');
    expect(troubles).toEqual([]);
  });

  // Services close idle connections (Azure after ten minutes), or firewalls forget them.
  test.each([
    [
      'limits',
      () =>
        openRedis(
          redis.url,
          (message) => void troubles.push(message),
          () => undefined,
        ),
    ],
    ['the cache', () => answersInRedis(redis.url, (message) => void troubles.push(message))],
  ])('the connection of %s is used once a minute', async (_, open) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const watcher = new Redis(redis.url);
    try {
      const pings = async () => (await watcher.info('commandstats')).includes('cmdstat_ping');
      const { close } = await open();
      expect(await pings()).toBe(false);
      await vi.advanceTimersByTimeAsync(60_000);
      await expect.poll(pings).toBe(true);
      close();
      await watcher.config('RESETSTAT');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await pings()).toBe(false);
    } finally {
      watcher.disconnect();
      vi.useRealTimers();
    }
    expect(troubles).toEqual([]);
  });

  test('requests are answered while Redis hangs', async () => {
    patience.times = 1;
    const url = await another({ requestsPerMinute: 2, budgetDay: 100, concurrentRequests: 5 });
    redis.freeze();
    try {
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      expect(await statusOf(ask(url, LIMITED))).toBe(429);
    } finally {
      redis.thaw();
    }
  });

  test('a caller who disconnects while Redis is queried frees the slot', async () => {
    patience.times = 1;
    const url = await another({ concurrentRequests: 1 });
    // On a machine so busy that the wait for Redis is over, the caller disconnects during the vendor's answer
    // instead.
    const release = vendor.hold();
    redis.freeze();
    const leaving = new AbortController();
    const left = ask(url, LIMITED, 'chat-completions', leaving.signal);
    // Less than the timeout for Redis.
    setTimeout(() => leaving.abort(), 40);
    try {
      await expect(left).rejects.toThrow();
      release();
      await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(200));
    } finally {
      redis.thaw();
    }
  });

  test.each([
    ['its user may run no script', 'ACL SETUSER default -@scripting', /NOPERM/],
    ['its user may have none of the keys', 'ACL SETUSER default resetkeys', /NOPERM/],
    ['its memory is full', 'CONFIG SET maxmemory 1', /OOM/],
  ])('Redis rejects what limits need, for %s: this is reported once', async (_, setting, reason) => {
    const client = await connected();
    const url = await another({ requestsPerMinute: 100, concurrentRequests: 5, budgetDay: 100 });
    const [command = '', ...settings] = setting.split(' ');
    await client.call(command, ...settings);
    for (let at = 0; at < 3; at += 1) expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(troubles).toEqual([expect.stringMatching(/^Redis refuses a command that limits need \(/)]);
    expect(troubles[0]).toMatch(reason);
  });

  test.each([
    ['its memory is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['it is a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    [
      'no script may run',
      ['ACL', 'SETUSER', 'default', '-@scripting'],
      ['ACL', 'SETUSER', 'default', '+@all'],
    ],
  ] as const)(
    'Redis refuses, as %s, and then no longer: a line says that limits are shared again',
    async (_, [refuse, ...how], [allow, ...again]) => {
      const url = await another({ requestsPerMinute: 100, tokensPerMinute: 1_000_000 });
      const admin = new Redis(redis.url);
      closing.push(async () => admin.disconnect());
      clock.stop();
      await admin.call(refuse, ...how);
      for (let at = 0; at < 3; at += 1) {
        expect(await statusOf(ask(url, LIMITED))).toBe(200);
        // Reads are answered meanwhile, and show nothing.
        clock.advance(61_000);
      }
      expect([troubles, recovered]).toEqual([[expect.stringMatching(/^Redis refuses a command/)], []]);
      await admin.call(allow, ...again);
      await soon(async () => {
        clock.advance(61_000);
        expect(await statusOf(ask(url, LIMITED))).toBe(200);
        expect(recovered).toEqual([
          'Redis refuses nothing any more that limits need, so limits are shared again.',
        ]);
      });
      expect(troubles).toHaveLength(1);
    },
  );

  test.each([
    ['cluster', /\((?:MOVED|CLUSTERDOWN) .*; a cluster cannot be used\)/],
    ['sentinel', /\(ERR unknown command 'eval'; a Sentinel cannot be used, only Redis itself\)/],
  ] as const)('an address that leads to a %s: the report says that it cannot be used', async (mode, said) => {
    const other = await startRedis(mode);
    closing.push(other.close);
    const url = await another({ requestsPerMinute: 100 }, other.url);
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(troubles).toEqual([expect.stringMatching(said)]);
  });

  test.each([
    ['its memory is full', ['CONFIG', 'SET', 'maxmemory', '1'], /OOM/],
    ['it is a replica', ['REPLICAOF', '127.0.0.1', '1'], /READONLY/],
    ['no script may run', ['ACL', 'SETUSER', 'default', '-@scripting'], /NOPERM/],
    [
      'it requires a password',
      ['CONFIG', 'SET', 'requirepass', 'pw'],
      /reached \(NOAUTH: it requires a password/,
    ],
  ] as const)('a start with a Redis that cannot be used, since %s, says so at once', async (_, how, said) => {
    const client = await connected();
    const [command, ...settings] = how;
    await client.call(command, ...settings);
    await another({ requestsPerMinute: 100 });
    expect(troubles).toEqual([expect.stringMatching(said)]);
  });

  test('a start with a node of a cluster that has half of the slots says so at once', async () => {
    const other = await startRedis('cluster');
    closing.push(other.close);
    const client = new Redis(other.url);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await client.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
    client.disconnect();
    // The node needs a moment until it takes itself for well.
    await soon(async () => {
      troubles = [];
      const { close } = await openRedis(
        other.url,
        (message) => void troubles.push(message),
        () => undefined,
      );
      close();
      expect(troubles).toEqual([
        expect.stringMatching(/CLUSTERDOWN Hash slot not served; a cluster cannot be used/),
      ]);
    });
  });

  test.each([
    [
      'allkeys-lfu',
      '100mb',
      [expect.stringMatching(/^Redis drops counters .*\(its maxmemory-policy is allkeys-lfu\)/)],
    ],
    ['volatile-ttl', '100mb', [expect.stringMatching(/\(its maxmemory-policy is volatile-ttl\)/)]],
    ['noeviction', '100mb', []],
    ['volatile-lru', '100mb', []],
    ['allkeys-lfu', '0', []],
  ])('a start says that Redis drops counters: %s with a memory of %s', async (policy, memory, said) => {
    const client = await connected();
    await client.config('SET', 'maxmemory-policy', policy);
    await client.config('SET', 'maxmemory', memory);
    const url = await another({ requestsPerMinute: 100 });
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(troubles).toEqual(said);
    // The same is not said again with each connection.
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await soon(() => expect(recovered).toHaveLength(1));
    expect(troubles).toEqual([...said, expect.stringMatching(/^Redis cannot be reached/)]);
  });

  test('a full Redis still lets requests give back what they hold, which is no sign that it is well', async () => {
    const admin = await connected();
    const { redis: client, close } = await openRedis(
      redis.url,
      (message) => void troubles.push(message),
      (message) => void recovered.push(message),
    );
    closing.push(async () => close());
    const reservations = sharedReservations('reserved', client);
    closing.push(async () => reservations.close());
    clock.stop();
    await admin.config('SET', 'maxmemory', '1');
    await reservations.hold('limited', 1);
    expect(troubles).toEqual([expect.stringMatching(/OOM/)]);
    clock.advance(61_000);
    reservations.release('limited', 1);
    // Commands of one connection are carried out one after the other, and the probe comes after the release.
    await client.ping();
    await client.ping();
    expect(recovered).toEqual([]);
    await admin.config('SET', 'maxmemory', '0');
    clock.advance(61_000);
    await reservations.hold('limited', 1);
    await soon(() => expect(recovered).toEqual([expect.stringMatching(/^Redis refuses nothing any more/)]));
  });

  test('its user has no right to INFO: limits are shared, and nothing is printed', async () => {
    const admin = new Redis(redis.url);
    closing.push(async () => admin.disconnect());
    await admin.call('ACL', 'SETUSER', 'limits', 'on', '>pw', '~gateway:*', '+@all', '-@dangerous');
    const printed = vi.spyOn(console, 'warn').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const url = await another(
      { requestsPerMinute: 100 },
      redis.url.replace('redis://', 'redis://limits:pw@'),
    );
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(Number(await admin.get('gateway:requests:limited'))).toBe(1);
    expect([printed.mock.calls, troubles]).toEqual([[], []]);
  });

  test('Redis has become a replica: it is tried again now and then, not at each request, and reported once', async () => {
    const url = await another({ requestsPerMinute: 100 });
    const admin = new Redis(redis.url);
    const connections = async (): Promise<number> =>
      Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1]);
    const before = await connections();
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(troubles).toEqual([expect.stringMatching(/^Redis refuses a command that limits need \(READONLY/)]);
    expect(recovered).toEqual([]);
    // At once, after two seconds, and once more if this machine is slow.
    expect((await connections()) - before).toBeGreaterThan(0);
    expect((await connections()) - before).toBeLessThanOrEqual(3);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    await soon(async () => {
      await statusOf(ask(url, LIMITED));
      expect(Number(await admin.get('gateway:requests:limited'))).toBeGreaterThan(0);
    });
    admin.disconnect();
  });

  async function connected(): Promise<Redis> {
    const { redis: client, close } = await openRedis(
      redis.url,
      () => undefined,
      () => undefined,
    );
    closing.push(async () => close());
    return client;
  }

  const MISCONF = async (client: Redis): Promise<void> => {
    // The target of the dump is a folder, so every save fails.
    const [, directory = ''] = await client
      .call('CONFIG', 'GET', 'dir')
      .then((said) => [said].flat().map(String));
    await mkdir(join(directory, 'dump.rdb'));
    await client.call('CONFIG', 'SET', 'save', '3600 1');
    await client.bgsave();
    await soon(async () => expect(await client.info('persistence')).toContain('rdb_last_bgsave_status:err'));
  };

  test.each<[string, RegExp, (client: Redis) => Promise<unknown>]>([
    ['its memory is full', /OOM/, (client) => client.config('SET', 'maxmemory', '1')],
    ['it has too few replicas', /NOREPLICAS/, (client) => client.config('SET', 'min-replicas-to-write', '1')],
    [
      'its user may only read',
      /NOPERM/,
      (client) => client.call('ACL', 'SETUSER', 'default', '-@write', '-@scripting'),
    ],
    ['it cannot save', /MISCONF/, MISCONF],
  ])('Redis is readable but not writable, as %s: tokens are still limited', async (_, reason, refuse) => {
    const url = await another({ tokensPerMinute: 50 });
    await refuse(await connected());
    vendor.takes(40, 10);
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    vendor.takes(0, 0);
    await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
    const refused = await ask(url, LIMITED);
    expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('0');
    expect(await statusOf(Promise.resolve(refused))).toBe(429);
    expect(troubles).toEqual([expect.stringMatching(reason)]);
  });

  test('when a count in Redis no longer grows, the higher of it and the local count applies', async () => {
    const url = await another({ tokensPerMinute: 50 });
    const client = await connected();
    await client.set('gateway:tokens:limited', '30', 'EX', 60);
    await client.config('SET', 'min-replicas-to-write', '1');
    const remaining = async (): Promise<string | null> => {
      const answered = await ask(url, LIMITED);
      await answered.text();
      return answered.headers.get('x-ratelimit-remaining-tokens');
    };
    vendor.takes(10, 10);
    expect(await remaining()).toBe('20');
    vendor.takes(0, 0);
    expect(await remaining()).toBe('20');
    vendor.takes(10, 10);
    await remaining();
    vendor.takes(0, 0);
    await soon(async () => expect(await remaining()).toBe('10'));
  });

  test.each<[string, RegExp, (client: Redis, place: string) => Promise<unknown>]>([
    ['text', /gateway:tokens:limited is not a count/, (client, place) => client.set(place, 'many')],
    ['a fraction', /is not a count/, (client, place) => client.set(place, '1.5')],
    ['less than nothing', /is not a count/, (client, place) => client.set(place, '-1000')],
    ['more than a number holds', /is not a count/, (client, place) => client.set(place, '1e400')],
    ['of another type', /WRONGTYPE/, (client, place) => client.hset(place, 'a', '1')],
  ])(
    'the token count in Redis is %s: this is reported, and local limits replace it',
    async (_, reason, spoil) => {
      const url = await another({ tokensPerMinute: 50 });
      await spoil(await connected(), 'gateway:tokens:limited');
      vendor.takes(40, 10);
      const answered = await ask(url, LIMITED);
      expect(answered.headers.get('x-ratelimit-remaining-tokens')).toBe('50');
      expect(await statusOf(Promise.resolve(answered))).toBe(200);
      vendor.takes(0, 0);
      await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
      expect(troubles).toEqual([expect.stringMatching(reason)]);
    },
  );

  test('the request count in Redis is not a number: this is reported, and local limits replace it', async () => {
    const url = await another({ requestsPerMinute: 2 });
    const client = await connected();
    await client.set('gateway:requests:limited', '-1000');
    for (const status of [200, 200, 429]) expect(await statusOf(ask(url, LIMITED))).toBe(status);
    expect(troubles).toEqual([expect.stringMatching(/gateway:requests:limited is not a count/)]);
  });

  test('a count without an expiry counts, and gets one', async () => {
    const url = await another({ tokensPerMinute: 50, requestsPerMinute: 10 });
    const client = await connected();
    await client.set('gateway:tokens:limited', '50');
    await client.set('gateway:requests:limited', '3');
    const refused = await ask(url, LIMITED);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('6');
    expect(await statusOf(Promise.resolve(refused))).toBe(429);
    expect(await client.ttl('gateway:requests:limited')).toBeGreaterThan(0);
  });

  test.each<[string, RegExp, (client: Redis, place: string) => Promise<unknown>]>([
    ['text', /gateway:spent:\S+:limited is not an amount/, (client, place) => client.set(place, 'many')],
    [
      'of another type',
      /gateway:spent:\S+:limited: WRONGTYPE/,
      (client, place) => client.hset(place, 'a', '1'),
    ],
  ])(
    'the amount of money in Redis is %s: this is reported, and the local amount counts',
    async (_, reason, spoil) => {
      const url = await another({ budgetDay: 1 });
      const client = await connected();
      const day = new Date().toISOString().slice(0, 10);
      for (const period of [day, day.slice(0, 7)]) await spoil(client, `gateway:spent:${period}:limited`);
      vendor.takes(1_000_000, 0);
      expect(await statusOf(ask(url, LIMITED))).toBe(200);
      vendor.takes(0, 0);
      await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
      await soon(() => expect(troubles).toEqual([expect.stringMatching(reason)]));
    },
  );

  test('a gateway starts while Redis is down', async () => {
    await redis.stop();
    const url = await another({ requestsPerMinute: 1 });
    expect(troubles).toHaveLength(1);
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(await statusOf(ask(url, LIMITED))).toBe(429);
    await redis.start();
    await soon(() => expect(recovered).toHaveLength(1));
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    expect(await statusOf(ask(url, LIMITED))).toBe(429);
  });

  test('Redis gets another password: the reason is reported, not only that the connection closed', async () => {
    await another({ requestsPerMinute: 1 });
    const admin = new Redis(redis.url);
    await admin.config('SET', 'requirepass', 'another');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    const refusals = (): readonly string[] => troubles.filter((trouble) => trouble.includes('NOAUTH'));
    await soon(() => expect(refusals()).toHaveLength(1));
    // Further attempts say nothing new.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(troubles.length).toBeLessThanOrEqual(2);
    await admin.config('SET', 'requirepass', '');
    admin.disconnect();
    await soon(() => expect(recovered).toHaveLength(1));
  });
});
