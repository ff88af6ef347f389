import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Chain, type ChainMode, chain, type Stage, stage } from '../../src/streams/chain.ts';

const modes: ChainMode[] = ['fused', 'chained'];

/** Collects what a chain emits for one value. An error that a stage throws synchronously also rejects the promise. */
async function only<S, T>({ run }: Chain<S, T>, value: S): Promise<T> {
  return run(value);
}

describe.each(modes)('a %s chain', (mode) => {
  test('runs its stages in order and waits for each', async () => {
    const seen: string[] = [];
    const built = chain<number>(mode)
      .to((n) => {
        seen.push('a');
        return n + 1;
      })
      .to(async (n) => {
        await Promise.resolve();
        seen.push('b');
        return `${n}`;
      })
      .to((text) => ({ text }));
    expect(seen).toEqual([]);
    const value = await only(built, 1);
    expect(value).toEqual({ text: '2' });
    expect(seen).toEqual(['a', 'b']);
  });

  test.each(['sync', 'async'])('fails with the error of a %s stage and runs no later stage', async (kind) => {
    const error = new RangeError('no');
    let reached = false;
    const failing = chain<number>(mode)
      .to((): number | Promise<number> => {
        if (kind === 'sync') throw error;
        return Promise.reject(error);
      })
      .to((n) => {
        reached = true;
        return n;
      });
    await expect(only(failing, 1)).rejects.toBe(error);
    expect(reached).toBe(false);
  });
});

describe.each(modes)('stages wrapped in a %s chain', (mode) => {
  test('run as often as the wrapping stage runs them', async () => {
    let runs = 0;
    const built = chain<number>(mode)
      .to((n) => n + 1)
      .wrap<string>(
        (stages) => async (n) => `${await stages(n)} ${await stages(n + 1)}`,
        (inner) =>
          inner
            .to((n) => {
              runs += 1;
              return n * 10;
            })
            .to(async (n) => `<${n}>`),
      )
      .to((text) => [text]);
    expect(await only(built, 1)).toEqual(['<20> <30>']);
    expect(runs).toBe(2);
  });

  test('fail to the wrapping stage, which may continue', async () => {
    const built = chain<number>(mode).wrap<string>(
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
    );
    expect(await only(built, 1)).toBe('2');
  });

  test('fail the chain if no wrapping stage catches the error', async () => {
    const failing = chain<number>(mode).wrap<number>(
      (stages) => stages,
      (inner) =>
        inner.to((): number => {
          throw new RangeError('no');
        }),
    );
    await expect(only(failing, 1)).rejects.toThrow(RangeError);
  });
});

test('a stage is a TransformStream', async () => {
  const doubled = ReadableStream.from([1, 2]).pipeThrough(stage((n: number) => n * 2));
  expect(await Array.fromAsync(doubled)).toEqual([2, 4]);
});

test('stages in the wrong order do not compile, even if one value extends the other', () => {
  interface Small {
    readonly a: number;
  }
  interface Large extends Small {
    readonly b: number;
  }
  const grow = (small: Small): Large => ({ ...small, b: 1 });
  const needLarge = (large: Large): number => large.b;
  const start: Chain<Small, Small> = chain<Small>();
  expectTypeOf(start.to(grow).to(needLarge)).toEqualTypeOf<Chain<Small, number>>();
  // @ts-expect-error a Small is not yet a Large
  void start.to(needLarge);
  const once = <T, U>(stages: Stage<T, U>): Stage<T, U> => stages;
  const within = start.wrap(once<Small, number>, (inner) => inner.to(grow).to(needLarge));
  expectTypeOf(within).toEqualTypeOf<Chain<Small, number>>();
  // @ts-expect-error nor inside a wrapping stage
  void start.wrap(once<Small, number>, (inner) => inner.to(needLarge));
});
