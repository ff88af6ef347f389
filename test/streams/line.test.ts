import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Line, type LineMode, line, type Stage, stage } from '../../src/streams/line.ts';

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

describe.each(modes)('stages within a %s line', (mode) => {
  test('run as often as what is around them says', async () => {
    let runs = 0;
    const value = await line(1, mode)
      .to((n) => n + 1)
      .within<string>(
        (stages) => async (n) => `${await stages(n)} ${await stages(n + 1)}`,
        (inner) =>
          inner
            .to((n) => {
              runs += 1;
              return n * 10;
            })
            .to(async (n) => `<${n}>`),
      )
      .to((text) => [text])
      .only();
    expect(value).toEqual(['<20> <30>']);
    expect(runs).toBe(2);
  });

  test('fail to what is around them, which may go on', async () => {
    const value = await line(1, mode)
      .within<string>(
        (stages) => async (n) => {
          try {
            return await stages(n);
          } catch (error) {
            return error instanceof RangeError ? stages(n + 1) : 'another error';
          }
        },
        (inner) =>
          inner.to((n) => {
            if (n === 1) throw new RangeError('no');
            return `${n}`;
          }),
      )
      .only();
    expect(value).toBe('2');
  });

  test('fail the line where nobody around them minds', async () => {
    const failing = line(1, mode)
      .within<number>(
        (stages) => stages,
        (inner) =>
          inner.to((): number => {
            throw new RangeError('no');
          }),
      )
      .only();
    await expect(failing).rejects.toThrow(RangeError);
  });
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
  const once = <T, U>(stages: Stage<T, U>): Stage<T, U> => stages;
  const within = start.within(once<Small, number>, (inner) => inner.to(grow).to(needLarge));
  expectTypeOf(within).toEqualTypeOf<Line<number>>();
  // @ts-expect-error nor within
  void start.within(once<Small, number>, (inner) => inner.to(needLarge));
});
