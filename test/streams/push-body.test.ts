/** A body that its source pushes: what the source is notified of, and what the consumer reads. */

import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { HIGH_WATER_MARK, PushBody } from '../../src/streams/push-body.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const broken = new GatewayError('upstream-broken', 'It broke off.');

/** A body, with every notification that its source receives. */
function stage(maxQueued?: () => number) {
  const heard: unknown[] = [];
  const body = new PushBody({
    resume: () => heard.push('resume'),
    pause: () => heard.push('pause'),
    cancel: (reason) => heard.push(['cancel', reason]),
    ...(maxQueued && { maxQueued: maxQueued }),
  });
  return { body, heard, reader: body.stream().getReader() };
}

async function textsOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read())
    texts.push(new TextDecoder().decode(read.value));
  return texts;
}

describe('a body that has no reader yet', () => {
  test('is queued and read in order, before later chunks', async () => {
    const { body, reader } = stage();
    body.enqueue(bytes('a'));
    body.enqueue(bytes('b'));
    const reading = textsOf(reader);
    body.enqueue(bytes('c'));
    body.close();
    expect(await reading).toEqual(['a', 'b', 'c']);
  });

  test('is read to its end before the reader sees the failure', async () => {
    const { body, reader } = stage();
    body.enqueue(bytes('a'));
    body.enqueue(bytes('b'));
    body.error(broken);
    expect((await reader.read()).value).toEqual(bytes('a'));
    expect((await reader.read()).value).toEqual(bytes('b'));
    await expect(reader.read()).rejects.toBe(broken);
  });

  test('fails at once if nothing is queued', async () => {
    const { body, reader } = stage();
    const read = reader.read();
    body.error(broken);
    await expect(read).rejects.toBe(broken);
  });
});

describe('backpressure', () => {
  test('the source pauses when the queue reaches its limit, and resumes when the queue is empty', async () => {
    const { body, reader, heard } = stage();
    body.enqueue(new Uint8Array(HIGH_WATER_MARK - 1));
    expect(heard).toEqual([]);
    body.enqueue(new Uint8Array(1));
    body.enqueue(new Uint8Array(1));
    expect(heard).toEqual(['pause']);
    for (let read = 0; read < 3; read += 1) await reader.read();
    expect(heard).toEqual(['pause']);
    void reader.read();
    await Promise.resolve();
    expect(heard).toEqual(['pause', 'resume']);
  });

  test('a consumer who keeps up never pauses the source', async () => {
    const { body, reader, heard } = stage();
    for (let at = 0; at < 10; at += 1) {
      const read = reader.read();
      body.enqueue(new Uint8Array(HIGH_WATER_MARK / 2));
      await read;
    }
    expect(heard).toEqual([]);
  });

  test('the queue limit may change while the body is read', () => {
    let most = 10;
    const { body, heard } = stage(() => most);
    body.enqueue(new Uint8Array(9));
    most = 20;
    body.enqueue(new Uint8Array(9));
    expect(heard).toEqual([]);
    most = 10;
    body.enqueue(new Uint8Array(1));
    expect(heard).toEqual(['pause']);
  });
});

test('a consumer who leaves cancels the source at once, and nothing more is queued', async () => {
  const { body, reader, heard } = stage();
  body.enqueue(bytes('a'));
  const read = reader.read();
  await read;
  const waiting = reader.read();
  await reader.cancel(broken);
  expect(heard).toEqual([['cancel', broken]]);
  body.enqueue(bytes('b'));
  body.close();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

describe('a consumer that takes the chunks itself', () => {
  /** A body, and how often its consumer was called. */
  function taken() {
    const heard: unknown[] = [];
    let calls = 0;
    const body = new PushBody({
      resume: () => heard.push('resume'),
      pause: () => heard.push('pause'),
      cancel: (reason) => heard.push(['cancel', reason]),
    });
    const consumer = {
      available() {
        calls += 1;
      },
    };
    return { body, heard, next: () => body.next(consumer), calls: () => calls };
  }

  test('gets what is queued, then the end', () => {
    const { body, next, calls } = taken();
    for (const text of ['a', 'b', 'c']) body.enqueue(bytes(text));
    body.close();
    expect([next(), next(), next(), next(), next()]).toEqual([
      bytes('a'),
      bytes('b'),
      bytes('c'),
      'end',
      'end',
    ]);
    expect(calls()).toBe(0);
  });

  test('is called once after it has got nothing, for a chunk, the end or a failure', () => {
    const { body, next, calls } = taken();
    expect(next()).toBeUndefined();
    body.enqueue(bytes('a'));
    body.enqueue(bytes('b'));
    expect(calls()).toBe(1);
    expect([next(), next(), next()]).toEqual([bytes('a'), bytes('b'), undefined]);
    body.error(broken);
    body.close();
    expect(calls()).toBe(2);
    expect(next()).toBe(broken);
  });

  test('resumes the source when it has taken everything, even if that answers at once', () => {
    const pushed: PushBody = new PushBody({
      resume: () => pushed.enqueue(bytes('more')),
      pause() {},
      cancel() {},
    });
    const got: unknown[] = [];
    const consumer = { available: () => void got.push(pushed.next(consumer)) };
    pushed.enqueue(new Uint8Array(HIGH_WATER_MARK));
    expect(pushed.next(consumer)).toHaveLength(HIGH_WATER_MARK);
    expect(pushed.next(consumer)).toBeUndefined();
    expect(got).toEqual([bytes('more')]);
  });

  test('that leaves gets nothing more, and cancels only a source that runs', () => {
    const running = taken();
    running.body.enqueue(bytes('a'));
    running.body.cancel(broken);
    running.body.cancel(broken);
    running.body.enqueue(bytes('b'));
    expect([running.next(), running.heard]).toEqual(['end', [['cancel', broken]]]);
    const ended = taken();
    ended.body.enqueue(bytes('a'));
    ended.body.close();
    ended.body.cancel(broken);
    expect([ended.next(), ended.heard]).toEqual(['end', []]);
  });
});
