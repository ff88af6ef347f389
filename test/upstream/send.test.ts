import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { openAgent } from '../../src/upstream/agent.ts';
import type { VendorAgent, VendorDispatch } from '../../src/upstream/origin-agent.ts';
import { send } from '../../src/upstream/send.ts';
import { openTimeoutClock } from '../../src/upstream/timeout-clock.ts';
import type {
  AnswerObserver,
  Ending,
  UpstreamAnswer,
  UpstreamRequest,
} from '../../src/upstream/upstream-answer.ts';
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { CLOSED } from '../support/free-port.ts';
import { arrayBuffersHeld, collectYoung } from '../support/held.ts';

let upstream: FaultUpstream;
const agent = openAgent({ connect: 60_000, publicHosts: new Set() });
/** Nothing takes as long as that. */
const clock = openTimeoutClock({ firstByte: 60_000, idle: 60_000, quiet: 0, total: 0 });
/** For what is silent. */
const soonOver = openTimeoutClock({ firstByte: 300, idle: 300, quiet: 0, total: 0 });

beforeAll(async () => {
  upstream = await startFaultUpstream();
});
afterAll(async () => {
  clock.close();
  soonOver.close();
  await agent.destroy();
  await upstream.close();
});

interface Sent {
  readonly answer: Promise<UpstreamAnswer>;
  readonly tapped: Buffer[];
  readonly endings: Ending[];
}

function sent(
  script: Script,
  more: Partial<UpstreamRequest> = {},
  signal = new AbortController().signal,
  by = clock,
): Sent {
  upstream.script(script);
  const tapped: Buffer[] = [];
  const endings: Ending[] = [];
  const answer = send(
    agent,
    by,
    {
      method: 'POST',
      origin: upstream.url,
      path: '/x',
      headers: ['content-type', 'application/json'],
      body: Buffer.from('{}'),
      observe: () => ({
        transform(bytes, out) {
          tapped.push(Buffer.from(bytes));
          out.enqueue(bytes);
        },
      }),
      ended: (how) => endings.push(how),
      ...more,
    },
    signal,
  );
  answer.catch(() => undefined);
  return { answer, tapped, endings };
}

/** The body as a stream, whatever its kind. */
async function streamOf(answer: Promise<UpstreamAnswer>): Promise<ReadableStream<Uint8Array>> {
  const { body } = await answer;
  return body instanceof Uint8Array ? ReadableStream.from([body]) : body.stream();
}

async function text(answer: Promise<UpstreamAnswer>): Promise<string> {
  const chunks = await Array.fromAsync(await streamOf(answer));
  return chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
}

describe('the observer and the end', () => {
  test('the observer sees everything that arrives; the end is reported once', async () => {
    const { answer, tapped, endings } = sent((wire) => wire.wholeStream(['data: 1\n\n', 'data: 2\n\n']));
    expect(await text(answer)).toBe('data: 1\n\ndata: 2\n\n');
    expect(Buffer.concat(tapped).toString()).toBe('data: 1\n\ndata: 2\n\n');
    await new Promise((resolve) => setImmediate(resolve));
    expect(endings).toEqual(['whole']);
  });

  test('the observer sees a compressed body decompressed', async () => {
    const { answer, tapped, endings } = sent((wire) =>
      wire.answer(200, gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }),
    );
    expect(await text(answer)).toBe('{"a":1}');
    expect(Buffer.concat(tapped).toString()).toBe('{"a":1}');
    await new Promise((resolve) => setImmediate(resolve));
    expect(endings).toEqual(['whole']);
  });

  const endings: [name: string, script: Script, fault: string][] = [
    ['before an answer', (wire) => wire.reset(), 'upstream-broken'],
    ['by silence', () => undefined, 'upstream-timeout'],
    [
      'within a body',
      (wire) => {
        wire.stream(['data: 1\n\n']);
        setTimeout(() => wire.reset(), 20);
      },
      'upstream-broken',
    ],
    ['by a body that falls silent', (wire) => wire.stream(['data: 1\n\n']), 'upstream-timeout'],
  ];
  test.each(endings)('an end %s is reported once', async (_, script, fault) => {
    const { answer, endings: how } = sent(script, {}, undefined, soonOver);
    await expect(text(answer)).rejects.toMatchObject({ fault });
    expect(how).toEqual(['broken']);
  });

  test('a caller who leaves is reported once, without blaming the vendor', async () => {
    for (const when of ['signal', 'cancel', 'both'] as const) {
      const caller = new AbortController();
      const { answer, endings: how } = sent((wire) => wire.stream(['data: 1\n\n']), {}, caller.signal);
      const reader = (await streamOf(answer)).getReader();
      await reader.read();
      if (when !== 'cancel') caller.abort();
      if (when !== 'signal') await reader.cancel().catch(() => undefined);
      expect(how).toEqual(['left']);
    }
  });
});

