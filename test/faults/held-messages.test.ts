/** WebSocket messages that never end, and large numbers of sockets: how much they can make a process hold. */

import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { asObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { type Client, connect, connectRaw, frameOf, say } from '../server/websocket/stage.ts';
import { FREQUENT_GC } from '../support/frequent-gc.ts';
import { fullHeap } from '../support/full-heap.ts';
import { bytesInKernel } from '../support/in-kernel.ts';
import { postJson } from '../support/post-json.ts';
import { eventually } from '../support/raw.ts';
import { openStage, type Stage } from './stage.ts';

const MB = 1024 * 1024;
const TWO = { name: 'two', key: 'key-of-two-at-a-time', limits: { concurrentRequests: 2 } };
const create = { type: 'response.create', model: 'gpt-4.1', store: false, input: 'Hi' };

let stage: Stage;
const closing: (() => void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await stage.expectUnharmed();
  await stage.close();
});

/** The first bytes, this many, of a longer message, after which nothing comes. */
const partOf = (size: number): Buffer =>
  frameOf(`{"input":"${'x'.repeat(size)}`.padEnd(size + 1_000)).subarray(0, size);

interface Unfinished {
  readonly raw: Socket;
  /** The number of bytes that the gateway has read so far. */
  taken(): number;
  /** What it has sent. */
  said(): string;
  readonly closed: Promise<void>;
}

/** A socket with part of a message. */
async function unfinished(size: number, key?: string): Promise<Unfinished> {
  const { raw } = await connectRaw(
    stage.gateway.url,
    key === undefined ? undefined : [`Authorization: Bearer ${key}`],
  );
  closing.push(() => raw.destroy());
  let said = '';
  raw.on('data', (chunk) => {
    said += chunk.toString('latin1');
  });
  raw.write(partOf(size));
  return {
    raw,
    taken: () => raw.bytesWritten - raw.writableLength - bytesInKernel(raw),
    said: () => said,
    closed: new Promise((resolve) => raw.once('close', () => resolve())),
  };
}

/** The error in the gateway's frames, which are not masked. */
function errorIn(said: string): JsonObject | undefined {
  const start = said.indexOf('{"type":"error"');
  for (let end = said.indexOf('}', start); start >= 0 && end >= 0; end = said.indexOf('}', end + 1)) {
    try {
      return asObject(parseJson(said.slice(start, end + 1)));
    } catch {
      // The message continues after this brace.
    }
  }
  return undefined;
}

