/** What a process can run short of, and what it does then: it accepts no new work, and finishes what it has. */

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, call } from '../support/caller.ts';
import { fullHeap } from '../support/full-heap.ts';
import { preload } from '../support/preload.ts';
import { eventually, post, type RawClient, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { chunk, openStage, requestOf, STREAM_END, type Stage, streamEvents, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const [native, translated] = ways;

describe('P-05 the event loop', () => {
  const STALLS = preload(`
    let stalling = false;
    process.on('SIGUSR2', () => { stalling = !stalling; });
    setInterval(() => {
      const until = performance.now() + 400;
      while (stalling && performance.now() < until);
    }, 30);
  `);

  test('P-05 stalled again and again: new work is refused, live streams go on, and it recovers', async () => {
    stage = await openStage({ limits: { eventLoopDelay: 200 } }, STALLS);
    stage.respondWith((_, response) => streamEvents(response, 30, 100));
    const [one, other] = await Promise.all([stage.ask(native), stage.ask(translated)]);
    stage.gateway.signal('SIGUSR2');
    // If the machine itself halts, the event loop may be on time for half a second in between.
    await expect
      .poll(async () => {
        const answer = await stage.health('/health/ready');
        return [answer.status, await answer.json()];
      })
      .toEqual([503, { status: 'overloaded' }]);
    expect((await stage.health('/health/live')).status).toBe(200);
    await expect
      .poll(async () => {
        const { status, headers } = await stage.ask(translated);
        return { status, retryAfter: headers['retry-after'] };
      })
      .toEqual({ status: 503, retryAfter: '1' });
    stage.gateway.signal('SIGUSR2');
    for (const { over } of [one, other]) expect(await over).toMatchObject({ complete: true });
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(200);
    expect((await stage.ask(native)).status).toBe(200);
  });
});

describe('P-05 an event loop that is late once', () => {
  const STALL = preload(`
    process.on('SIGUSR2', () => {
      const until = performance.now() + 2_500;
      while (performance.now() < until);
    });
  `);

  test('P-05 as by a garbage collection: nothing is refused for that', async () => {
    stage = await openStage({ limits: { eventLoopDelay: 2_000 } }, STALL);
    stage.gateway.signal('SIGUSR2');
    const got = new Set<number>();
    // Longer than the interval between two checks.
    for (const over = performance.now() + 4_500; performance.now() < over; ) {
      got.add((await stage.health('/health/ready')).status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([...got]).toEqual([200]);
  });
});

describe('P-06 file descriptors', () => {
  test('P-06 a connection that could not be accepted is logged, and not again and again', async () => {
    stage = await openStage(
      {},
      preload(`
        import { Server } from 'node:http';
        const { listen } = Server.prototype;
        Server.prototype.listen = function (...given) {
          process.on('SIGUSR2', () => {
            for (let at = 0; at < 100; at += 1) this.emit('error', new Error('accept EMFILE'));
          });
          return listen.apply(this, given);
        };
      `),
    );
    stage.gateway.signal('SIGUSR2');
    const told = (): number =>
      stage.gateway.output().split('could not be accepted: accept EMFILE').length - 1;
    await expect.poll(told).toBeGreaterThan(0);
    expect((await stage.health('/health/live')).status).toBe(200);
    expect(told()).toBe(1);
  });

  test('P-06 at the mark: refused; without any: nothing breaks or spins; and it recovers', async () => {
    // Idle connections are not closed for being idle before all of them exist.
    const timeouts = { requestHead: 600_000 };
    stage = await openStage({ timeouts }, { shell: 'ulimit -n 128;' });
    stage.respondWith((_, response) => streamEvents(response, 80, 100));
    const live = await stage.ask(native);
    // Idle connections, up to the mark.
    const idle = Array.from({ length: 80 }, () => rawClient(stage.gateway.port));
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(503);
    const refused = await stage.ask(translated);
    expect({ status: refused.status, connection: refused.headers.connection }).toEqual({
      status: 503,
      connection: 'close',
    });
    // And far beyond: what cannot be accepted is not, at no cost.
    idle.push(...Array.from({ length: 200 }, () => rawClient(stage.gateway.port)));
    await expect.poll(() => readdirSync(`/proc/${stage.gateway.pid}/fd`).length).toBeGreaterThanOrEqual(127);
    const before = stage.gateway.cpu();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(stage.gateway.cpu() - before).toBeLessThan(1_000);
    for (const { socket } of idle) socket.destroy();
    expect(await live.over).toMatchObject({ complete: true });
    expect(stage.gateway.alive()).toBe(true);
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(200);
    expect((await stage.ask(native)).status).toBe(200);
  });
});

describe('P-06 a crowd of callers at once', () => {
  test('P-06 who gets no connection to a vendor gets a 503, and the vendor is not to blame', async () => {
    // An upstream that was blamed would be skipped, although it is the only one.
    stage = await openStage({ ejection: { lone: true } }, { shell: 'ulimit -n 128;' });
    // Nobody leaves before somebody has been refused.
    const isRefused = Promise.withResolvers<void>();
    stage.respondWith((_, response) => void isRefused.promise.then(() => json(response, { ok: true })));
    const request = post(native.path, requestOf(native, false), ['Connection: close']);
    const crowd = Array.from({ length: 110 }, async () => {
      const answer = await rawClient(stage.gateway.port, request).over;
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
      if (status === '503') isRefused.resolve();
      return status;
    });
    const statuses = await Promise.all(crowd);
    expect(statuses).toContain('503');
    // Callers beyond the last descriptor are not even accepted.
    expect(new Set(statuses).difference(new Set(['200', '503', undefined]))).toEqual(new Set());
    await expect.poll(async () => (await stage.ask(native)).status).toBe(200);
  });
});

describe('P-06 the metrics', () => {
  test('P-06 are served even without any, when operators most want to see them', async () => {
    const admin = { key: 'admin-key-of-the-tests', port: 0 };
    stage = await openStage({ admin, timeouts: { requestHead: 600_000 } }, { shell: 'ulimit -n 128;' });
    await eventually(() => stage.gateway.output().includes('Admin API on '), 'it says where');
    const port = Number(/Admin API on http:\/\/[\d.]+:(\d+)/.exec(stage.gateway.output())?.[1]);
    const scraper = rawClient(port);
    await once(scraper.socket, 'connect');
    // A connection that has begun a request is not idle, so it is not closed.
    const begun: RawClient[] = [];
    const oneMore = (): number => {
      begun.push(rawClient(stage.gateway.port, 'GET / HTTP/1.1\r\n'));
      return readdirSync(`/proc/${stage.gateway.pid}/fd`).length;
    };
    await expect.poll(oneMore, { interval: 5 }).toBe(128);
    scraper.socket.write(
      `GET /metrics HTTP/1.1\r\nHost: admin\r\nConnection: close\r\nAuthorization: Bearer ${admin.key}\r\n\r\n`,
    );
    const told = await scraper.over;
    expect(told).toMatch(/^HTTP\/1\.1 200 /);
    expect(told).toMatch(/^gateway_requests_in_flight \d/m);
    expect(told).toMatch(/^nodejs_heap_size_used_bytes [\d.e+]+$/m);
    for (const { socket } of begun) socket.destroy();
  });
});

describe('P-06 idle kept connections', () => {
  test('P-06 are closed at the mark, and it accepts work again', async () => {
    stage = await openStage({}, { shell: 'ulimit -n 128;' });
    stage.respondWith((_, response) => json(response, {}));
    const kept: RawClient[] = [];
    // The mark is at 102.
    while (kept.length < 110) {
      const client = rawClient(stage.gateway.port, 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n');
      kept.push(client);
      await eventually(() => client.text().includes('"ok"') || client.socket.closed, 'it is answered');
    }
    await eventually(() => kept.some(({ socket }) => socket.closed), 'they are closed');
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(200);
    expect((await stage.ask(native)).status).toBe(200);
  });
});

describe('P-07 memory', () => {
  test.each([
    [
      'the share of the machine’s memory that the process may use counts',
      'process.constrainedMemory = () => 1_000_000;',
      { status: 503 },
    ],
    [
      'objects that are about to be collected do not count',
      `
        import { syncBuiltinESMExports } from 'node:module';
        import v8 from 'node:v8';
        const real = v8.getHeapSpaceStatistics;
        const young = { space_name: 'new_space', space_used_size: Number.MAX_SAFE_INTEGER };
        v8.getHeapSpaceStatistics = () => [young, ...real()];
        syncBuiltinESMExports();
      `,
      { status: 200 },
    ],
  ])('P-07 %s', async (_, program, expected) => {
    stage = await openStage({}, preload(program));
    expect(await stage.health('/health/ready')).toMatchObject(expected);
  });

  test('P-07 is already short during a start, which takes a while: the process starts', async () => {
    stage = await openStage(
      {},
      preload(`
        import { Server } from 'node:http';
        import { syncBuiltinESMExports } from 'node:module';
        import v8 from 'node:v8';
        v8.getHeapSpaceStatistics = () => [
          { space_name: 'old_space', space_used_size: Number.MAX_SAFE_INTEGER },
        ];
        syncBuiltinESMExports();
        const { listen } = Server.prototype;
        Server.prototype.listen = function (...given) {
          setTimeout(() => listen.apply(this, given), 1_500);
          return this;
        };
      `),
    );
    expect((await stage.health('/health/ready')).status).toBe(503);
    expect((await stage.ask(native)).status).toBe(200);
  });

  test('P-07 is short while hardly anything is in flight: that is no reason to refuse new requests', async () => {
    stage = await openStage({}, fullHeap());
    stage.gateway.signal('SIGUSR2');
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(503);
    expect((await stage.ask(native)).status).toBe(200);
  });

  test('P-07 is checked once more when the body has arrived, before anything is built from it', async () => {
    // Too full for more, and not so full that requests must be ended.
    stage = await openStage({}, fullHeap(0.9));
    const ends: (() => void)[] = [];
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
      ends.push(() => response.end(STREAM_END));
    });
    const live: Answer[] = [];
    for (let at = 0; at < 8; at++) live.push(await stage.ask(native));
    const [head = '', body = ''] = post(native.path, requestOf(native, true), ['Expect: 100-continue']).split(
      /(?<=\r\n\r\n)/,
    );
    const client = rawClient(stage.gateway.port, head);
    // Its head is accepted first.
    const letIn = await client.until((text) => text.endsWith('100 Continue\r\n\r\n'));
    stage.gateway.signal('SIGUSR2');
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(503);
    client.socket.write(body);
    const refused = (await client.until((text) => text.includes('}'))).slice(letIn.length);
    expect(statusOf(refused)).toBe(503);
    expect(refused).toContain('The gateway is low on memory.');
    client.socket.destroy();
    stage.gateway.signal('SIGUSR2');
    for (const end of ends) end();
    for (const { over } of live) expect((await over).complete).toBe(true);
  });

  test('P-07 is also checked when a request begins, as half a second is enough to fill it', async () => {
    const { execArgv = [] } = fullHeap();
    stage = await openStage(
      {},
      preload(
        'const { setInterval: real } = globalThis; globalThis.setInterval = (run, pause, ...given) => real(run, pause === 500 ? 1e9 : pause, ...given);',
        execArgv,
      ),
    );
    expect((await stage.health('/health/ready')).status).toBe(200);
    stage.gateway.signal('SIGUSR2');
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(503);
  });

  test('P-07 is almost exhausted: the newest request is ended with an error, until so few are left that it does not help', async () => {
    stage = await openStage({}, fullHeap());
    const ends: (() => void)[] = [];
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
      ends.push(() => response.end(STREAM_END));
    });
    const answers: Answer[] = [];
    for (let at = 0; at < 20; at++) answers.push(await stage.ask(at % 2 ? native : translated));
    const cut = new Map<number, string>();
    for (const [at, { over }] of answers.entries()) void over.then(({ text }) => cut.set(at, text));
    stage.gateway.signal('SIGUSR2');
    await expect.poll(() => cut.size).toBe(12);
    expect((await stage.ask(native)).status).toBe(503);
    // It checks twice a second: nothing more is ended.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([...cut.keys()]).toEqual(expect.arrayContaining(Array.from({ length: 12 }, (_, at) => 19 - at)));
    for (const text of cut.values()) expect(text).toContain('The gateway is out of memory.');
    expect(cut.size).toBe(12);
    stage.gateway.signal('SIGUSR2');
    for (const end of ends) end();
    for (const { over } of answers.slice(0, 8)) expect((await over).text).not.toContain('out of memory');
    await expect.poll(async () => (await stage.health('/health/ready')).status).toBe(200);
  });

  test('P-07 is far smaller than the requests need: refused in time, nothing crashes, and it recovers', async () => {
    // However long that takes: no head of an answer is sent before.
    const timeouts = { hold: 600_000 };
    stage = await openStage({ timeouts }, { execArgv: ['--max-old-space-size=128'] });
    let waiting: ServerResponse[] = [];
    stage.respondWith((_, response) => waiting.push(response));
    // A request is kept until it is answered, and a few MB of objects are built from its many small parts.
    const messages = Array.from({ length: 20_000 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: 'x',
    }));
    const body = JSON.stringify({ model: translated.model, stream: true, max_tokens: 9, messages });
    const answers: Promise<Answer>[] = [];
    const statuses: number[] = [];
    for (let at = 0; at < 120 && stage.gateway.alive(); at++) {
      const answer = call(stage.gateway.url, translated.path, body);
      answer.then(
        ({ status }) => statuses.push(status),
        () => statuses.push(0),
      );
      answers.push(answer);
      await eventually(() => waiting.length + statuses.length > at, 'it is asked for, or refused');
      if (statuses.filter((status) => status === 503).length >= 5) break;
    }
    expect(stage.gateway.alive(), stage.gateway.output()).toBe(true);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(statuses.length).toBeGreaterThanOrEqual(5);
    expect((await stage.health('/health/live')).status).toBe(200);
    stage.respondWith((_, response) => json(response, {}));
    for (const response of waiting) json(response, {}, 500);
    waiting = [];
    await Promise.all(answers);
    await expect.poll(async () => (await stage.ask(native, false)).status).toBe(200);
  });
});