test('a caller who has left before anything is sent does not wait for a connection', async () => {
  const caller = new AbortController();
  caller.abort();
  const before = upstream.connections();
  const { answer, endings } = sent((wire) => wire.answer(200, '{}'), { path: '/never' }, caller.signal);
  await expect(answer).rejects.toMatchObject({ message: 'The caller left.' });
  expect(endings).toEqual(['left']);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(upstream.connections()).toBe(before);
  expect(upstream.requests.map(({ path }) => path)).not.toContain('/never');
});

test('an exchange that is ended from outside reports that reason', async () => {
  const owner = new AbortController();
  const { answer } = sent((wire) => wire.stream(['data: 1\n\n']), {}, owner.signal);
  const reader = (await streamOf(answer)).getReader();
  await reader.read();
  owner.abort(new GatewayError('overloaded', 'The gateway stops.'));
  await expect(reader.read()).rejects.toMatchObject({ fault: 'overloaded' });
});

test('data that arrived before a break is read before the break is reported', async () => {
  const pieces = Array.from({ length: 20 }, (_, at) => `data: ${at}\n\n`);
  const { answer, endings } = sent((wire) => {
    wire.stream(pieces);
    setTimeout(() => wire.reset(), 20);
  });
  const body = await streamOf(answer);
  await expect.poll(() => endings.length).toBe(1);
  const got: string[] = [];
  const reading = (async () => {
    for await (const chunk of body) got.push(Buffer.from(chunk).toString());
  })();
  await expect(reading).rejects.toMatchObject({ fault: 'upstream-broken' });
  expect(got.join('')).toBe(pieces.join(''));
});

test.each([
  ['small, which expands to a large one', Buffer.alloc(20_000_000)],
  ['large', randomBytes(20_000_000)],
])('a compressed body, %s, waits for its reader', async (_, bytes) => {
  const zipped = gzipSync(bytes, { level: 1 });
  let left = (): number => 0;
  const { answer, tapped } = sent((wire) => {
    left = () => wire.socket.writableLength;
    wire.stream([zipped], { 'content-encoding': 'gzip' });
    wire.lastChunk();
  });
  const body = await streamOf(answer);
  await sleep(500);
  const size = (): number => tapped.reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(size()).toBeLessThan(1_000_000);
  if (zipped.length > bytes.length) expect(left()).toBeGreaterThan(0);
  for await (const chunk of body) expect(chunk.byteLength).toBeGreaterThan(0);
  expect(size()).toBe(bytes.length);
});

test.each([16, 64])(
  'a decompressor with room again, after a read of %d KB, asks for nothing',
  async (size) => {
    const zipped = gzipSync(randomBytes(4_000_000), { level: 1 });
    let given = 0;
    /** Gives reads until it is paused, and goes on at once when it is resumed, as undici does. */
    class Given extends Dispatcher implements VendorAgent {
      override dispatch(_: VendorDispatch, handler: Dispatcher.DispatchHandler): boolean {
        const controller = {
          paused: false,
          aborted: false,
          reason: null,
          abort() {},
          pause() {
            controller.paused = true;
          },
          resume() {
            controller.paused = false;
            while (!controller.paused && given < zipped.length) {
              given += size * 1024;
              handler.onResponseData?.(controller, zipped.subarray(given - size * 1024, given));
            }
          },
        };
        const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
        handler.onRequestStart?.(controller, {});
        handler.onResponseStart?.(controller, 200, headers);
        controller.resume();
        return true;
      }
    }
    const body = await streamOf(send(new Given(), clock, askUpstream(), new AbortController().signal));
    await sleep(500);
    expect(given).toBeLessThan(1_000_000);
    await body.cancel();
  },
);

test('an observer may add a last event if the body breaks or is cut, and only then', async () => {
  const seen: string[] = [];
  let isCut = false;
  const observer: AnswerObserver = {
    transform(bytes, out) {
      seen.push(Buffer.from(bytes).toString());
      out.enqueue(bytes);
    },
    flush() {
      if (isCut) throw new GatewayError('upstream-broken', 'cut');
    },
    hasFailed: () => false,
    fail: (error, out) => out.enqueue(Buffer.from(`<${error.message}>`)),
  };
  const observed = (script: Script) => text(sent(script, { observe: () => observer }).answer);
  expect(await observed((wire) => wire.wholeStream(['a']))).toBe('a');
  isCut = true;
  expect(await observed((wire) => wire.wholeStream(['a']))).toBe('a<cut>');
  isCut = false;
  const broken = await observed((wire) => {
    wire.stream(['a']);
    setTimeout(() => wire.reset(), 20);
  });
  expect(broken).toBe('a<Connection lost: the upstream broke off.>');
  expect(seen).toEqual(['a', 'a', 'a']);
});

