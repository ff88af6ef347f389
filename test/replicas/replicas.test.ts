/**
 * Several machines: a change made on one applies on all, and one that is killed loses only what it had
 * itself.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { type Way, ways } from '../faults/stage.ts';
import { runCommand } from '../support/command.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { type Ask, Cut, newKey, type Replica, roundRobin, startReplicas, type Told } from './replicas.ts';
import { hasEnded, LASTING, type SlowVendor, startSlowVendor, wordsIn } from './slow-vendor.ts';

const [native] = ways;

/** Within this many milliseconds, a change made on one replica takes effect on all. */
const SOON = 2_000;

/**
 * Enforces the bound in a full run, which has the machine to itself; any other run only waits for the change.
 */
function expectSoon(took: number): void {
  if (process.env['FULL'] !== undefined) expect(took).toBeLessThan(SOON);
}

/** Changes usually arrive much sooner; this gives a busy machine time. */
const PATIENT = { timeout: 60_000, interval: 100 };

/**
 * Milliseconds of usage that a kill may cost: half a second and the write in progress; the rest is for a busy
 * machine.
 */
const MAY_BE_LOST = 500 + 4_500;

/** For this many milliseconds the requests of a killed process still count as concurrent. */
const LEASE = 60_000;

describe.skipIf(!hasPostgres() || !hasRedis())('three replicas', () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let vendor: SlowVendor;
  let database: string;
  let replicas: readonly Replica[];
  let ask: Ask;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([postgres.close(), redis.close()]);
  });
  beforeEach(async () => {
    vendor = await startSlowVendor();
    database = await postgres.newDatabase();
    replicas = await startReplicas(vendor.url, { DATABASE_URL: database, REDIS_URL: redis.url });
    ask = roundRobin(replicas);
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await vendor.close();
  });

  function replica(index: number): Replica {
    const found = replicas[index];
    if (found === undefined) throw new RangeError(`There is no replica ${index}.`);
    return found;
  }

  /** Asks the next replica for a stream. */
  function stream(key: string, text = 'Hi', { path, model }: Way = native, by: Ask = ask): Promise<Told> {
    const messages = [{ role: 'user', content: text }];
    return by(path, JSON.stringify({ model, stream: true, max_tokens: 9, messages }), key);
  }

  /** The status of a stream from the next replica, once it has been read to its end. */
  async function statusOf(key: string): Promise<number> {
    const { status, over } = await stream(key);
    await over;
    return status;
  }

  /** Milliseconds until all replicas give this answer to a key. */
  async function untilAllSay(key: string, status: number): Promise<number> {
    const began = performance.now();
    await vi.waitFor(async () => {
      const listed = await Promise.all(
        replicas.map(({ url }) =>
          fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}`, connection: 'close' } }),
        ),
      );
      for (const answer of listed) await answer.text();
      expect(listed.map((answer) => answer.status)).toEqual(replicas.map(() => status));
    }, PATIENT);
    return performance.now() - began;
  }

  /** A key that is valid on all of them, with a new name. */
  async function keyInForce(limits: Readonly<Record<string, number>> = {}): Promise<string> {
    const { key } = await newKey(replica(0), { name: crypto.randomUUID(), ...limits });
    await untilAllSay(key, 200);
    return key;
  }

  test('a key created on one is valid on all of them, and a key revoked on one is valid on none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-elsewhere-'));
    try {
      const byAdmin = await newKey(replica(0), { name: 'by-admin' });
      expectSoon(await untilAllSay(byAdmin.key, 200));

      const made = await runCommand(directory, ['keys', 'create', 'by-command'], { DATABASE_URL: database });
      const byCommand = made.stdout.trim();
      expect(byCommand, made.stderr).toMatch(/^gw_/);
      expectSoon(await untilAllSay(byCommand, 200));
      for (const key of [byAdmin.key, byCommand])
        for (const _ of replicas) expect(await statusOf(key)).toBe(200);

      // On another one than it was created on.
      await replica(1).admin('DELETE', `/keys/${byAdmin.id}`);
      expectSoon(await untilAllSay(byAdmin.key, 401));
      const revoked = await runCommand(directory, ['keys', 'revoke', 'by-command'], {
        DATABASE_URL: database,
      });
      expect(revoked.code, revoked.stderr).toBe(0);
      expectSoon(await untilAllSay(byCommand, 401));
      for (const key of [byAdmin.key, byCommand])
        for (const _ of replicas) expect(await statusOf(key)).toBe(401);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('a request limit is enforced exactly across all replicas', async () => {
    const key = await keyInForce({ requests_per_minute: 20 });
    const left: (string | string[] | undefined)[] = [];
    const refusedBy = new Set<Replica>();
    // The window begins with the first request, and no request may fall into the next window.
    const began = performance.now();
    for (let count = 0; count < 29; count += 1) {
      const answer = await stream(key);
      await answer.over;
      if (count < 20) {
        expect(answer.status, `request ${count}`).toBe(200);
        left.push(answer.headers['x-ratelimit-remaining-requests']);
      } else {
        expect(answer.status, `request ${count}`).toBe(429);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        refusedBy.add(answer.by);
      }
    }
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(left).toEqual(Array.from({ length: 20 }, (_, count) => String(19 - count)));
    expect(refusedBy.size).toBe(3);
  });

  test('a group binds its keys on all replicas: requests a minute, and a budget', async () => {
    const search = { name: 'search', requests_per_minute: 12 };
    expect(await replica(0).admin('POST', '/groups', search)).toMatchObject(search);
    const { key: one } = await newKey(replica(1), { name: 'one', group: 'search' });
    const { key: two } = await newKey(replica(2), { name: 'two', group: 'search' });
    for (const key of [one, two]) await untilAllSay(key, 200);
    const began = performance.now();
    const statuses: number[] = [];
    for (let count = 0; count < 9; count += 1) statuses.push(await statusOf(one), await statusOf(two));
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(statuses).toEqual(Array.from({ length: 18 }, (_, count) => (count < 12 ? 200 : 429)));
    // All of it is spent already.
    await replica(1).admin('PATCH', '/groups/search', { requests_per_minute: null, budget_day: 0 });
    for (const _ of replicas)
      await vi.waitFor(async () => {
        const { status, over } = await stream(two);
        expect((await over).text).toContain('The group search of this API key has used up its budget');
        expect(status).toBe(429);
      }, PATIENT);
    await replica(2).admin('PATCH', '/groups/search', { budget_day: null });
    for (const _ of replicas) await vi.waitFor(async () => expect(await statusOf(one)).toBe(200), PATIENT);
  });

  test('a concurrency limit is shared by all replicas', async () => {
    const key = await keyInForce({ concurrent_requests: 4 });
    const live = [
      await stream(key, `${LASTING} first`),
      await stream(key, `${LASTING} second`),
      await stream(key, `${LASTING} third`),
      await stream(key, `${LASTING} fourth`),
    ];
    expect(live.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const _ of replicas) expect(await statusOf(key)).toBe(429);
    vendor.finish('first');
    await live[0]?.over;
    // Any replica can use a slot that another one has freed.
    for (const _ of replicas) await vi.waitFor(async () => expect(await statusOf(key)).toBe(200), PATIENT);
    vendor.finish(LASTING);
    for (const { over } of live) {
      const { text, complete } = await over;
      expect(complete && hasEnded(text)).toBe(true);
    }
  });

  test('a replica that is killed under load loses its own live streams, and nothing else', async () => {
    const [doomed, ...others] = [replica(0), replica(1), replica(2)];
    const key = await keyInForce();
    const held = await keyInForce({ concurrent_requests: 6 });

    // Short requests all the time, and lasting ones: eight on each replica, and two of the key with a limit,
    // which is its maximum.
    const short = shortStreams(() => stream(key));
    const lasting = roundRobin(replicas);
    const live: Told[] = [];
    for (let count = 0; count < 24; count += 1) {
      const way = ways[Math.floor(count / 3) % 2] ?? native;
      live.push(await stream(key, `${LASTING} load`, way, lasting));
    }
    const holding: Told[] = [];
    const heldFrom = Date.now();
    for (let count = 0; count < 6; count += 1)
      holding.push(await stream(held, `${LASTING} held`, native, lasting));
    for (const { status } of [...live, ...holding]) expect(status).toBe(200);
    const ofDoomed = [...live, ...holding].filter(({ by }) => by === doomed);
    expect(ofDoomed).toHaveLength(10);
    await vi.waitFor(() => {
      for (const { text } of [...live, ...holding]) expect(wordsIn(text())).toBeGreaterThan(5);
    }, PATIENT);
    // Some records that must be kept, and some of the last moment.
    await pause(MAY_BE_LOST + 1_000);

    doomed.signal('SIGKILL');
    const killed = Date.now();
    expect(await doomed.ended).toBeNull();
    const gone = Date.now();
    for (const { over } of ofDoomed) {
      const { text, complete } = await over;
      expect(complete).toBe(false);
      expect(hasEnded(text)).toBe(false);
    }
    // Its requests to the vendor end, and its part of a limit is not freed at once.
    await vi.waitFor(() => expect(vendor.lasting()).toBe(20), PATIENT);
    await vi.waitFor(async () => expect(await statusOf(held)).toBe(429), PATIENT);

    // New requests continue, and so do all other streams.
    const survivors = [...live, ...holding].filter(({ by }) => by !== doomed);
    const then = short.ended().length;
    const words = survivors.map(({ text }) => wordsIn(text()));
    await vi.waitFor(() => {
      expect(short.ended().length).toBeGreaterThan(then + 30);
      for (const [index, { text }] of survivors.entries())
        expect(wordsIn(text())).toBeGreaterThan((words[index] ?? 0) + 5);
    }, PATIENT);
    vendor.finish('load');
    for (const { by, over } of live) {
      if (by === doomed) continue;
      const { text, complete } = await over;
      expect(complete && hasEnded(text)).toBe(true);
    }
    await short.stop();
    for (const { by } of short.cut()) expect(by).toBe(doomed);
    for (const { status, whole } of short.ended()) expect([status, whole]).toEqual([200, true]);
    // The last answers to earlier requests may be read only now.
    for (const { asked, by } of short.ended()) if (asked > gone) expect(others.includes(by)).toBe(true);

    // Usage: all of the other replicas', and of the killed one all but the last moment.
    const ended = short.ended();
    const mustBeKept = [
      ...live.filter(({ by }) => by !== doomed).map(idOf),
      ...ended.filter(({ by, at }) => by !== doomed || at < killed - MAY_BE_LOST).map(({ id }) => id),
    ];
    expect(ended.filter(({ by, at }) => by === doomed && at < killed - MAY_BE_LOST).length).toBeGreaterThan(
      0,
    );
    const store = await openStore({ path: '', url: database });
    try {
      const kept = await vi.waitFor(async () => {
        const rows = await store.db
          .selectFrom('gateway_exchanges')
          .select(['id', 'outcome', 'output'])
          .execute();
        const byId = new Map(rows.map((row) => [row.id, row]));
        expect(mustBeKept.filter((id) => !byId.has(id))).toEqual([]);
        return byId;
      }, PATIENT);
      for (const id of mustBeKept) expect(kept.get(id)).toMatchObject({ outcome: 'complete' });
      for (const told of live) {
        // The killed replica never reached the end of these requests, so their usage is unknown.
        if (told.by === doomed) expect(kept.has(idOf(told))).toBe(false);
        else expect(kept.get(idOf(told))?.output).toBe(wordsIn(told.text()));
      }
      const days = await store.db.selectFrom('gateway_usage_days').select('requests').execute();
      expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(kept.size);
    } finally {
      await store.close();
    }

    // Its slots of the limit count until its leases end. The test sends no requests during that time: on a
    // busy machine Redis is late for one of some hundred commands, and then the replica that asked it admits
    // one by its own count.
    await pause(heldFrom + LEASE - 5_000 - Date.now());
    await vi.waitFor(async () => expect(await statusOf(held)).toBe(429), PATIENT);
    // Then these slots are free, and no more than these: those of the others are in use.
    await pause(killed + LEASE - Date.now());
    const back = await vi.waitFor(async () => {
      const asked = [await stream(held, `${LASTING} held`), await stream(held, `${LASTING} held`)];
      const statuses = asked.map(({ status }) => status);
      // Both or neither, otherwise the next try would find one slot taken.
      if (statuses.includes(429)) for (const { leave } of asked) leave();
      expect(statuses).toEqual([200, 200]);
      return asked;
    }, PATIENT);
    await vi.waitFor(async () => expect(await statusOf(held)).toBe(429), PATIENT);
    vendor.finish('held');
    for (const { by, over } of [...holding, ...back]) {
      if (by === doomed) continue;
      const { text, complete } = await over;
      expect(complete && hasEnded(text)).toBe(true);
      expect(wordsIn(text)).toBeGreaterThan(0);
    }
    await vi.waitFor(async () => expect(await statusOf(held)).toBe(200), PATIENT);
  }, 180_000);
});

interface Ended {
  readonly by: Replica;
  readonly id: string;
  readonly status: number;
  readonly whole: boolean;
  readonly asked: number;
  /** When its end was read. */
  readonly at: number;
}

interface Short {
  ended(): readonly Ended[];
  /** The streams that broke. */
  cut(): readonly { readonly by: Replica }[];
  /** Resolves when the last one has ended. @throws whatever else went wrong. */
  stop(): Promise<void>;
}

/** Three clients that request one short stream after another. */
function shortStreams(begin: () => Promise<Told>): Short {
  const ended: Ended[] = [];
  const cut: { readonly by: Replica }[] = [];
  let stopped = false;
  async function askOn(): Promise<void> {
    while (!stopped) {
      const asked = Date.now();
      try {
        const told = await begin();
        const { complete, text } = await told.over;
        const { by, status } = told;
        const whole = hasEnded(text);
        if (complete) ended.push({ by, status, id: idOf(told), whole, asked, at: Date.now() });
        else cut.push(told);
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
        cut.push(error);
      }
      await pause(20);
    }
  }
  const over = Promise.all([askOn(), askOn(), askOn()]);
  // Caused by stop().
  over.catch(() => undefined);
  return {
    ended: () => ended,
    cut: () => cut,
    async stop() {
      stopped = true;
      await over;
    },
  };
}

function idOf({ headers }: Told): string {
  return String(headers['x-request-id']);
}
