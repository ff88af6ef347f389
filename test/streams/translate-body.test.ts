import { describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { pipedSource } from '../../src/streams/piped-source.ts';
import { HIGH_WATER_MARK } from '../../src/streams/push-body.ts';
import type { Step } from '../../src/streams/step.ts';
import {
  type TranslatedBody,
  type TranslateOptions,
  translateBody as translatePushed,
} from '../../src/streams/translate-body.ts';

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
const bytes = (string: string): Uint8Array => new TextEncoder().encode(string);
const upper: Step<Uint8Array, string> = { transform: (chunk, out) => out.enqueue(text(chunk).toUpperCase()) };
const fail = (error: GatewayError, out: { enqueue(text: string): void }): void =>
  out.enqueue(`<${error.fault}>`);

/** Translates a stream, which is piped into the body that is translated. */
function translateBody(
  stream: ReadableStream<Uint8Array>,
  step: Step<Uint8Array, string>,
  options: TranslateOptions,
): TranslatedBody {
  const { writable, source } = pipedSource();
  stream.pipeTo(writable).catch(() => undefined);
  return translatePushed(source, step, options);
}

/** Runs everything that does not wait for a timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A source that emits what the test gives it, and records how often it was pulled and whether it was cancelled. */
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

describe('translateBody', () => {
  test('emits one chunk per chunk, then what flush returns at the end', async () => {
    const { stream } = source(['ab', 'c']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        for (const letter of text(chunk)) out.enqueue(`${letter}.`);
      },
      flush: (out) => out.enqueue('end'),
    };
    const passed = translateBody(stream, step, { fail });
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['a.b.', 'c.', 'end']);
  });

  test('translates only when the consumer pulls, and pauses an endless source', async () => {
    const { stream, state } = source([], true);
    let steps = 0;
    const counted: Step<Uint8Array, string> = {
      transform(chunk, out) {
        steps += 1;
        upper.transform(chunk, out);
      },
    };
    const passed = translateBody(stream, counted, { fail });
    await passed.ready;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(steps).toBe(1);
    const reader = passed.body.getReader();
    await reader.read();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(steps).toBe(2);
    // Each chunk is one byte.
    expect(state.pulls).toBeLessThan(HIGH_WATER_MARK + 10);
    await reader.cancel();
  });

  test('keeps pulling until the input produces output', async () => {
    const { stream } = source(['skip', 'skip', 'this']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        if (text(chunk) !== 'skip') out.enqueue(text(chunk));
      },
    };
    expect((await Array.fromAsync(translateBody(stream, step, { fail }).body)).map(text)).toEqual(['this']);
  });

  test("a failure after some output becomes an error event in the consumer's format, after that output, and ends the stream", async () => {
    const { stream } = source(['a', new GatewayError('upstream-timeout', 'slow')]);
    const passed = translateBody(stream, upper, { fail });
    await passed.ready;
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['A', '<upstream-timeout>']);
  });

  test('if a step throws, its earlier output is kept and the source is cancelled', async () => {
    const { stream, state } = source(['a', 'b', 'c']);
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        out.enqueue(text(chunk));
        if (text(chunk) === 'b') throw new TypeError('a bug');
      },
    };
    const passed = translateBody(stream, step, { fail });
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['a', 'b<internal>']);
    expect(state.cancelled).toMatchObject({ fault: 'internal' });
  });

  test('a failure before any output rejects ready', async () => {
    const { stream } = source([new GatewayError('upstream-broken', 'gone')]);
    await expect(translateBody(stream, upper, { fail }).ready).rejects.toThrow('gone');
  });

  test('output without content is held back, and a failure after it rejects ready', async () => {
    const broken = new GatewayError('upstream-broken', 'It broke off.');
    const { stream } = source(['start', broken]);
    const { ready } = translateBody(stream, upper, { fail, isHolding: () => true });
    await expect(ready).rejects.toBe(broken);
  });

  test('held output is sent with the first output that has content', async () => {
    const { stream } = source(['start ', 'said', 'more']);
    let said = false;
    const step: Step<Uint8Array, string> = {
      transform(chunk, out) {
        said ||= text(chunk) === 'said';
        out.enqueue(text(chunk));
      },
    };
    const passed = translateBody(stream, step, { fail, isHolding: () => !said });
    await passed.ready;
    expect((await Array.fromAsync(passed.body)).map(text)).toEqual(['start said', 'more']);
  });

  test('nothing is held back once a consumer reads', async () => {
    let end: (() => void) | undefined;
    const begun = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes('start'));
        end = () => controller.close();
      },
    });
    const passed = translateBody(begun, upper, { fail, isHolding: () => true });
    await new Promise((resolve) => setTimeout(resolve, 10));
    const reader = passed.body.getReader();
    expect(text((await reader.read()).value)).toBe('START');
    end?.();
    expect((await reader.read()).done).toBe(true);
  });

  test('cancelling reaches the source at once, even if it is silent', async () => {
    let cancelled: unknown;
    const silent = new ReadableStream<Uint8Array>({
      cancel(reason) {
        cancelled = reason;
      },
    });
    const reader = translateBody(silent, upper, { fail }).body.getReader();
    const pending = reader.read();
    await reader.cancel('left');
    expect(cancelled).toBe('left');
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('keep-alives fill the silence of a source and stop when it sends data', async () => {
    let speak: (() => void) | undefined;
    const quiet = new ReadableStream<Uint8Array>({
      start(controller) {
        speak = () => {
          controller.enqueue(bytes('now'));
          controller.close();
        };
      },
    });
    const passed = translateBody(quiet, upper, {
      fail,
      keepAlive: { text: () => ': ping\n\n', milliseconds: 5 },
    });
    const reader = passed.body.getReader();
    expect(text((await reader.read()).value)).toBe(': ping\n\n');
    speak?.();
    const rest: string[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest.push(text(read.value));
    expect(rest.filter((piece) => piece !== ': ping\n\n')).toEqual(['NOW']);
  });

  test('a source that sends data now and then gets no keep-alives: only silence causes them', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      let speak = (_: string): void => {};
      const speaking = new ReadableStream<Uint8Array>({
        start(controller) {
          speak = (word) => controller.enqueue(bytes(word));
        },
      });
      const keepAlive = { text: () => ': ping\n\n', milliseconds: 15_000 };
      const reader = translateBody(speaking, upper, { fail, keepAlive }).body.getReader();
      for (const word of ['a', 'b', 'c']) {
        const read = reader.read();
        await settle();
        vi.advanceTimersByTime(10_000);
        speak(word);
        expect(text((await read).value)).toBe(word.toUpperCase());
      }
      const read = reader.read();
      await settle();
      vi.advanceTimersByTime(15_000);
      expect(text((await read).value)).toBe(keepAlive.text());
    } finally {
      vi.useRealTimers();
    }
  });

  test('a consumer who does not read gets no keep-alives', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const silent = new ReadableStream<Uint8Array>();
      const keepAlive = { text: () => '.', milliseconds: 1_000 };
      const reader = translateBody(silent, upper, { fail, keepAlive }).body.getReader();
      const first = reader.read();
      await settle();
      vi.advanceTimersByTime(60_000);
      expect(text((await first).value)).toBe('.');
      // The minute produced one more keep-alive at most, which waits to be read.
      expect(text((await reader.read()).value)).toBe('.');
      const next = reader.read();
      expect(await Promise.race([next, settle()])).toBeUndefined();
      await reader.cancel();
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a failure that cannot be rendered fails the body, and does not cancel the source', async () => {
  const { stream, state } = source(['ab', new GatewayError('upstream-broken', 'gone')]);
  const bug = new TypeError('a bug');
  const { body } = translateBody(stream, upper, {
    fail() {
      throw bug;
    },
  });
  const reader = body.getReader();
  expect(text((await reader.read()).value)).toBe('AB');
  await expect(reader.read()).rejects.toBe(bug);
  expect(state.cancelled).toBeUndefined();
});

