import { describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { type Body, type BodySink, readableOf } from '../../src/streams/body.ts';
import type { Step } from '../../src/streams/step.ts';
import { through as bodyThrough, type ThroughOptions } from '../../src/streams/translate-body.ts';
import { bodyOf } from '../support/body.ts';

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
const bytes = (string: string): Uint8Array => new TextEncoder().encode(string);
const upper: Step<Uint8Array, string> = { transform: (chunk, out) => out.enqueue(text(chunk).toUpperCase()) };
const fail = (error: GatewayError, out: { enqueue(text: string): void }): void =>
  out.enqueue(`<${error.fault}>`);

/** From stream to stream, as others see it. */
function through(
  stream: ReadableStream<Uint8Array>,
  step: Step<Uint8Array, string>,
  options: ThroughOptions,
) {
  const { body, ready } = bodyThrough(bodyOf(stream), step, options);
  return {
    ready,
    get body() {
      return readableOf(body);
    },
  };
}

/** A source that gives what it is told, and remembers how often it was asked and whether it was cancelled. */
function source(pieces: (string | Error)[], endless = false) {
  const state = { pulls: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.pulls++;
        const piece = endless ? 'x' : pieces.shift();
        if (piece instanceof Error) controller.error(piece);
        else if (piece === undefined) controller.close();
        else controller.enqueue(bytes(piece));
      },
      cancel(reason) {
        state.cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

describe('through', () => {
  test('gives one chunk for one chunk, and what flush says at the end', async () => {
    const { stream } = source(['ab', 'c']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        for (const letter of text(chunk)) out.enqueue(`${letter}.`);
      },
      flush: (out) => out.enqueue('end'),
    };
    const passed = through(stream, step, { fail });
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['a.b.', 'c.', 'end']);
  });

  test('pulls only when asked', async () => {
    const { stream, state } = source([], true);
    const passed = through(stream, upper, { fail });
    await passed.ready;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(state.pulls).toBe(1);
    const reader = passed.body.getReader();
    await reader.read();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 10));
    // What comes of one read is given together, so the one after it may be asked for before the first is taken.
    expect(state.pulls).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(state.pulls).toBe(3);
    await reader.cancel();
  });

  test('goes on until something comes out of what goes in', async () => {
    const { stream } = source(['skip', 'skip', 'this']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        if (text(chunk) !== 'skip') out.enqueue(text(chunk));
      },
    };
    expect((await Array.fromAsync(through(stream, step, { fail }).body)).map(text)).toEqual(['this']);
  });

  test("a failure after some output is said in the consumer's words, after that output, and ends the stream", async () => {
    const { stream } = source(['a', new GatewayError('upstream-timeout', 'slow')]);
    const passed = through(stream, upper, { fail });
    await passed.ready;
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['A', '<upstream-timeout>']);
  });

  test('a step that throws keeps what it had said, and the source is cancelled', async () => {
    const { stream, state } = source(['a', 'b', 'c']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        out.enqueue(text(chunk));
        if (text(chunk) === 'b') throw new TypeError('a bug');
      },
    };
    const passed = through(stream, step, { fail });
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['a', 'b<internal>']);
    expect(state.cancelled).toBe('cancelled');
  });

  test('a failure before any output is told by ready', async () => {
    const { stream } = source([new GatewayError('upstream-broken', 'gone')]);
    await expect(through(stream, upper, { fail }).ready).rejects.toThrow('gone');
  });

  test('what says nothing yet is kept back, and a failure after it is told by ready', async () => {
    const broken = new GatewayError('upstream-broken', 'It broke off.');
    const { stream } = source(['start', broken]);
    const { ready } = through(stream, upper, { fail, holds: () => true });
    await expect(ready).rejects.toBe(broken);
  });

  test('what was kept back comes with the first that says something', async () => {
    const { stream } = source(['start ', 'said', 'more']);
    let said = false;
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        said ||= text(chunk) === 'said';
        out.enqueue(text(chunk));
      },
    };
    const passed = through(stream, step, { fail, holds: () => !said });
    await passed.ready;
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['start said', 'more']);
  });

  test('nothing is kept back from a consumer who is there', async () => {
    let end: (() => void) | undefined;
    const begun = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes('start'));
        end = () => controller.close();
      },
    });
    const passed = through(begun, upper, { fail, holds: () => true });
    await new Promise((resolve) => setTimeout(resolve, 10));
    const reader = passed.body.getReader();
    expect(text((await reader.read()).value)).toBe('START');
    end?.();
    expect((await reader.read()).done).toBe(true);
  });

  test('cancelling reaches the source at once, even while it is silent', async () => {
    let cancelled: unknown;
    const silent = new ReadableStream<Uint8Array>({
      cancel(reason) {
        cancelled = reason;
      },
    });
    const reader = through(silent, upper, { fail }).body.getReader();
    const pending = reader.read();
    await reader.cancel('left');
    expect(cancelled).toBe('cancelled');
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('a silent source is bridged by keep-alives, which stop when it speaks', async () => {
    let speak: (() => void) | undefined;
    const quiet = new ReadableStream<Uint8Array>({
      start(controller) {
        speak = () => {
          controller.enqueue(bytes('now'));
          controller.close();
        };
      },
    });
    const passed = through(quiet, upper, { fail, keepAlive: { text: () => ': ping\n\n', milliseconds: 5 } });
    const reader = passed.body.getReader();
    expect(text((await reader.read()).value)).toBe(': ping\n\n');
    speak?.();
    const rest: string[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest.push(text(read.value));
    expect(rest.filter((piece) => piece !== ': ping\n\n')).toEqual(['NOW']);
  });

  test('a source that speaks now and then needs none: they come of silence alone', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const given: string[] = [];
      let sink: BodySink | undefined;
      const speaking: Body = {
        pipeTo(to) {
          sink = to;
        },
        pull() {},
        cancel() {},
      };
      const keepAlive = { text: () => ': ping\n\n', milliseconds: 15_000 };
      const { body } = bodyThrough(speaking, upper, { fail, keepAlive });
      body.pipeTo({ write: (piece) => given.push(text(piece)) > 0, close() {}, abort() {} });
      for (const word of ['a', 'b', 'c']) {
        vi.advanceTimersByTime(10_000);
        sink?.write(bytes(word));
        await Promise.resolve();
      }
      vi.advanceTimersByTime(15_000);
      expect(given).toEqual(['A', 'B', 'C', keepAlive.text()]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('no timer is left', () => {
  const LAST = 'LAST';
  const keepAlive = { text: () => ': ping\n\n', milliseconds: 15_000 };

  /** A source that a test drives, and a sink that takes all. */
  function stage(step: Step<Uint8Array, string> = upper) {
    let to: BodySink | undefined;
    let given = '';
    const cancel = vi.fn();
    const body: Body = {
      pipeTo(sink) {
        to = sink;
      },
      pull() {},
      cancel,
    };
    let said = '';
    const followed: Step<Uint8Array, string> = {
      transform(chunk, out) {
        said += text(chunk).toUpperCase();
        step.transform(chunk, out);
      },
    };
    const passed = bodyThrough(body, followed, {
      fail,
      keepAlive,
      over: () => said.includes(LAST),
      mayBeOver: () => said.includes('STOP'),
    });
    passed.body.pipeTo({
      write(piece) {
        given += text(piece);
        return true;
      },
      close() {
        given += '.';
      },
      abort() {},
    });
    const source = {
      write: (piece: string) => to?.write(bytes(piece)),
      close: () => to?.close(),
      abort: () => to?.abort(new GatewayError('upstream-broken', 'gone')),
    };
    return { source, cancel, leave: () => passed.body.cancel(), given: () => given };
  }

  /** What its source says, or how it or its consumer ends; and what has been given by then. */
  const ends: [steps: readonly string[], given: string][] = [
    [['close'], 'A.'],
    [['abort'], 'A<upstream-broken>.'],
    [['leave'], 'A'],
    [['stop', 'close'], 'ASTOP.'],
    [['stop', 'abort'], 'ASTOP<upstream-broken>.'],
    [['stop', 'leave'], 'A'],
    [['last', 'close'], 'ALAST.'],
    [['last', 'abort'], 'ALAST.'],
    [['stop', 'last', 'abort'], 'ASTOPLAST.'],
    [['last', 'x'.repeat(70_000)], 'ALAST.'],
  ];
  test.each(ends)('after %j', async (steps, given) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const made = stage();
      made.source.write('a');
      await Promise.resolve();
      for (const step of steps) {
        if (step === 'leave') made.leave();
        else if (step === 'close' || step === 'abort') made.source[step]();
        else made.source.write(step);
      }
      await Promise.resolve();
      expect(made.given()).toBe(given);
      expect(vi.getTimerCount()).toBe(0);
      // What has ended by itself is not cancelled later.
      const cancelled = made.cancel.mock.calls.length;
      vi.advanceTimersByTime(60_000);
      expect(made.cancel).toHaveBeenCalledTimes(cancelled);
    } finally {
      vi.useRealTimers();
    }
  });

  test('after a step that throws', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const made = stage({
        transform(chunk, out) {
          if (text(chunk) === 'b') throw new TypeError('a bug');
          out.enqueue(text(chunk));
        },
      });
      made.source.write('stop');
      made.source.write('b');
      await Promise.resolve();
      expect(made.given()).toBe('stop<internal>.');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('after the second in which a source that has said all may end, and that cancels it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const made = stage();
      made.source.write('last');
      await Promise.resolve();
      vi.advanceTimersByTime(999);
      expect(made.cancel).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(made.cancel).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
