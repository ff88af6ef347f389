import { describe, expect, test } from 'vitest';
import { type ByteSink, type ByteSource, SourceStream, takeSource } from '../../src/streams/source-stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A source that says what it is asked for, and gives one piece each time. */
function sourceFrom(pieces: readonly (string | Error)[]): { source: ByteSource; asked: unknown[] } {
  const asked: unknown[] = [];
  let at = 0;
  return {
    asked,
    source: {
      pull(sink) {
        asked.push('pull');
        const piece = pieces[at++];
        if (piece === undefined) sink.close();
        else if (piece instanceof Error) sink.error(piece);
        else sink.enqueue(bytes(piece));
      },
      cancel: (reason) => void asked.push(['cancel', reason]),
    },
  };
}

/** What a sink has got, and a promise for the next of it. */
function listener(): { sink: ByteSink; got: unknown[]; next: () => Promise<void> } {
  const got: unknown[] = [];
  let more = (): void => undefined;
  const add = (what: unknown): void => {
    got.push(what);
    more();
  };
  return {
    got,
    next: () => new Promise((resolve) => (more = resolve)),
    sink: {
      desiredSize: 0,
      enqueue: (chunk) => add(new TextDecoder().decode(chunk)),
      close: () => add('end'),
      error: (reason) => add(reason),
    },
  };
}

/** The same body as a stream with a source to hand over, and as one without. */
const KINDS: readonly (readonly [
  name: string,
  stream: (source: ByteSource) => ReadableStream<Uint8Array>,
])[] = [
  ['a stream with a source', (source) => new SourceStream(source)],
  [
    'any other stream',
    (source) =>
      new ReadableStream(
        { pull: (controller) => source.pull(controller), cancel: (reason) => source.cancel(reason) },
        { highWaterMark: 0 },
      ),
  ],
];

describe.each(KINDS)('%s', (_, stream) => {
  test('gives a piece for each pull, and then its end', async () => {
    const { source, asked } = sourceFrom(['a', 'b']);
    const taken = takeSource(stream(source));
    const { sink, got, next } = listener();
    await Promise.resolve();
    expect(asked).toEqual([]);
    for (const expected of ['a', 'b', 'end']) {
      const given = next();
      taken.pull(sink);
      await given;
      expect(got.at(-1)).toBe(expected);
    }
    expect(asked).toEqual(['pull', 'pull', 'pull']);
  });

  test('gives the error that it fails by', async () => {
    const failure = new Error('broken');
    const { sink, got, next } = listener();
    const given = next();
    takeSource(stream(sourceFrom([failure]).source)).pull(sink);
    await given;
    expect(got).toEqual([failure]);
  });

  test('passes a cancellation on', async () => {
    const { source, asked } = sourceFrom(['a']);
    takeSource(stream(source)).cancel('left');
    await Promise.resolve();
    expect(asked).toEqual([['cancel', 'left']]);
  });

  test('has one consumer', () => {
    const taken = stream(sourceFrom(['a']).source);
    takeSource(taken);
    expect(() => takeSource(taken)).toThrow(TypeError);
    const read = stream(sourceFrom(['a']).source);
    read.getReader();
    expect(() => takeSource(read)).toThrow(TypeError);
  });
});

test('a stream with a source is read as any other', async () => {
  const { source } = sourceFrom(['a', 'b']);
  expect(await new Response(new SourceStream(source)).text()).toBe('ab');
});