test('a source that may be over is given up when nothing comes, but not while the consumer does not read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  try {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const cancel = vi.fn();
    const silent = new ReadableStream<Uint8Array>({
      start(started) {
        controller = started;
      },
      cancel,
    });
    const { body } = translateBody(silent, upper, { fail, mayEnd: () => true });
    const reader = body.getReader();
    const read = async (): Promise<string | undefined> => {
      const { done, value } = await reader.read();
      return done ? undefined : text(value);
    };
    controller?.enqueue(bytes('stop'));
    expect(await read()).toBe('STOP');
    vi.advanceTimersByTime(60_000);
    await settle();
    expect(cancel).not.toHaveBeenCalled();
    controller?.enqueue(bytes('usage'));
    expect(await read()).toBe('USAGE');
    const last = read();
    await settle();
    vi.advanceTimersByTime(5_000);
    expect(await last).toBeUndefined();
    await settle();
    expect(cancel).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

describe('no timer is left', () => {
  const LAST = 'LAST';
  const keepAlive = { text: () => ': ping\n\n', milliseconds: 15_000 };

  /** A source that a test drives, and a consumer that reads everything. */
  function stage(step: Step<Uint8Array, string> = upper) {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let given = '';
    const cancel = vi.fn();
    const source = new ReadableStream<Uint8Array>({
      start(started) {
        controller = started;
      },
      cancel,
    });
    let said = '';
    const followed: Step<Uint8Array, string> = {
      transform(chunk, out) {
        said += text(chunk).toUpperCase();
        step.transform(chunk, out);
      },
    };
    const { body } = translateBody(source, followed, {
      fail,
      keepAlive,
      end: () => said.includes(LAST),
      mayEnd: () => said.includes('STOP'),
    });
    const reader = body.getReader();
    let isLeft = false;
    const consumed = (async () => {
      for (let read = await reader.read(); !read.done; read = await reader.read()) given += text(read.value);
      if (!isLeft) given += '.';
    })();
    return {
      source: {
        write: (piece: string) => controller?.enqueue(bytes(piece)),
        close: () => controller?.close(),
        abort: () => controller?.error(new GatewayError('upstream-broken', 'gone')),
      },
      cancel,
      consumed,
      leave() {
        isLeft = true;
        void reader.cancel();
      },
      given: () => given,
    };
  }

  /** What the source emits, how it or its consumer ends, and the output up to then. */
  const ends: [steps: readonly string[], given: string][] = [
    [['close'], 'A.'],
    [['abort'], 'A<upstream-broken>.'],
    [['leave'], 'A'],
    [['stop', 'close'], 'ASTOP.'],
    [['stop', 'abort'], 'ASTOP<upstream-broken>.'],
    [['stop', 'leave'], 'ASTOP'],
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
      await settle();
      for (const step of steps) {
        if (step === 'leave') made.leave();
        else if (step === 'close' || step === 'abort') made.source[step]();
        else made.source.write(step);
        await settle();
      }
      await settle();
      expect(made.given()).toBe(given);
      expect(vi.getTimerCount()).toBe(0);
      // A source that has ended by itself is not cancelled later.
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
      await settle();
      expect(made.given()).toBe('stop<internal>.');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('after the second that a finished source has to end, which cancels it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const made = stage();
      made.source.write('last');
      await settle();
      vi.advanceTimersByTime(999);
      expect(made.cancel).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      await settle();
      expect(made.cancel).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
