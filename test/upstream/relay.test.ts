import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { relay } from '../../src/upstream/relay.ts';

const KB = 1024;

/** A relay, and all that its source and its sink are told. */
function stage() {
  const flows: boolean[] = [];
  const cancels: unknown[] = [];
  const made = relay({ flow: (goesOn) => flows.push(goesOn), cancel: (error) => cancels.push(error) });
  const taken: (string | GatewayError)[] = [];
  const sink = (room = true) => ({
    write(chunk: Uint8Array) {
      taken.push(Buffer.from(chunk).toString());
      return room;
    },
    close: () => void taken.push('closed'),
    abort: (error: GatewayError) => void taken.push(error),
  });
  return { ...made, flows, cancels, taken, sink };
}

const bytes = (text: string): Buffer => Buffer.from(text);
const broken = new GatewayError('upstream-broken', 'It broke off.');

describe('a body that nobody has taken yet', () => {
  test('is held, and given to who takes it, in order, before what comes later', () => {
    const { write, close, body, taken, sink } = stage();
    write(bytes('a'));
    write(bytes('b'));
    expect(body.held().toString()).toBe('ab');
    body.pipeTo(sink());
    expect(body.held()).toHaveLength(0);
    write(bytes('c'));
    close();
    expect(taken).toEqual(['a', 'b', 'c', 'closed']);
  });

  test.each([
    ['well', (made: ReturnType<typeof stage>) => made.close(), 'closed'],
    ['badly', (made: ReturnType<typeof stage>) => made.abort(broken), broken],
  ])('tells who takes it later that it ended %s', (_, end, told) => {
    const made = stage();
    made.write(bytes('a'));
    end(made);
    made.body.pipeTo(made.sink());
    expect(made.taken).toEqual(['a', told]);
    // What has ended is not told to flow.
    expect(made.flows).toEqual([]);
  });

  test('lets its source pause at 64 KB, and at 256 KB where its beginning is looked at', () => {
    const plain = stage();
    expect(plain.write(Buffer.alloc(64 * KB - 1))).toBe(true);
    expect(plain.write(Buffer.alloc(1))).toBe(false);
    plain.body.watch(() => undefined);
    expect(plain.flows).toEqual([true]);
    expect(plain.write(Buffer.alloc(192 * KB - 1))).toBe(true);
    expect(plain.write(Buffer.alloc(1))).toBe(false);
  });

  test.each([
    [true, [true]],
    [false, [false]],
  ])('flows on as soon as it is taken by one who has room: %s', (room, flows) => {
    const made = stage();
    made.write(bytes('a'));
    made.body.pipeTo(made.sink(room));
    expect(made.flows).toEqual(flows);
  });
});

describe('who looks at the beginning of a body', () => {
  test('is told all that has come, what comes, and the end', () => {
    const { write, close, body } = stage();
    const seen: (string | undefined)[] = [];
    write(bytes('a'));
    body.watch((piece) => seen.push(piece && Buffer.from(piece).toString()));
    write(bytes('b'));
    close();
    expect(seen).toEqual(['a', 'b', undefined]);
  });

  test('is told the end of what had ended before', () => {
    const { close, body } = stage();
    close();
    const seen: unknown[] = [];
    body.watch((piece) => seen.push(piece));
    expect(seen).toEqual([undefined]);
  });

  test('is told nothing more once the body is taken', () => {
    const { write, close, body, sink } = stage();
    const seen: unknown[] = [];
    body.watch((piece) => seen.push(piece));
    body.pipeTo(sink());
    write(bytes('a'));
    close();
    expect(seen).toEqual([]);
  });
});

describe('a body that nobody wants', () => {
  test('gives back what it held, and holds nothing of what still comes', () => {
    const { write, body, cancels } = stage();
    write(Buffer.alloc(40 * KB));
    body.cancel(broken);
    expect(body.held()).toHaveLength(0);
    expect(write(Buffer.alloc(40 * KB))).toBe(true);
    expect(body.held()).toHaveLength(0);
    expect(cancels).toEqual([broken]);
  });

  test('tells its end to nobody', () => {
    for (const end of ['close', 'abort'] as const) {
      const watched = stage();
      const seen: unknown[] = [];
      watched.body.watch((piece) => seen.push(piece));
      watched.body.cancel();
      watched[end](broken);
      expect(seen).toEqual([]);

      const taken = stage();
      taken.body.pipeTo(taken.sink());
      taken.body.cancel();
      taken.write(bytes('a'));
      taken[end](broken);
      expect(taken.taken).toEqual([]);
    }
  });

  test('gives no more to who leaves while taking what was held', () => {
    const made = stage();
    made.write(bytes('a'));
    made.write(bytes('b'));
    const sink = made.sink();
    made.body.pipeTo({
      ...sink,
      write(chunk) {
        sink.write(chunk);
        made.body.cancel();
        return true;
      },
    });
    expect(made.taken).toEqual(['a']);
    expect(made.isTaken()).toBe(false);
    expect(made.flows).toEqual([]);
  });
});

test('one who takes a body makes it flow by pulling', () => {
  const made = stage();
  expect(made.isTaken()).toBe(false);
  made.body.pipeTo(made.sink());
  expect(made.isTaken()).toBe(true);
  made.body.pull();
  expect(made.flows).toEqual([true, true]);
});
