import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Line, type LineMode, line, stage } from '../../src/streams/line.ts';

const modes: LineMode[] = ['fused', 'chained'];

describe.each(modes)('a %s line', (mode) => {
  test('runs its stages in order, waiting for each', async () => {
    const seen: string[] = [];
    const value = await line(1, mode)
      .to((n) => {
        seen.push('a');
        return n + 1;
      })
      .to(async (n) => {
        await Promise.resolve();
        seen.push('b');
        return `${n}`;
      })
      .to((text) => ({ text }))
      .only();
    expect(value).toEqual({ text: '2' });
    expect(seen).toEqual(['a', 'b']);
  });

  test.each(['sync', 'async'])(
    'fails with what a %s stage throws, and runs no stage after it',
    async (kind) => {
      const error = new RangeError('no');
      let reached = false;
      const failing = line(1, mode)
        .to((): number | Promise<number> => {
          if (kind === 'sync') throw error;
          return Promise.reject(error);
        })
        .to((n) => {
          reached = true;
          return n;
        })
        .only();
      await expect(failing).rejects.toBe(error);
      expect(reached).toBe(false);
    },
  );
});

test('a stage is a TransformStream', async () => {
  const doubled = ReadableStream.from([1, 2]).pipeThrough(stage((n: number) => n * 2));
  expect(await Array.fromAsync(doubled)).toEqual([2, 4]);
});

test('stages in a wrong order do not compile, even where one value extends the other', () => {
  interface Small {
    readonly a: number;
  }
  interface Large extends Small {
    readonly b: number;
  }
  const grow = (small: Small): Large => ({ ...small, b: 1 });
  const needLarge = (large: Large): number => large.b;
  const start: Line<Small> = line<Small>({ a: 1 });
  expectTypeOf(start.to(grow).to(needLarge)).toEqualTypeOf<Line<number>>();
  // @ts-expect-error a Small is not a Large yet
  void start.to(needLarge);
});
