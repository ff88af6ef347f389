/**
 * A chain of stages, each of which stands for a TransformStream. It is written once and run for every exchange, by
 * default fused into one function. It can also run as real streams, but a stream for each stage costs an exchange more
 * than most stages do (`bench/pipeline`).
 *
 * Stages are joined by their function types, not by `pipeThrough`. Stream methods are compared bivariantly, so stages
 * in a wrong order would compile; `to` accepts only a stage that takes what the one before it returns.
 */

/** One stage: takes what is known of an exchange so far, and returns what is known after it. */
export type Stage<T, U> = (value: T) => U | Promise<U>;

export interface Chain<S, T> {
  /** Adds one stage at the end. */
  to<U>(stage: Stage<T, U>): Chain<S, U>;
  /**
   * Adds several stages at the end, written as a chain of their own. `around` decides when, and how often, they run.
   */
  wrap<U>(
    around: (stages: Stage<T, U>) => Stage<T, U>,
    inner: (chain: Chain<T, T>) => Chain<T, U>,
  ): Chain<S, U>;
  /** Runs the whole chain as one stage. @throws what a stage throws, at once or as a rejection. */
  readonly run: Stage<S, T>;
}

/** Makes the TransformStream that a stage stands for. */
export function stage<T, U>(run: Stage<T, U>): TransformStream<T, U> {
  return new TransformStream<T, U>({
    async transform(value, controller) {
      controller.enqueue(await run(value));
    },
  });
}

/** How a chain runs: `fused` into one function, or `chained` with a stream for each stage. */
export type ChainMode = 'fused' | 'chained';

/** Picks the mode. @param name the value of a variable: `streams` for a stream per stage; anything else fuses. */
export function chainMode(name: string | undefined): ChainMode {
  return name === 'streams' ? 'chained' : 'fused';
}

/** Makes a chain without stages, which returns what it takes. */
export function chain<T>(mode: ChainMode = 'fused'): Chain<T, T> {
  return mode === 'fused' ? fused((value: T) => value) : chained((start: ReadableStream<T>) => start);
}

function fused<S, T>(run: Stage<S, T>): Chain<S, T> {
  const to = <U>(next: Stage<T, U>): Chain<S, U> =>
    fused((value) => {
      const made = run(value);
      return made instanceof Promise ? made.then(next) : next(made);
    });
  return { to, wrap: (around, inner) => to(around(inner(chain()).run)), run };
}

function chained<S, T>(connect: (start: ReadableStream<S>) => ReadableStream<T>): Chain<S, T> {
  const to = <U>(next: Stage<T, U>): Chain<S, U> =>
    chained((start) => connect(start).pipeThrough(stage(next)));
  return {
    to,
    wrap: (around, inner) => to(around(inner(chain('chained')).run)),
    run: (value) => first(connect(ReadableStream.from([value]))),
  };
}

async function first<T>(stream: ReadableStream<T>): Promise<T> {
  const reader = stream.getReader();
  const { done, value } = await reader.read();
  if (done) throw new TypeError('The chain ended without a value.');
  reader.releaseLock();
  return value;
}