test('the data of one read is forwarded as one chunk', async () => {
  const { answer } = sent((wire) => {
    wire.wholeStream(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']);
  });
  const chunks = await Array.fromAsync(await streamOf(answer));
  expect(chunks.map((chunk) => Buffer.from(chunk).toString())).toEqual(['data: 1\n\ndata: 2\n\ndata: 3\n\n']);
});

test('a failed attempt reports what the vendor may have done', async () => {
  const table: [script: Script, more: Partial<UpstreamRequest>, loss: string | undefined][] = [
    [(wire) => wire.reset(), { origin: CLOSED.url }, 'rejected'],
    [(wire) => wire.reset(), {}, 'reset'],
    [(wire) => wire.fin(), {}, 'reset'],
    // A byte of an answer has arrived: the vendor has done work.
    [
      (wire) => {
        wire.raw('HTTP/1.1 2');
        setTimeout(() => wire.reset(), 20);
      },
      {},
      undefined,
    ],
    [() => undefined, {}, undefined],
  ];
  for (const [script, more, loss] of table) {
    await expect(sent(script, more, undefined, soonOver).answer).rejects.toMatchObject({ loss });
  }
});

/** A request to the vendor of the tests. */
function askUpstream(): UpstreamRequest {
  return { method: 'POST', origin: upstream.url, path: '/x', headers: [], body: Buffer.from('{}') };
}

test('an open stream does not hold the read that its head came in', async () => {
  const word = 'w'.repeat(40_000);
  const body = `${word.length.toString(16)}\r\n${word}\r\n`;
  upstream.script((wire) =>
    wire.raw(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${body}`,
    ),
  );
  const request = askUpstream();
  const open = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const reader = (await streamOf(send(agent, clock, request, new AbortController().signal))).getReader();
    let come = 0;
    for (; come < word.length; ) come += (await reader.read()).value?.byteLength ?? word.length;
    return reader;
  };
  const first = await open();
  const before = await arrayBuffersHeld();
  const opened = await Promise.all(Array.from({ length: 20 }, open));
  // Half of what the words take.
  expect((await arrayBuffersHeld()) - before).toBeLessThan(20 * 20_000);
  await Promise.all([first, ...opened].map((reader) => reader.cancel()));
});

test('a piece of no bytes, as undici gives after a pause within a chunk, goes to nobody', async () => {
  upstream.script((wire) => {
    wire.stream(['data: 1\n\n']);
    setTimeout(() => {
      wire.chunk('data: 2\n\n');
      wire.lastChunk();
    }, 20);
  });
  const vendors: VendorAgent = agent;
  class WithEmptyPieces extends Dispatcher implements VendorAgent {
    override dispatch(options: VendorDispatch, handler: Dispatcher.DispatchHandler): boolean {
      return vendors.dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStarted: () => handler.onResponseStarted?.(),
        onResponseStart(controller, ...head) {
          handler.onResponseStart?.(controller, ...head);
          // In a turn of its own, and so in a piece of its own.
          setTimeout(() => handler.onResponseData?.(controller, Buffer.alloc(0)), 5);
        },
        onResponseData: (...piece) => handler.onResponseData?.(...piece),
        onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
        onResponseError: (...end) => handler.onResponseError?.(...end),
      });
    }
  }
  const sizes: number[] = [];
  const { body } = await send(
    new WithEmptyPieces(),
    clock,
    {
      ...askUpstream(),
      observe: () => ({
        transform(bytes, out) {
          sizes.push(bytes.length);
          out.enqueue(bytes);
        },
      }),
    },
    new AbortController().signal,
  );
  const chunks = body instanceof Uint8Array ? [body] : await Array.fromAsync(body.stream());
  expect(Buffer.concat(chunks).toString()).toBe('data: 1\n\ndata: 2\n\n');
  expect([...sizes, ...chunks.map((chunk) => chunk.length)]).toEqual([9, 9, 9, 9]);
});

test('a read is freed by a small collection, even if its connection has waited for it through some', async () => {
  const word = 'w'.repeat(40_000);
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length';
  const bytes = Buffer.from(`${head}: ${word.length}\r\n\r\n${word}`);
  upstream.script((wire) => wire.raw(bytes));
  const request = askUpstream();
  // The bytes themselves are given to nobody, not even to `expect`, which would keep them.
  const ask = async (): Promise<number> => {
    const { body } = await send(agent, clock, request, new AbortController().signal);
    return body instanceof Uint8Array ? body.length : 0;
  };
  expect(await ask()).toBe(word.length);
  const before = await arrayBuffersHeld();
  for (let times = 0; times < 20; times++) {
    await ask();
    await collectYoung();
  }
  // Half of what the words take.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 20_000);
});