describe('W-01 a message that never ends', () => {
  test("W-01 has the time limit of a request's body, and gets an error", async () => {
    stage = await openStage({ timeouts: { requestBody: 1_500 } });
    const { raw, said, closed } = await unfinished(100_000);
    const drip = setInterval(() => raw.write('x'), 100);
    await closed;
    clearInterval(drip);
    expect(errorIn(said())).toMatchObject({ status: 408, error: { code: 'request_timeout' } });
  });

  test('W-01 a message that takes less than that is answered, and so is the one after it', async () => {
    const limit = 4_000;
    stage = await openStage({ timeouts: { requestBody: limit } });
    stage.respondWith(say('Hello'));
    const { raw, said } = await unfinished(0);
    const whole = frameOf(JSON.stringify({ ...create, input: 'x'.repeat(200_000) }));
    // Together they take longer than one message may, and each of them a small part of it.
    const began = performance.now();
    for (let message = 1; performance.now() - began < limit; message += 1) {
      for (let at = 0; at < whole.length; at += 70_000) {
        raw.write(whole.subarray(at, at + 70_000));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await eventually(() => said().split('response.completed"').length > message, 'it is answered');
    }
    expect(raw.destroyed).toBe(false);
  });
});

describe('W-02 messages that never end count as in flight', () => {
  test('W-02 a key with two requests at a time holds two of them, on any number of sockets: nothing more is read of the others', async () => {
    // None of the two is over before the others have had time to be read, however long that takes.
    stage = await openStage({ keys: [TWO], timeouts: { requestBody: 600_000 } }, FREQUENT_GC);
    stage.respondWith(say('Hello'));
    const before = stage.gateway.memory();
    const all: Unfinished[] = [];
    for (let count = 0; count < 10; count += 1) all.push(await unfinished(20 * MB, TWO.key));
    const isTaken = ({ taken }: Unfinished): boolean => taken() >= 20 * MB;
    await eventually(() => all.filter(isTaken).length >= 2, 'two are read');
    // Unread messages would be read within this time.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(all.filter(isTaken)).toHaveLength(2);
    // Two of 20 MB, and what the kernel buffers of the others.
    expect(stage.gateway.memory() - before).toBeLessThan(120 * MB);
    // Another key has its own limit.
    const client = await connect(stage.gateway.url);
    client.send({ ...create, input: 'x'.repeat(300_000) });
    expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    client.socket.terminate();
  });

  test('W-02 the two end at the time limit, and so do those that wait for their place', async () => {
    stage = await openStage({ keys: [TWO], timeouts: { requestBody: 8_000 } });
    const all = await Promise.all(Array.from({ length: 10 }, () => unfinished(MB, TWO.key)));
    await Promise.all(all.map(({ closed }) => closed));
    const told = all.map(({ said }) => errorIn(said())?.['status']);
    expect(new Set(told)).toEqual(new Set([408, 429]));
  });

  test('W-02 a large message of a key with a request in flight on the same socket is read at once', async () => {
    stage = await openStage({ keys: [{ ...TWO, limits: { concurrentRequests: 1 } }] });
    stage.respondWith(say('Hello'));
    const client = await connect(stage.gateway.url, { authorization: `Bearer ${TWO.key}` });
    for (let count = 0; count < 4; count += 1) client.send({ ...create, input: 'x'.repeat(2 * MB) });
    for (let count = 0; count < 4; count += 1) {
      expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    }
    client.socket.terminate();
  });

  test('W-02 keys of a group share its places, and one that waits for them keeps none of its own', async () => {
    const group = 'one-at-a-time';
    const limits = { concurrentRequests: 1 };
    const keys = ['one', 'two'].map((name) => ({ name, key: `key-${name}-of-a-group`, group, limits }));
    stage = await openStage({
      groups: [{ name: group, limits }],
      keys,
      timeouts: { requestBody: 600_000 },
    });
    const [one, two] = await Promise.all(keys.map(({ key }) => unfinished(MB, key)));
    const isTaken = (each: Unfinished | undefined): boolean => each !== undefined && each.taken() >= MB;
    await eventually(() => isTaken(one) || isTaken(two), 'one is read');
    // The other would be read within this time.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [read, waiting] = isTaken(one) ? [one, two] : [two, one];
    expect(isTaken(waiting)).toBe(false);
    read?.raw.destroy();
    await eventually(() => isTaken(waiting), 'the other is read');
  });

  test('W-02 they count towards the requests in flight of a key, and in all', async () => {
    stage = await openStage({ limits: { inFlightPerKey: 1 }, timeouts: { requestBody: 600_000 } });
    stage.respondWith(say('Hello'));
    const { taken, raw } = await unfinished(MB);
    await eventually(() => taken() >= MB, 'it is read');
    const refused = await postJson(`${stage.gateway.url}/v1/responses`, { model: 'gpt-4.1', input: 'Hi' });
    expect(refused.status).toBe(429);
    raw.destroy();
    const client = await connect(stage.gateway.url);
    await expect
      .poll(async () => {
        client.send(create);
        return (await client.answer()).at(-1)?.['type'];
      })
      .toBe('response.completed');
    client.socket.terminate();
  });
});

describe('W-03 bytes of messages that are arriving', () => {
  const limits = { bodyBytes: 4 * MB, pendingBytesPerKey: 10 * MB, pendingBytes: 16 * MB };

  test('W-03 are bounded per key: more is refused with an error, and other keys are not affected', async () => {
    stage = await openStage({ limits, keys: [TWO] });
    stage.respondWith(say('Hello'));
    const all: Unfinished[] = [];
    for (let count = 0; count < 3; count += 1) {
      const one = await unfinished(3.5 * MB);
      all.push(one);
      if (count < 2) await eventually(() => one.taken() >= 3.5 * MB, 'it is read');
    }
    await all[2]?.closed;
    expect(errorIn(all[2]?.said() ?? '')).toMatchObject({ status: 429 });
    expect(all.slice(0, 2).map(({ raw }) => raw.destroyed)).toEqual([false, false]);
    const client = await connect(stage.gateway.url, { authorization: `Bearer ${TWO.key}` });
    client.send({ ...create, input: 'x'.repeat(MB) });
    expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    client.socket.terminate();
  });

  test('W-03 are bounded in all: the largest is cut, and newcomers are served', async () => {
    const keys = ['a', 'b', 'c', 'd'].map((name) => ({ name, key: `key-of-${name}-for-these-tests` }));
    stage = await openStage({
      limits: { ...limits, pendingBytesPerKey: 8 * MB, pendingBytes: 8 * MB },
      keys,
    });
    stage.respondWith(say('Hello'));
    const large = await unfinished(3.8 * MB, keys[0]?.key);
    await eventually(() => large.taken() >= 3.8 * MB, 'it is read');
    const small = await unfinished(2 * MB, keys[1]?.key);
    await eventually(() => small.taken() >= 2 * MB, 'it is read');
    const next = await unfinished(3 * MB, keys[2]?.key);
    await large.closed;
    expect(errorIn(large.said())).toMatchObject({ status: 503 });
    await eventually(() => next.taken() >= 3 * MB, 'it is read');
    expect([small.raw.destroyed, next.raw.destroyed]).toEqual([false, false]);
  });
});

describe('W-04 sockets', () => {
  test('W-04 are bounded per key and in all, and a closed one makes room', async () => {
    stage = await openStage({ keys: [TWO], limits: { webSocketsPerKey: 2, webSockets: 3 } });
    const others = { authorization: `Bearer ${TWO.key}` };
    const open = async (headers: Record<string, string> = {}): Promise<Client> => {
      const client = await connect(stage.gateway.url, headers);
      closing.push(() => client.socket.terminate());
      return client;
    };
    const first = await open();
    await open();
    await expect(open()).rejects.toThrow('status 429');
    await open(others);
    await expect(open(others)).rejects.toThrow('status 503');
    first.socket.close();
    await first.closed;
    await expect.poll(() => open(others).then(() => 'open', String)).toBe('open');
  });
});

describe('W-05 when memory is short', () => {
  test('W-05 the callers that hold most are ended first', async () => {
    stage = await openStage({}, fullHeap());
    const small: Unfinished[] = [];
    for (let count = 0; count < 9; count += 1) small.push(await unfinished(200_000));
    const large = await unfinished(10 * MB);
    await eventually(() => large.taken() >= 10 * MB, 'it is read');
    let ended = 0;
    for (const { closed } of small) void closed.then(() => (ended += 1));
    stage.gateway.signal('SIGUSR2');
    await large.closed;
    expect(ended).toBe(0);
    expect(errorIn(large.said())).toMatchObject({ status: 503 });
    stage.gateway.signal('SIGUSR2');
  });
});
